"""The plain text of letters whose lines were only broken to be sent (RFC 3676)."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"((?:> ?)*)(.*)")
_SIGNATURE = "-- "


def flowed(text: str, *, deletes_space: bool) -> str:
    """The text with its paragraphs whole: a line that ends with a space goes on, if the next is quoted as deeply."""
    paragraphs: list[str] = []
    open_depth = -1
    for line in text.split("\n"):
        marks, words = _split(line)
        depth = marks.count(">")
        goes_on = words.endswith(" ") and words != _SIGNATURE
        if goes_on:
            words = words[:-1] if deletes_space else words
        if depth == open_depth and words not in ("", _SIGNATURE):
            paragraphs[-1] += words
        else:
            paragraphs.append(f"{'>' * depth}{' ' * (depth > 0)}{words}")
        open_depth = depth if goes_on else -1
    return "\n".join(line if line == _SIGNATURE else line.rstrip() for line in paragraphs)


def _split(line: str) -> tuple[str, str]:
    found = _QUOTED.fullmatch(line)
    marks, words = (found[1], found[2]) if found else ("", line)
    # What would look like a quotation was sent with a space before it.
    return marks, words if marks else words.removeprefix(" ")
