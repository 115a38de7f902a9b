"""Recognises messages that ask nothing: greetings, thanks, a question mark alone. No expert sees them.

A message is small talk only if all of it is: "Hello! When do I prune raspberries?" has a question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from sourcebook.text.case_and_accents import folded
from sourcebook.text.vocabulary.word_lists import named_lines


class SmallTalk(StrEnum):
    """The kind of a message that asks nothing."""

    GREETING = "greeting"
    THANKS = "thanks"
    """Thanks, agreement, a farewell."""
    NOTHING_ASKED = "nothing_asked"


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_KIND_SIGNS = frozenset("👍🙏❤💛💚💙💜🧡😊🙂😀😃😄😍🥰🤗👌✅🌹💐🎉👏😘🤝💪🔥")


_MOST_WORDS = 12
_BY_PRECEDENCE = (SmallTalk.THANKS, SmallTalk.GREETING, SmallTalk.NOTHING_ASKED)
"""A greeting with thanks counts as thanks; a greeting with "may I ask something?" counts as a greeting."""


def small_talk(message: str) -> SmallTalk | None:
    """The kind of a message that asks nothing; None if it may ask. In English, Russian, Portuguese, Spanish."""
    words = _words(message)
    if not words:
        return (
            SmallTalk.THANKS if _KIND_SIGNS & set(message) and "?" not in message else SmallTalk.NOTHING_ASKED
        )
    if len(words) > _MOST_WORDS:
        return None
    found = _kinds_of(words)
    if not found:
        return None
    return next((kind for kind in _BY_PRECEDENCE if kind in found), None)


def _kinds_of(words: list[str]) -> set[SmallTalk | None]:
    """The kinds of the phrases that the words consist of; none if a word is left over."""
    kinds, longest = _phrases()
    found: set[SmallTalk | None] = set()
    at = 0
    while at < len(words):
        sizes = range(min(longest, len(words) - at), 0, -1)
        size = next((n for n in sizes if tuple(words[at : at + n]) in kinds), 0)
        if not size:
            return set()
        found.add(kinds[tuple(words[at : at + size])])
        at += size
    return found


@cache
def _phrases() -> tuple[Mapping[tuple[str, ...], SmallTalk | None], int]:
    """The kind of each listed phrase, None for a filler, and how many words the longest phrase has."""
    listed = [
        (kind, tuple(_words(phrase)))
        for kind, phrases in named_lines("small_talk.txt")
        for phrase in phrases.split("|")
    ]
    # Where a phrase is of several kinds, the first of these counts.
    kinds: dict[tuple[str, ...], SmallTalk | None] = {said: None for _, said in listed}
    for kind in reversed(_BY_PRECEDENCE):
        kinds |= {said: kind for of_kind, said in listed if of_kind == kind}
    return kinds, max(map(len, kinds))


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(text).replace("’", "'"))
