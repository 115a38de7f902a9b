"""What is said to somebody who asks nothing: a greeting is greeted, in the language of the greeting."""

from __future__ import annotations

import re

from sourcebook.locale import texts
from sourcebook.text.case_and_accents import folded, without_accents
from sourcebook.text.languages import detect_language

_REPLIES = {"greeting": "said_greeting", "thanks": "said_thanks"}
# A word or two are too few to detect a language by. These tell it; others, such as "ok", may be of any.
_ENGLISH = re.compile(
    r"\b(?:hi|hello|hey|hiya|howdy|good|morning|how|you|thanks|thank|thx|cheers|much|great|awesome|cool|nice|got|see|"
    r"clear|bye|goodbye|helped|helps|helpful|yes|yep|yeah|help)\b"
)
_PORTUGUESE = re.compile(
    r"\b(?:ola|oi|bom|boa|dia|noite|tudo|vai|e ai|obrigado|obrigada|valeu|agradeco|grato|grata|perfeito|entendi|otimo|"
    r"tchau|ate|ajudou|muito|muita|sim|nao|testando|ajuda|pergunta|tenho|posso|voce)\b"
)
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


def reply_to(kind: str, message: str, language: str | None = None) -> str:
    """A sentence in the language of the message; if that cannot be told, in the `language` that is read there."""
    spoken = _language_of(message) or language or detect_language(message)
    return texts(spoken)(_REPLIES.get(kind, "said_nothing"))


def _language_of(message: str) -> str | None:
    if _CYRILLIC.search(message):
        return "ru"
    words = without_accents(folded(message))
    found = [code for code, known in (("en", _ENGLISH), ("pt", _PORTUGUESE)) if known.search(words)]
    return found[0] if len(found) == 1 else None
