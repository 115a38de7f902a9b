"""Whether the passages mention what is new in a follow-up: they are found for the question before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.missing.missing_thing import HALF_OF_A_THING
from sourcebook.consult.evidence.passage_surroundings import document_of, said_with_title
from sourcebook.consult.evidence.question_share import held_share
from sourcebook.consult.question.asked_for.asked_thing import asked_thing
from sourcebook.consult.question.asked_for.asked_value import ValueKind, asked_values
from sourcebook.consult.question.asked_for.given_value import gives_value
from sourcebook.consult.question.conversation.follow_up_words import lacks_subject
from sourcebook.consult.question.words.everyday_words import everyday_stems_in
from sourcebook.text.analysis import distinct_terms

if TYPE_CHECKING:
    from sourcebook.consult.evidence.weighed_question import WeighedQuestion
    from sourcebook.model.search import SearchResult


def is_news_missing(
    question: WeighedQuestion, closest: SearchResult, passages: Sequence[SearchResult]
) -> bool:
    """Whether a follow-up asks about something that the document of the closest passage does not mention.

    That document is found for the question before it, whatever is asked next.
    """
    if question.follow_up is None:
        return False
    own = distinct_terms(question.follow_up, question.language) - everyday_stems_in(question.languages)
    weights = {term: weight for term, weight in question.weights.items() if term in own}
    said = [
        f"{passage.chunk.section or ''}\n{said_with_title(passage)}"
        for passage in passages
        if document_of(passage) == document_of(closest)
    ]
    held = [held_share(weights, each, question.language) for each in said]
    if not weights or max(held) >= HALF_OF_A_THING:
        return False
    # "And what does it cost?" has no other word than the one that asks.
    kinds = asked_values(question.follow_up)
    asks_price = ValueKind.MONEY in kinds and len(weights) == 1 and asked_thing(question.follow_up) is None
    # Neither has "quanto tempo dura?", which names nothing: what was found need not say "tempo".
    asks_only_value = asks_price or (bool(kinds) and lacks_subject(question.follow_up, question.language))
    return not (asks_only_value and any(gives_value(each, kinds, question.follow_up) for each in said))
