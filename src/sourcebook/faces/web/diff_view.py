"""What changed in a source: the words that were cited, against the words that stand there now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from markupsafe import Markup, escape

from sourcebook.text.sentences import sentence_spans

_WORD = re.compile(r"\s*\S+|\s+")
_ALIKE = 0.5
_NEAR = 6000
"""So many characters before and after its old place are looked through for what became of a sentence."""


def word_diff(before: str, after: str) -> Markup:
    """Both texts as one: words that went are in `del`, words that came in `ins`."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    parts: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(str(escape("".join(old[a:b]))))
            continue
        parts += [_tagged("del", old[a:b]), _tagged("ins", new[c:d])]
    return Markup("".join(parts))  # noqa: S704 - every piece of text was escaped


def what_became_of(quote: str, text: str, place: int | None) -> str | None:
    """What stands now where the quote stood: the sentences most like it, or None if nothing is."""
    at = place or 0
    near = text[max(0, at - _NEAR) : at + len(quote) + _NEAR]
    old = [quote[a:b] for a, b in sentence_spans(quote)] or [quote]
    new = [near[a:b] for a, b in sentence_spans(near)]
    found: list[str] = []
    for sentence in old:
        best = max(new, key=lambda each: _likeness(sentence, each), default="")
        if best and _likeness(sentence, best) >= _ALIKE:
            found.append(best)
    return " ".join(dict.fromkeys(found)) or None


def _likeness(one: str, other: str) -> float:
    words, others = one.split(), other.split()
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _ALIKE else 0.0


def _tagged(tag: str, words: Sequence[str]) -> str:
    text = "".join(words)
    if not text.strip():
        return str(escape(text))
    lead = text[: len(text) - len(text.lstrip())]
    return f"{escape(lead)}<{tag}>{escape(text.lstrip())}</{tag}>"
