"""Where a passage stands, as every face writes it."""

from __future__ import annotations

from sourcebook.model.chat import BETWEEN_HEADINGS


def source_place(name: str, section: str | None, page: str | None) -> str:
    """`file › section, page 3`, without what is not known. `page` is in the reader's language."""
    headings = " ".join((section or "").split()).replace(BETWEEN_HEADINGS, " › ")
    place = f"{name} › {headings}" if headings else name
    return place if page is None else f"{place}, {page}"


def below_title(title: str | None, section: str | None) -> str:
    """The headings of a section without the first, if that is the document's title, which is named already."""
    headings = (section or "").split(BETWEEN_HEADINGS)
    return BETWEEN_HEADINGS.join(headings[headings[0] == title :])
