"""Recognises tables of contents, which name other places and say nothing themselves."""

from __future__ import annotations

import re

_LINES_OF_CONTENTS = 4
# A number and a title, which may be a question. A numbered clause ends like a sentence instead.
_LINE_OF_CONTENTS = re.compile(
    r"\s*(?:[-*•]\s+)?(?:\[?\d{1,2}\.(?:\d{1,2}\.?)+\s+[^\W\d][^\n]*(?:[^\s.;:,!?]|\?!?)\s*$|[^\n]{0,200}?(?:…|\.\s?\.\s?\.\s?\.)[.\s]*\d+\s*$)"
)


def is_contents(content: str) -> bool:
    """Whether most lines are those of a table of contents. Such a text is found, but never quoted."""
    lines = [line for line in content.splitlines() if line.strip()]
    named = sum(is_contents_line(line) for line in lines)
    return len(lines) > _LINES_OF_CONTENTS and 2 * named > len(lines)


def is_contents_line(text: str) -> bool:
    """Whether a text begins with a line of a table of contents."""
    return _LINE_OF_CONTENTS.match(text.partition("\n")[0]) is not None
