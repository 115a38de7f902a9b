"""The beginning of a long text is shown while the rest is still read, so that it can be embedded meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.page_progress import text_read
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import sections_of

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.sections import TextBuilder

FIRST_SHOWN = 50_000
"""Characters: a shorter text is read before anybody could do much with its beginning."""
SHOWN_AGAIN = 4
"""A text is shown again when it has become so many times as long: to embed what was shown takes longer than to read
that much more, and to show it costs as much as to read a tenth of it."""
MOST_SHOWN = 2_000_000
"""To embed so much takes longer than to read whatever follows."""


class ShownBeginning:
    """Shows a text that grows: seldom enough that showing stays little work."""

    def __init__(self, built: TextBuilder) -> None:
        self._built = built
        self._next = FIRST_SHOWN

    def grown(self) -> None:
        """To be told whenever blocks were added behind which only others will come."""
        if self._next <= len(self._built) <= MOST_SHOWN:
            self._next = SHOWN_AGAIN * len(self._built)
            text_read(self._so_far)

    def _so_far(self) -> ParsedText:
        return ParsedText(self._built.text(), sections=sections_of(self._built.headings))
