"""Decides whether a question is answered or declined, by the weighted sum of a few numbers.

The weights are in `judge_weights.toml`; the verdict has each number and what it contributed. A question in a language
that the base does not have is decided by vectors alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.judge_weights import judge_weights
from sourcebook.consult.evidence.missing.missing_count import is_count_missing
from sourcebook.consult.evidence.missing.missing_form import SoughtForm
from sourcebook.consult.evidence.missing.missing_names import (
    is_name_unknown,
    is_number_missing,
    is_place_missing,
    names_found,
    without_days_of,
)
from sourcebook.consult.evidence.missing.missing_news import is_news_missing
from sourcebook.consult.evidence.missing.missing_thing import missing_thing
from sourcebook.consult.evidence.missing.missing_word import is_word_nowhere
from sourcebook.consult.evidence.passage_surroundings import (
    document_of,
    is_news,
    last_heading,
    said_with_title,
)
from sourcebook.consult.evidence.question_share import held_share
from sourcebook.consult.evidence.same_text import is_same_text
from sourcebook.consult.question.asked_for.asks_about import asks_about
from sourcebook.consult.question.asked_for.kinds import QuestionKind, kinds_of
from sourcebook.consult.question.asked_for.situation import asks_what_to_do, names_situation
from sourcebook.consult.question.asked_for.wanted_form import wanted_form
from sourcebook.consult.question.words.foreign_names import ForeignNames

if TYPE_CHECKING:
    from sourcebook.consult.evidence.acceptance import Judgement
    from sourcebook.consult.evidence.weighed_question import WeighedQuestion
    from sourcebook.model.answer_thresholds import AcceptanceFacts
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import SearchResult

JUDGED_BY_WORDS = "words_and_meaning"
JUDGED_BY_MEANING = "meaning"
_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.+)$")
_DIGITS = 4
_TOLD_FARTHER_ON = 0.25

_NEARLY = 1.75
"""How far below the threshold is nearly accepted. Half of our questions declined within it had their answer in the
closest excerpt; of those declined by more, one in eight."""

_MANY = 5000
"""In a base of so many passages, the score of the first result grows no more."""

JudgedPassage = tuple["SearchResult", "Judgement"]


@dataclass(frozen=True, slots=True)
class QuestionVerdict:
    """The decision, the numbers behind it, and what each contributes to the score.

    `is_sure`: the vectors alone are enough, whatever the score.
    """

    score: float
    needed: float
    is_sure: bool = False
    by: str = JUDGED_BY_WORDS
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])
    shares: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def is_accepted(self) -> bool:
        return self.is_sure or self.score >= self.needed

    @property
    def is_nearly_accepted(self) -> bool:
        """Whether the passages are worth showing to a reader, even if they are not sure to answer."""
        return self.is_accepted or self.score >= self.needed - _NEARLY

    def as_details(self) -> dict[str, JsonValue]:
        """The verdict for the details of an answer."""
        return {
            "accepted": self.is_accepted,
            "by": self.by,
            "score": round(self.score, _DIGITS),
            "needed": round(self.needed, _DIGITS),
            "sure": self.is_sure,
            "numbers": {
                name: {"value": round(value, _DIGITS), "share": round(self.shares[name], _DIGITS)}
                for name, value in self.numbers.items()
            },
        }


NOTHING_FOUND = QuestionVerdict(-math.inf, 0.0)


def verdict_on(
    question: WeighedQuestion,
    passages: Sequence[JudgedPassage],
    facts: AcceptanceFacts,
    *,
    is_foreign: bool = False,
    is_held: bool = False,
) -> QuestionVerdict:
    """Whether these passages answer the question.

    `is_foreign`: the nearest passage is in another language than the question. If words do not accept it (languages are
    sometimes mistaken), vectors decide. `is_held`: the base also has the language of the question. Then the form that
    is asked for must be there, and a small base needs no less than a large one.
    """
    if not passages:
        return NOTHING_FOUND
    numbers = numbers_of(question, passages)
    score, shares = _weighed(judge_weights().question, numbers)
    is_sure = _nearest(passages) >= facts.sure_similarity and not numbers["news_missing"]
    by_words = QuestionVerdict(score, facts.needed, is_sure, JUDGED_BY_WORDS, numbers, shares)
    if not is_foreign or by_words.is_accepted:
        return by_words
    meaning = meaning_of(question.text, passages)
    meaning["form_missing"] = float(is_held and _is_form_missing_nearby(question, passages))
    meaning["names_missing"] = 1.0 - meaning["names_met"] if is_held else 0.0
    score, shares = _weighed(judge_weights().across, meaning)
    needed = judge_weights().across["needed"] if is_held else needed_across(question.counts.rows)
    # Calibrated thresholds are for words. Here the vectors alone must be enough.
    return QuestionVerdict(score, needed, score >= needed, JUDGED_BY_MEANING, meaning, shares)


def numbers_of(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> dict[str, float]:
    """The numbers that are weighed, by their names in `judge_weights.toml`."""
    closest, judgement = max(passages, key=lambda passage: passage[1].score)
    others = [j.score for p, j in passages if _is_another_text(p, closest)]
    found = [passage for passage, _ in passages]
    rest = without_days_of(closest, found, question)
    form = SoughtForm(question.asked_now, question.weights, found, question.language)
    smallness = _smallness(question.counts.rows)
    return {
        "share": judgement.share,
        "sentence_share": judgement.sentence_share,
        "bare_share": judgement.bare_share,
        "similarity": _nearest(passages),
        "gap": judgement.score - max(others) if others else judge_weights().usual["gap"],
        "names_found": names_found(rest.text, said_with_title(closest)),
        "number_missing": float(is_number_missing(rest.text, closest)),
        "score": _even_score(passages, question.counts.rows),
        "agreement": _agreement(passages),
        "unknown": _unknown(question),
        "name_unknown": float(is_name_unknown(rest)),
        "place_missing": float(is_place_missing(rest, closest, found)),
        "thing_missing": missing_thing(question, closest, found),
        "form_missing": _form_missing(form),
        "count_missing": float(is_count_missing(question.asked_now, found)),
        "plainly_told": float(not form.is_missing and form.is_plainly_told),
        "situation_named": float(_is_situation_named(question, closest)),
        "news_missing": float(is_news_missing(question, closest, found)),
        "only_news": float(is_news(closest) and not asks_about(question.text, "news")),
        "small_base": smallness,
        "word_nowhere": _missing_word(question, rest, found),
    }


def _is_another_text(passage: SearchResult, closest: SearchResult) -> bool:
    """Whether a passage is of another document that is no copy or translation of this one."""
    return document_of(passage) != document_of(closest) and not is_same_text(closest, passage)


def _smallness(rows: int) -> float:
    """Nearly 1 for a base of a few passages, 0 for a larger one: among a few, one is seldom close by chance."""
    return max(0.0, 1.0 - rows / judge_weights().prior["small_passages"]) if rows else 0.0


def needed_across(rows: int) -> float:
    """The threshold for a question in another language, in a base of so many passages.

    It is lower in a small base, where the nearest passage is seldom near by chance.
    """
    weights = judge_weights().across
    small = weights["needed_of_one"] + weights["needed_more"] * math.log(max(1, rows))
    return min(weights["needed"], small)


def nearness(question: str, passages: Sequence[JudgedPassage]) -> list[float]:
    """How near each passage is to a question in another language: by its vector, and by shared names."""
    wanted, bonus = ForeignNames(question), judge_weights().across["names_bonus"]
    return [judgement.similarity + bonus * (_names_met(wanted, p) or 0.0) for p, judgement in passages]


def meaning_of(question: str, passages: Sequence[JudgedPassage]) -> dict[str, float]:
    """The numbers without words: from vectors, and from names by their sound."""
    near, weights = nearness(question, passages), judge_weights().across
    first = max(range(len(passages)), key=lambda place: near[place])
    nearest, judgement = passages[first]
    others = [
        n
        for n, (p, _) in zip(near, passages, strict=True)
        if p.score_breakdown.semantic_score is not None and _is_another_text(p, nearest)
    ]
    met = _names_met(ForeignNames(question), nearest)
    return {
        "similarity": judgement.similarity,
        "gap": near[first] - max(others) if others else weights["usual_gap"],
        "names_met": weights["usual_names_met"] if met is None else met,
    }


def _names_met(wanted: ForeignNames, passage: SearchResult) -> float | None:
    return wanted.met_by(said_with_title(passage))


def _weighed(weights: Mapping[str, float], numbers: Mapping[str, float]) -> tuple[float, dict[str, float]]:
    shares = {name: weights[name] * value for name, value in numbers.items()}
    return weights["intercept"] + sum(shares.values()), shares


def _nearest(passages: Sequence[JudgedPassage]) -> float:
    compared = [
        p.score_breakdown.semantic_score for p, _ in passages if p.score_breakdown.semantic_score is not None
    ]
    return max(compared) if compared else judge_weights().usual["similarity"]


def _even_score(passages: Sequence[JudgedPassage], rows: int) -> float:
    """The score of the first result, made comparable between bases of different size.

    For several collections, or without vectors, scores are not comparable, so the usual one is taken.
    """
    first = passages[0][0]
    is_fused = any(p.score_breakdown.semantic_score is not None for p, _ in passages)
    if not is_fused or any(p.collection_id != first.collection_id for p, _ in passages):
        return judge_weights().usual["score"]
    return first.score / max(1.0, math.log(1 + min(rows, _MANY)))


def _agreement(passages: Sequence[JudgedPassage]) -> float:
    """The share of equal pairs among the first result, the closest passage, and the one with the nearest vector."""
    closest = max(range(len(passages)), key=lambda place: passages[place][1].score)
    nearest = max(range(len(passages)), key=lambda place: passages[place][1].similarity)
    return ((closest == nearest) + (closest == 0) + (nearest == 0)) / 3


def _unknown(question: WeighedQuestion) -> float:
    """The share of the question's weight on words that the base lacks; it counts less in a small base."""
    total = sum(question.weights.values())
    if not total:
        return 0.0
    held = question.counts.passages
    missing = sum(weight for term, weight in question.weights.items() if not held.get(term)) / total
    return missing * question.counts.rows / (question.counts.rows + judge_weights().prior["unknown_passages"])


