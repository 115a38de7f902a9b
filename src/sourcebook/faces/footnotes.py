"""The sources of an answer as numbered lines below it, for faces that show plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.faces.answer_notice import answer_notice
from sourcebook.locale import texts

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer, Citation

RULE = "\n\n---\n"
_QUOTED = 200
_NEXT = "  \n"
"""Two spaces, which are a line break where Markdown is shown."""


def footnotes(answer: Answer) -> str:
    """A rule and a line for each source, by the numbers that stand in the answer; nothing if it has none.

    Of what an expert alone says, a line that says so. That an answer is out of date is said first.
    """
    notice = answer_notice(answer)
    lines = [] if notice is None else [notice]
    if answer.is_expert_only:
        lines.append(texts(answer.language)("expert_only"))
    else:
        lines += map(_footnote, answer.citations)
    return RULE + _NEXT.join(lines) if lines else ""


def _footnote(citation: Citation) -> str:
    place = " ".join((citation.document_title or citation.document_path).split())
    page = "" if citation.page is None else f", page {citation.page}"
    quote = " ".join(citation.quote.split())
    short = quote if len(quote) <= _QUOTED else quote[:_QUOTED].rsplit(" ", 1)[0] + " …"
    return f"[{citation.number}] {place}{page}: “{short}”"
