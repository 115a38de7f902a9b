"""Completes follow-up questions such as "and when in spring?" from the conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.question.conversation.conversation_topic import PastQuestion, subject_of, topic_of
from sourcebook.consult.question.conversation.follow_up_words import (
    has_pointer,
    lacks_subject,
    names_something,
    points_back,
    says_what_is_there,
)
from sourcebook.text.analysis import words

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue

_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)


def wordings(question: str, earlier: Sequence[PastQuestion], language: str | None) -> list[str]:
    """The wordings to search for, in the order to try them.

    A question that points back, or names no subject, is searched with the topic. A short one may be complete, so it is
    tried alone first; one that only has "there" is tried alone last, if it says enough.
    """
    whole = completed(question, earlier, language)
    if whole == [question]:
        return whole
    if not has_pointer(question):
        return whole if lacks_subject(question, language) else [question, *whole]
    return [*whole, question] if says_what_is_there(question, language) else whole


def follow_up_details(
    asked: str, tried: Sequence[str], earlier: Sequence[PastQuestion], language: str | None
) -> dict[str, JsonValue]:
    """What an expert has to know of a question in a conversation: the one before it, and both as one question.

    `whole_question` was searched first, because the question needs the one before. `in_conversation` is what it may
    mean all the same: "how many people can join?" is complete, and may ask about the day before it.
    """
    is_whole = tried[0] == asked
    topic = topic_of(earlier, language) if is_whole and len(tried) == 1 else None
    both = tried[1] if len(tried) > 1 else None if topic is None else f"{topic.question} {asked}"
    return {
        "asked_after": earlier[-1].question if earlier else None,
        "whole_question": None if is_whole else tried[0],
        "in_conversation": both if is_whole else None,
    }


def completed(question: str, earlier: Sequence[PastQuestion], language: str | None) -> list[str]:
    """The question with the topic of the conversation, if it may refer to that: the likelier wording first."""
    # A question in another script starts a new subject. Digits have no script, and one word may be a name: "VPN?".
    if any(map(str.isalpha, question)) and len(words(question)) > 1:
        earlier = [turn for turn in earlier if _is_cyrillic(turn.question) == _is_cyrillic(question)]
    if not earlier or not points_back(question, language):
        return [question]
    topic = topic_of(earlier, language)
    if topic is None:
        return [question]
    if lacks_subject(question, language) and not has_pointer(question):
        # What else was asked of the subject, such as its price, would only be in the way.
        return [f"{subject_of(topic.question, language)} {question}"]
    # "And the harp?" takes the place of what another follow-up added.
    bases = [topic.question] if names_something(question, language) else topic.wordings
    return [f"{base} {question}" for base in bases]


def _is_cyrillic(text: str) -> bool:
    return _CYRILLIC.search(text) is not None
