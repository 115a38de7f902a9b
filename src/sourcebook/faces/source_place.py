"""Where a passage stands, as every face writes it."""

from __future__ import annotations


def source_place(name: str, section: str | None, page: str | None) -> str:
    """`file › section, page 3`, without what is not known. `page` is in the reader's language."""
    place = f"{name} › {' '.join(section.split())}" if section and section.strip() else name
    return place if page is None else f"{place}, {page}"
