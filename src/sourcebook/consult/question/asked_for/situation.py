"""Questions what to do if something happens, which a section under a heading such as "If …" answers."""

from __future__ import annotations

import re

_ASKED = re.compile(
    r"^\W*(?:what (?:do|should|must|shall|can) (?:i|we|you|one) do|what to do|what happens|how (?:do|should) i react"
    r"|что (?:мне |нам )?(?:надо |нужно |следует )?делать|как (?:быть|поступить|действовать)"
    r"|o que (?:eu )?(?:faço|fazer|fazemos|devo fazer|se faz)|¿?qué (?:hago|hacer|debo hacer|hacemos))\s*,?\s+"
    r"(?:if|when|in case|after|если|когда|при|в случае|se|quando|em caso|caso|si|cuando|en caso)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\W*(?:if|when|in case|in the event|after|what (?:to do|happens)|если|когда|при|в случае|что делать|se|quando"
    r"|em caso|caso|o que fazer|si|cuando|en caso|qué hacer)\b",
    re.IGNORECASE,
)


def asks_what_to_do(question: str) -> bool:
    """Whether the question asks what to do in a situation."""
    return _ASKED.search(question) is not None


def names_situation(heading: str) -> bool:
    """Whether a heading names a situation."""
    return _NAMED.match(heading) is not None
