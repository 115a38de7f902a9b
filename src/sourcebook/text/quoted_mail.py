"""What a letter quotes of another one: not what its sender says."""

from __future__ import annotations

import re

_QUOTED_LINE = re.compile(r"(?m)^[ \t]*>.*$")
# "On Sunday, Bob wrote:" and whatever follows; some programs only draw a line.
_OTHERS_LETTER = re.compile(
    r"(?m)^[ \t]*(?:(?:On|Am|Le|El|Em|Il)\b[^\n]{4,150}(?:\n[^\n]{0,80})?"
    r"\b(?:wrote|schrieb|écrit|escribió|escreveu|scritto)\s*:"
    r"|[^\n]{4,150}\b(?:пишет|писал|писала|написал|написала)\s*:"
    r"|-{2,}\s*(?:Original Message|Forwarded message|Исходное сообщение|Пересылаемое сообщение|Mensagem original"
    r"|Mensaje original)[^\n]*)[ \t]*$",
    re.IGNORECASE,
)


def quoted_spans(letter: str) -> list[tuple[int, int]]:
    """The parts of a letter that others wrote. A reply that stands between quoted lines is the sender's own."""
    lines = [found.span() for found in _QUOTED_LINE.finditer(letter)]
    other = _OTHERS_LETTER.search(letter)
    if other is None:
        return lines
    # With marked lines, only these are quoted; without, all that follows is.
    is_marked = any(start >= other.end() for start, _ in lines)
    return [*lines, other.span()] if is_marked else [*lines, (other.start(), len(letter))]
