"""The parts of an e-mail that quote another one."""

from __future__ import annotations

import re

_QUOTED_LINE = re.compile(r"(?m)^[ \t]*>.*$")
# "On Sunday, Bob wrote:" and whatever follows; some programs only draw a line. A sentence may end with "wrote:" too, so
# the line must also have a day, a number or an address, as programs write it.
_DAY = (
    r"(?:\d|@|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:понедельник|вторник|сред|четверг|пятниц|суббот|воскресень)"
    r"|\b(?:segunda|terça|quarta|quinta|sexta|sábado|domingo|lunes|martes|miércoles|jueves|viernes)\b)"
)
_NO_END = r"(?:(?![.!?…][ \t]+(?-i:[A-ZÀ-ÞА-ЯЁ])|[.!?]\n)[^\n])"
_OTHERS_LETTER = re.compile(
    rf"(?m)^[ \t]*(?:(?:On|Am|Le|El|Em|Il)\b(?={_NO_END}{{0,150}}{_DAY}){_NO_END}{{4,150}}(?:\n{_NO_END}{{0,80}})?"
    r"\b(?:wrote|schrieb|écrit|escribió|escreveu|scritto)\s*:"
    rf"|(?={_NO_END}{{0,150}}{_DAY}){_NO_END}{{4,150}}\b(?:пишет|писал|писала|написал|написала)\s*:"
    r"|-{2,}\s*(?:Original Message|Forwarded message|Исходное сообщение|Пересылаемое сообщение|Mensagem original"
    r"|Mensaje original)[^\n]*)[ \t]*$",
    re.IGNORECASE,
)


def quoted_spans(letter: str) -> list[tuple[int, int]]:
    """The parts that others wrote. A reply between quoted lines is the sender's own."""
    lines = [found.span() for found in _QUOTED_LINE.finditer(letter)]
    other = _OTHERS_LETTER.search(letter)
    if other is None:
        return lines
    # If lines are marked as quoted, only these are; otherwise all that follows is.
    is_marked = any(start >= other.end() for start, _ in lines)
    return [*lines, other.span()] if is_marked else [*lines, (other.start(), len(letter))]
