"""The few sentences that an answer says of its own, in the languages that people read."""

from __future__ import annotations

_DECLINED = {
    "en": "The base holds nothing that answers this question.",
    "ru": "В базе нет ничего, что отвечало бы на этот вопрос.",
    "pt": "A base não tem nada que responda a esta pergunta.",
}
_SOURCE = {"en": "Source", "ru": "Источник", "pt": "Fonte"}
_PAGE = {"en": "p. {}", "ru": "с. {}", "pt": "p. {}"}
DEFAULT = "en"


def declined(language: str | None) -> str:
    return _DECLINED.get(language or "", _DECLINED[DEFAULT])


def source_link(path: str, title: str | None, page: int | None, language: str | None) -> str:
    """A Markdown link to a source: `[Источник: Название, с. 3](путь/к/документу.md)`."""
    label = _SOURCE.get(language or "", _SOURCE[DEFAULT])
    place = "" if page is None else ", " + _PAGE.get(language or "", _PAGE[DEFAULT]).format(page)
    name = (title or path).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("\n", " ")
    target = path.replace("\\", "%5C").replace("(", "%28").replace(")", "%29").replace(" ", "%20")
    return f"[{label}: {name}{place}]({target})"
