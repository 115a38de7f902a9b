"""What to do if something happens: such a question is answered under a heading that names what happens."""

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
    """Whether it is asked what to do in a situation."""
    return _ASKED.search(question) is not None


def names_situation(heading: str) -> bool:
    """Whether a heading says in which situation to read what follows."""
    return _NAMED.match(heading) is not None