def _missing_word(
    question: WeighedQuestion, rest: WeighedQuestion, passages: Sequence[SearchResult]
) -> float:
    """How surely a word without which there is no answer is missing: in a small base any, in each base a name.

    "Can it use Brotli?" is not answered by a base that never says "Brotli".
    """
    if QuestionKind.PERMISSION in kinds_of(question.asked_now) and is_name_unknown(rest):
        return 1.0
    smallness = _smallness(question.counts.rows)
    return smallness * is_word_nowhere(question, passages) if smallness else 0.0


def _form_missing(form: SoughtForm) -> float:
    """How much a form that is missing beside what is asked about is held against the passages."""
    if not form.is_missing:
        return 0.0
    return _TOLD_FARTHER_ON if form.is_told_farther_on else 1.0


def _is_form_missing_nearby(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> bool:
    """Whether the nearest passage, in any language, lacks the wanted form: a price, a day."""
    gives = wanted_form(question.asked_now, None)
    nearest, _ = max(passages, key=lambda passage: passage[1].similarity)
    return gives is not None and not gives(nearest.chunk.content)


def _is_situation_named(question: WeighedQuestion, closest: SearchResult) -> bool:
    """Whether the question asks what to do if something happens, and a heading of the closest passage is about that.

    One word of the question in such a heading is enough, because the event can be put in many ways.
    """
    if not asks_what_to_do(question.text):
        return False
    headings = [
        last_heading(closest.chunk),
        *(found[1] for found in _HEADING.finditer(closest.chunk.content)),
    ]
    return any(
        names_situation(heading) and held_share(question.weights, heading, question.language) > 0
        for heading in headings
    )
