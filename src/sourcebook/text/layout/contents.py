"""Recognises tables of contents, which name other places and say nothing themselves."""

from __future__ import annotations

import re

_LINES_OF_CONTENTS = 4
# A number and a title, which may be a question. A numbered clause ends like a sentence instead.
_LINE_OF_CONTENTS = re.compile(
    r"\s*(?:[-*•]\s+)?(?:\[?\d{1,2}\.(?:\d{1,2}\.?)+\s+[^\W\d][^\n]*(?:[^\s.;:,!?]|\?!?)\s*$|[^\n]{0,200}?(?:…|\.\s?\.\s?\.\s?\.)[.\s]*\d+\s*$)"
)
# A directive that puts the documentation of code in its place, and the names and options below it.
_DIRECTIVE = re.compile(r"(?::::\s+[\w.]+|\.\.\s+auto\w+::\s+\S+)\s*$")
_OF_A_DIRECTIVE = re.compile(r"\s{4,}(?:-\s+[\w.]+|:?[\w-]+:(?:\s+\S+)?)\s*$")


def is_contents(content: str) -> bool:
    """Whether most lines are those of a table of contents. Such a text is found, but never quoted."""
    lines = [line for line in content.splitlines() if line.strip()]
    named = sum(is_contents_line(line) for line in lines)
    return len(lines) > _LINES_OF_CONTENTS and 2 * named > len(lines)


def is_contents_line(text: str) -> bool:
    """Whether a text begins with a line of a table of contents, or with a directive that other text replaces."""
    line = text.partition("\n")[0]
    return any(pattern.match(line) for pattern in (_LINE_OF_CONTENTS, _DIRECTIVE, _OF_A_DIRECTIVE))
