"""Text for chat programs, which show it as Markdown: nothing of it makes them fetch something.

A document, or a model that obeys one, can write an image whose address carries what was said to somebody else's server.
Links stay: a person decides about those.
"""

from __future__ import annotations

import re

_FETCHING = (
    "audio|base|body|embed|iframe|image|img|input|link|meta|object|picture"
    "|script|source|style|svg|table|td|video"
)
_IMAGE = re.compile(r"!\[")
_TAG = re.compile(rf"<(?=(?:{_FETCHING})\b)", re.IGNORECASE)
_PERHAPS = re.compile(r"(?:!|<[A-Za-z]{0,8})\Z")


class SafeText:
    """Makes text safe piece by piece. What may be the beginning of something is kept back until it is clear."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        text = self._held + piece
        perhaps = _PERHAPS.search(text)
        end = perhaps.start() if perhaps else len(text)
        self._held = text[end:]
        return _safe(text[:end])

    def close(self) -> str:
        """What was kept back."""
        rest, self._held = _safe(self._held), ""
        return rest


def safe_text(text: str) -> str:
    return _safe(text)


def _safe(text: str) -> str:
    return _TAG.sub(r"\\<", _IMAGE.sub(r"!\\[", text))
