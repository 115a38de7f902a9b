"""Is a question answered or declined? Decided once, for the question as a whole, by a few weighed numbers.

Each number can be read and has its weight in `judge_weights.toml`; what each adds to the decision is part of the
verdict. A question in a language that the base does not hold is decided by its vectors alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sourcebook.consult.evidence import missing_form
from sourcebook.consult.evidence.judge_weights import judge_weights
from sourcebook.consult.evidence.missing_word import is_word_nowhere
from sourcebook.consult.evidence.passage_surroundings import document_of, last_heading
from sourcebook.consult.evidence.question_share import held_share, held_terms, weight_of
from sourcebook.consult.evidence.same_text import is_same_text
from sourcebook.consult.question.asked_thing import asked_thing
from sourcebook.consult.question.asked_value import ValueKind, asked_values
from sourcebook.consult.question.everyday_words import everyday_stems_in
from sourcebook.consult.question.foreign_names import ForeignNames
from sourcebook.consult.question.given_value import gives_value
from sourcebook.consult.question.named_days import days_of_rows, named_days, without_days
from sourcebook.consult.question.situation import asks_what_to_do, names_situation
from sourcebook.consult.question.wanted_form import wanted_form
from sourcebook.consult.support.support_check import names
from sourcebook.text.analysis import distinct_terms, words
from sourcebook.text.numbers import quantities
from sourcebook.text.question_words import words_of_a_kind
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.stems import stem_words
from sourcebook.text.stopwords import asking_words, stop_words

if TYPE_CHECKING:
    from sourcebook.consult.evidence.acceptance import Judgement
    from sourcebook.model.answer_thresholds import AcceptanceFacts
    from sourcebook.model.asked_collection import WordCounts
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import SearchResult

JUDGED_BY_WORDS = "words_and_meaning"
JUDGED_BY_MEANING = "meaning"
_SHORTEST_INFLECTED = 4
_LONGEST_ENDING = 2
_SHORTEST_NAME = 3
_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.+)$")
_DIGITS = 4
_DIGITS_IN_A_ROW = re.compile(r"\d+")
_HALF_OF_A_THING = 0.45
"""A little less than half: rare words weigh more, and the rarer of two may be the one that is missing."""

_ONLY_TITLED = 0.25
_MOST_TITLED = 0.55
"""A question that is mostly about what a title says may well be answered below it."""

_NEARLY = 1.75
"""Of our questions that were declined by no more than this, half had their answer in the excerpt that came closest; of
all that were declined by more, with or without an answer, one in eight."""

JudgedPassage = tuple["SearchResult", "Judgement"]


@dataclass(frozen=True, slots=True)
class QuestionVerdict:
    """The decision, the numbers behind it and what each of them adds to the score.

    `is_sure` says that the vectors alone are enough, whatever score is needed.
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
        """Whether a reader may want to see what was found, though it is no answer that can be vouched for."""
        return self.is_accepted or self.score >= self.needed - _NEARLY

    def told(self) -> dict[str, JsonValue]:
        """For `details`: the decision, and of each number its value and its share in the score."""
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


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """A question, what each of its words tells, and how many passages of the base hold each."""

    text: str
    weights: Mapping[str, float]
    counts: WordCounts
    language: str | None = None
    """By which its words are compared; None if each passage tells its own."""
    languages: Sequence[str | None] = ()
    """Those in which its words were counted."""
    follow_up: str | None = None
    """What was asked now, if the text is that and the question before it."""

    @property
    def asked_now(self) -> str:
        return self.follow_up or self.text


