"""The link to a source, as an answer shows it."""

from __future__ import annotations

from sourcebook.locale import texts


def source_link(path: str, title: str | None, page: int | None, language: str | None) -> str:
    """A Markdown link to a source: `[Источник: Название, с. 3](путь/к/документу.md)`."""
    say = texts(language)
    place = "" if page is None else ", " + say("page", page=page)
    name = (title or path).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("\n", " ")
    target = path.replace("\\", "%5C").replace("(", "%28").replace(")", "%29").replace(" ", "%20")
    return f"[{say('source')}: {name}{place}]({target})"
