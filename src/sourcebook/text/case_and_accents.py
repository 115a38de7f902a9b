"""The forms in which text is compared and stored."""

from __future__ import annotations

import re
import unicodedata

_GAP = re.compile(r"[\s_]+")


def folded(text: str) -> str:
    """The text in lower case, composed, and with `е` for `ё`. Other accents stay: stemmers need them."""
    if text.isascii():
        return text.lower()
    # Casefolding decomposes some letters, so they are composed again after it.
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return composed.replace("ё", "е")


def without_accents(word: str, *, keeping: str = "") -> str:
    """A word as it is typed where accents are a nuisance: `nao` for `não`. The letters in `keeping` keep theirs."""
    apart = (letter if letter in keeping else unicodedata.normalize("NFD", letter) for letter in word)
    return "".join(
        mark for part in apart for mark in part if part in keeping or not unicodedata.combining(mark)
    )


def normal_form(value: str) -> str:
    """The form in which categories and subcategories compare: `Малина  Ремонтантная` is `малина_ремонтантная`."""
    return _GAP.sub("_", folded(value)).strip("_")


def storable(text: str) -> bool:
    """Whether every database can keep the text as it is: it holds no NUL and no lone surrogate."""
    if "\x00" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def made_storable(text: str) -> str:
    """The text as every database can keep it: NUL and lone surrogates are replaced, and pairs of surrogates joined."""
    if storable(text):
        return text
    return text.replace("\x00", "�").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def without_open_half(text: str) -> tuple[str, str]:
    """The text without the high surrogate at its end, and that surrogate: its other half may follow."""
    return (text[:-1], text[-1]) if "\ud800" <= text[-1:] <= "\udbff" else (text, "")