def verdict_on(
    question: WeighedQuestion,
    passages: Sequence[JudgedPassage],
    facts: AcceptanceFacts,
    *,
    is_foreign: bool = False,
    is_held: bool = False,
) -> QuestionVerdict:
    """Whether these passages answer the question.

    `is_foreign`: the nearest passage is in another language than the question. Its words may still decide, for a
    language is sometimes taken for another; else its vectors do. `is_held`: the base holds the language of the question
    as well, so that the form that is asked for must be there, and a small base needs no less than a large one.
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
    score, shares = _weighed(judge_weights().across, meaning)
    needed = judge_weights().across["needed"] if is_held else needed_across(question.counts.rows)
    # A calibrated threshold is about words; here the vectors alone must be enough, or they are not.
    return QuestionVerdict(score, needed, score >= needed, JUDGED_BY_MEANING, meaning, shares)


def numbers_of(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> dict[str, float]:
    """What the judge weighs, under the names that the file of weights explains."""
    closest, judgement = max(passages, key=lambda passage: passage[1].score)
    others = [j.score for p, j in passages if _is_another_text(p, closest)]
    rest = _without_days_of(closest, passages, question)
    is_form_missing = _is_form_missing(question, passages)
    smallness = _smallness(question.counts.rows)
    return {
        "share": judgement.share,
        "sentence_share": judgement.sentence_share,
        "bare_share": judgement.bare_share,
        "similarity": _nearest(passages),
        "gap": judgement.score - max(others) if others else judge_weights().usual["gap"],
        "names_found": names_found(rest.text, _said_with_title(closest)),
        "number_missing": float(_is_number_missing(rest.text, closest)),
        "score": _even_score(passages, question.counts.rows),
        "agreement": _agreement(passages),
        "unknown": _unknown(question),
        "name_unknown": float(_is_name_unknown(rest)),
        "thing_missing": _missing_thing(question, closest, passages),
        "form_missing": float(is_form_missing),
        "count_missing": float(missing_form.is_count_missing(question.asked_now, [p for p, _ in passages])),
        "plainly_told": float(not is_form_missing and _is_plainly_told(question, passages)),
        "situation_named": float(_is_situation_named(question, closest)),
        "news_missing": float(_is_news_missing(question, closest, passages)),
        "small_base": smallness,
        "word_nowhere": smallness * is_word_nowhere(question, [p for p, _ in passages]) if smallness else 0.0,
    }


def _is_another_text(passage: SearchResult, closest: SearchResult) -> bool:
    """Whether a passage is of another document that is no copy or translation of this one."""
    return document_of(passage) != document_of(closest) and not is_same_text(closest, passage)


def _without_days_of(
    closest: SearchResult, passages: Sequence[JudgedPassage], question: WeighedQuestion
) -> WeighedQuestion:
    """The question without a day that the closest passage or any row names: neither number nor month is missing."""
    wanted = named_days(question.text)
    if not wanted:
        return question
    is_named = wanted <= named_days(closest.chunk.content) or any(
        wanted <= days_of_rows(passage.chunk.content) for passage, _ in passages
    )
    return replace(question, text=without_days(question.text)) if is_named else question


def _smallness(rows: int) -> float:
    """Nearly one in a base of a few passages, none in a larger one: of a few, one seldom comes close by chance."""
    return max(0.0, 1.0 - rows / judge_weights().prior["small_passages"]) if rows else 0.0


def needed_across(rows: int) -> float:
    """What a question in another language needs in a base of so many passages.

    The nearest of a few passages is seldom near by chance, so that a small base needs less.
    """
    weights = judge_weights().across
    small = weights["needed_of_one"] + weights["needed_more"] * math.log(max(1, rows))
    return min(weights["needed"], small)


def nearness(question: str, passages: Sequence[JudgedPassage]) -> list[float]:
    """How near each passage is to a question in another language: by its vector, and by the names that both hold."""
    wanted, bonus = ForeignNames(question), judge_weights().across["names_bonus"]
    return [judgement.similarity + bonus * (_names_met(wanted, p) or 0.0) for p, judgement in passages]


def meaning_of(question: str, passages: Sequence[JudgedPassage]) -> dict[str, float]:
    """What can be told without words: the vectors, and names as they sound."""
    near, weights = nearness(question, passages), judge_weights().across
    first = max(range(len(passages)), key=lambda place: near[place])
    nearest, judgement = passages[first]
    others = [n for n, (p, _) in zip(near, passages, strict=True) if _is_another_text(p, nearest)]
    met = _names_met(ForeignNames(question), nearest)
    return {
        "similarity": judgement.similarity,
        "gap": near[first] - max(others) if others else weights["usual_gap"],
        "names_met": weights["usual_names_met"] if met is None else met,
    }


def _names_met(wanted: ForeignNames, passage: SearchResult) -> float | None:
    return wanted.met_by(_said_with_title(passage))


def _said_with_title(passage: SearchResult) -> str:
    return f"{passage.document_title or ''}\n{passage.chunk.content}"


def _is_number_missing(question: str, closest: SearchResult) -> bool:
    """Whether the question says a number, such as a year, that the closest passage does not."""
    wanted = {quantity.value for quantity in quantities(question)}
    if not wanted:
        return False
    said = f"{closest.chunk.section or ''}\n{_said_with_title(closest)}"
    missing = wanted - {quantity.value for quantity in quantities(said)}
    # The year of a date and the "2" of "v2" are numbers that are said, too.
    return bool(missing) and not missing <= set(_DIGITS_IN_A_ROW.findall(said))


def names_found(question: str, text: str) -> float:
    """Which part of the names and numbers in a question the text holds; all of them if it has none."""
    # In capitals every word looks like a name.
    named = [] if question.isupper() else [part for name in names(question) for part in words(name)]
    wanted = [*named, *(quantity.value for quantity in quantities(question))]
    if not wanted:
        return 1.0
    held = set(words(text))
    missing = [word for word in wanted if word not in held and not _has_form(word, held)]
    # What is counted in words, or with a mark inside, is looked for only where it matters.
    counted = {quantity.value for quantity in quantities(text)} if missing else ()
    return (len(wanted) - sum(word not in counted for word in missing)) / len(wanted)


def _has_form(name: str, held: set[str]) -> bool:
    """Whether another form of a name is there: the same but for an ending. A number is never like another."""
    if name.isdigit() or len(name) <= _SHORTEST_INFLECTED:
        return False
    beginning = name[: max(_SHORTEST_INFLECTED, len(name) - _LONGEST_ENDING)]
    return any(word.startswith(beginning) and len(word) <= len(name) + _LONGEST_ENDING for word in held)


def _weighed(weights: Mapping[str, float], numbers: Mapping[str, float]) -> tuple[float, dict[str, float]]:
    shares = {name: weights[name] * value for name, value in numbers.items()}
    return weights["intercept"] + sum(shares.values()), shares


def _nearest(passages: Sequence[JudgedPassage]) -> float:
    compared = [
        p.score_breakdown.semantic_score for p, _ in passages if p.score_breakdown.semantic_score is not None
    ]
    return max(compared) if compared else judge_weights().usual["similarity"]


def _even_score(passages: Sequence[JudgedPassage], rows: int) -> float:
    """The score of the first result, made comparable: it grows with the base.

    Scores of several collections, and those of words without vectors, are of another kind.
    """
    first = passages[0][0]
    is_fused = any(p.score_breakdown.semantic_score is not None for p, _ in passages)
    if not is_fused or any(p.collection_id != first.collection_id for p, _ in passages):
        return judge_weights().usual["score"]
    return first.score / max(1.0, math.log(1 + rows))


def _agreement(passages: Sequence[JudgedPassage]) -> float:
    """How many of three pairs agree: the first result, the closest passage, the one with the nearest vector."""
    closest = max(range(len(passages)), key=lambda place: passages[place][1].score)
    nearest = max(range(len(passages)), key=lambda place: passages[place][1].similarity)
    return ((closest == nearest) + (closest == 0) + (nearest == 0)) / 3


def _unknown(question: WeighedQuestion) -> float:
    """Which part of the question's weight is on words that the base holds nowhere. A small base lacks most words."""
    total = sum(question.weights.values())
    if not total:
        return 0.0
    held = question.counts.passages
    missing = sum(weight for term, weight in question.weights.items() if not held.get(term)) / total
    return missing * question.counts.rows / (question.counts.rows + judge_weights().prior["unknown_passages"])


