"""Under which heading of a passage a place in it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.consult.citations.sheet_places import rows_at
from sourcebook.model.chat import BETWEEN_HEADINGS
from sourcebook.text.layout.headings import heading_words

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk

_HEADING = re.compile(r"(?m)^(#{1,6})[ \t]+(.+?)[ \t#]*$")


def section_at(chunk: Chunk, place: int, quoted: tuple[int, int] | None = None) -> str | None:
    """The section of a character of a passage, which may have headings inside. In a sheet, it is the quoted rows."""
    parts = (chunk.section or "").split(BETWEEN_HEADINGS) if chunk.section else []
    levels = list(range(1, len(parts) + 1))
    for heading in _HEADING.finditer(chunk.content, 0, place):
        level, name = len(heading[1]), heading_words(heading[2])
        # Levels may be skipped ("###" right below "#"), so a heading that the section names shows its own level.
        kept = parts.index(name) if name in parts else sum(above < level for above in levels)
        parts, levels = [*parts[:kept], name], [*levels[:kept], level]
    if parts:
        start, end = quoted or (place, place + 1)
        sheet = parts[-2] if len(parts) > 1 else ""
        parts[-1] = rows_at(parts[-1], chunk.content, start, end - 1, sheet)
    return BETWEEN_HEADINGS.join(parts) or None
