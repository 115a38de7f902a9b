"""What a conversation is about: the question that the next follow-up is completed with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.consult.question.asking_part import asking_part
from sourcebook.consult.question.conversation.follow_up_words import (
    content_words,
    names_something,
    points_back,
    says_something,
)
from sourcebook.model.chat import Role, Tier
from sourcebook.text.analysis import words
from sourcebook.text.stems import stem_words

if TYPE_CHECKING:
    from sourcebook.model.chat import ChatMessage

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """A question of the conversation and what became of it, as far as that is known."""

    question: str
    searched: str | None = None
    """The wording that was answered; None if it was declined, or if the conversation is kept elsewhere."""
    answer: str = ""

    @property
    def stood_alone(self) -> bool:
        """Whether it was answered without the questions before it."""
        return self.searched == asking_part(self.question.strip())


@dataclass(frozen=True, slots=True)
class ConversationTopic:
    """A full question, and the follow-up that last added something to it."""

    question: str
    added: str | None = None
    answer: str = ""
    """What was answered to the question."""

    @property
    def wordings(self) -> list[str]:
        """The topic with what was added, and without it, in the order to try them."""
        return [self.question] if self.added is None else [f"{self.question} {self.added}", self.question]


def turns_of(history: Iterable[ChatMessage]) -> list[PastQuestion]:
    """The questions of a conversation, each with the answer that follows it."""
    turns: list[PastQuestion] = []
    is_open = False
    for message in history:
        if message.role is Role.USER:
            turns.append(PastQuestion(message.content))
            is_open = True
        elif is_open and message.role is Role.ASSISTANT:
            turns[-1] = _answered(turns[-1], message)
            is_open = False
    return turns


def _answered(turn: PastQuestion, message: ChatMessage) -> PastQuestion:
    searched = message.details.get("searched")
    if message.tier in (None, Tier.NONE) or not isinstance(searched, str):
        return turn
    return replace(turn, searched=searched, answer=message.content)


def topic_of(turns: Sequence[PastQuestion], language: str | None) -> ConversationTopic | None:
    """The topic after these turns.

    A question that stands on its own begins a topic; so does a short one that was answered by itself. A follow-up that
    was answered may change the subject. One that was declined changes nothing.
    """
    topic: ConversationTopic | None = None
    for turn in turns:
        if topic is None:
            topic = ConversationTopic(turn.searched or turn.question, answer=turn.answer)
        elif not points_back(turn.question, language):
            topic = ConversationTopic(turn.question, answer=turn.answer)
        elif turn.stood_alone:
            # "Until when?" may have been answered by itself, but says nothing that could be completed with.
            if says_something(turn.question, language):
                topic = ConversationTopic(turn.question, answer=turn.answer)
        elif turn.searched is not None and names_something(turn.question, language):
            topic = _followed(topic, turn, language)
    return topic


def subject_of(question: str, language: str | None) -> str:
    """What a question is about, without what it asks: "half plot" of "how much does a half plot cost?"."""
    places = [found.span() for found in _WORD.finditer(question) if says_something(found[0], language)]
    return question[places[0][0] : places[-1][1]] if places else question


def _followed(topic: ConversationTopic, turn: PastQuestion, language: str | None) -> ConversationTopic:
    """The topic after "and the double bass?": its subject is replaced, or the follow-up is added.

    What the answer before said of the question and this answer does not say was replaced: "cello", but not "month".
    """
    said = _stems_in(turn.answer, language)
    own = stem_words(content_words(turn.question, language), language)
    if said.isdisjoint(own):
        return topic
    before = _stems_in(topic.answer, language)
    gone = {stem for stem in _content_stems(topic.question, language) if stem in before and stem not in said}
    replaced = _with_subject(topic.question, turn.question, gone, language) if gone else None
    if replaced is None:
        return replace(topic, added=turn.question)
    return ConversationTopic(replaced, topic.added, turn.answer)


def _with_subject(question: str, follow_up: str, gone: set[str], language: str | None) -> str | None:
    """The question about what the follow-up names; None if the words that are gone do not stand together."""
    old = _span(question, language, gone.__contains__)
    new = _span(follow_up, language, lambda _: True)
    if old is None or new is None:
        return None
    inside = _content_stems(question[slice(*old)], language)
    if not inside <= gone:
        return None
    return f"{question[: old[0]]}{follow_up[slice(*new)]}{question[old[1] :]}"


def _span(text: str, language: str | None, is_wanted: Callable[[str], bool]) -> tuple[int, int] | None:
    """From the first to the last content word whose stem is wanted."""
    places = [
        found.span()
        for found in _WORD.finditer(text)
        if any(map(is_wanted, _content_stems(found[0], language)))
    ]
    return (places[0][0], places[-1][1]) if places else None


def _content_stems(text: str, language: str | None) -> set[str]:
    return set(stem_words(content_words(text, language), language))


def _stems_in(text: str, language: str | None) -> set[str]:
    return set(stem_words(words(text), language))