def _is_name_unknown(question: WeighedQuestion) -> bool:
    """Whether the question names something that the base holds nowhere, however small it is."""
    if question.text.isupper() or not question.counts.rows:
        return False
    languages = question.languages or (question.language,)
    idle = frozenset[str]().union(*map(stop_words, languages), *map(asking_words, languages))
    return any(
        len(word) >= _SHORTEST_NAME and word not in idle and not _is_known(word, languages, question.counts)
        for name in names(question.text)
        for word in words(name)
    )


def _is_known(word: str, languages: Sequence[str | None], counts: WordCounts) -> bool:
    return any(counts.passages.get(stem_words([word], language)[0]) for language in languages)


def _is_thing_missing(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> bool:
    """Whether a question asks about a thing, and no sentence that was found names it.

    Of several words that name it, half must be there. A sentence counts with the heading right above it. The title of
    its document counts only where a page may be about the thing: everything in a museum's page is about the museum.
    """
    thing = asked_thing(question.asked_now)
    if thing is None:
        return False
    wanted = distinct_terms(thing.words, question.language)
    weights = {term: weight for term, weight in question.weights.items() if term in wanted}
    if not weights:
        return False
    head = thing.head(question.language) if thing.is_of_a_page else None
    needed = distinct_terms(head or "", question.language).intersection(weights)
    told = (
        _named(weights, said, question.language)
        for passage, _ in passages
        for said in _told_terms(passage, question.language, with_title=thing.is_of_a_page)
    )
    return not any(needed <= named and weight_of(named, weights) >= _HALF_OF_A_THING for named in told)


def _missing_thing(
    question: WeighedQuestion, closest: SearchResult, passages: Sequence[JudgedPassage]
) -> float:
    """One if the thing that is asked about is named nowhere; less if only a title may name it."""
    if _is_thing_missing(question, passages):
        return 1.0
    return _ONLY_TITLED if _is_only_titled(question, closest) else 0.0


def _is_only_titled(question: WeighedQuestion, closest: SearchResult) -> bool:
    """Whether the closest passage holds nothing of the question but what the title of its document says anyway.

    Everything in the rules of a club is about the club: that does not tell how to leave it. Names tell more.
    """
    if names(question.text):
        return False
    everyday = everyday_stems_in(question.languages)
    weights = {term: weight for term, weight in question.weights.items() if term not in everyday}
    titled = held_terms(
        weights, distinct_terms(closest.document_title or "", question.language), question.language
    )
    if not titled or weight_of(titled, weights) > _MOST_TITLED:
        return False
    said = f"{closest.chunk.section or ''}\n{closest.chunk.content}"
    return held_terms(weights, distinct_terms(said, question.language), question.language) <= titled


def _named(weights: Mapping[str, float], said: frozenset[str], language: str | None) -> set[str]:
    """The terms that are said, or of which a kind is, or what they are a kind of: pets for a dog."""
    kinds = words_of_a_kind()
    named = held_terms(weights, said, language)
    return named | {term for term in weights if term in kinds and kinds[term] & said}


def _is_form_missing(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> bool:
    return missing_form.is_form_missing(
        question.asked_now, question.weights, [p for p, _ in passages], question.language
    )


def _is_form_missing_nearby(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> bool:
    """Whether the nearest passage, in whichever language, lacks the form that an answer has: a price, a day."""
    gives = wanted_form(question.asked_now, None)
    nearest, _ = max(passages, key=lambda passage: passage[1].similarity)
    return gives is not None and not gives(nearest.chunk.content)


def _is_plainly_told(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> bool:
    return missing_form.is_plainly_told(
        question.asked_now, question.weights, [p for p, _ in passages], question.language
    )


def _is_situation_named(question: WeighedQuestion, closest: SearchResult) -> bool:
    """Whether it is asked what to do if something happens, and a heading of the closest passage is about that.

    One word of the question in such a heading is enough: what happens is said in many ways.
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


def _is_news_missing(
    question: WeighedQuestion, closest: SearchResult, passages: Sequence[JudgedPassage]
) -> bool:
    """Whether a follow-up asks about something that was not found in the document of the closest passage.

    The question before it was answered there, and would be so again, whatever is asked next.
    """
    if question.follow_up is None:
        return False
    own = distinct_terms(question.follow_up, question.language) - everyday_stems_in(question.languages)
    weights = {term: weight for term, weight in question.weights.items() if term in own}
    said = [
        f"{passage.chunk.section or ''}\n{_said_with_title(passage)}"
        for passage, _ in passages
        if document_of(passage) == document_of(closest)
    ]
    held = [held_share(weights, each, question.language) for each in said]
    if not weights or max(held) >= _HALF_OF_A_THING:
        return False
    # "And what does it cost?" names nothing but what it asks for.
    kinds = asked_values(question.follow_up)
    asks_price = ValueKind.MONEY in kinds and len(weights) == 1 and asked_thing(question.follow_up) is None
    return not (asks_price and any(gives_value(each, kinds, question.follow_up) for each in said))


def _told_terms(
    passage: SearchResult, language: str | None, *, with_title: bool = False
) -> Iterator[frozenset[str]]:
    """The terms of each sentence with the heading right above it, and with the title of its document if it counts."""
    content = passage.chunk.content
    section = last_heading(passage.chunk)
    above = frozenset[str]()
    if with_title:
        above = distinct_terms(f"{passage.document_title or ''}\n{section}", language)
    elif section != passage.document_title:
        above = distinct_terms(section, language)
    for start, end in sentence_spans(content):
        yield above | distinct_terms(content[start:end], language)
