"""Decides whether a question is answered or declined, by the weighted sum of a few numbers.

The weights are in `judge_weights.toml`; the verdict has each number and what it contributed. A question in a language
that the base does not have is decided by vectors alone.
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
from sourcebook.consult.evidence.passage_surroundings import asks_news, document_of, is_news, last_heading
from sourcebook.consult.evidence.question_share import held_share, held_terms, weight_of
from sourcebook.consult.evidence.same_text import is_same_text
from sourcebook.consult.question.asked_thing import asked_thing
from sourcebook.consult.question.asked_value import ValueKind, asked_values
from sourcebook.consult.question.everyday_words import everyday_stems_in
from sourcebook.consult.question.follow_up_words import lacks_subject
from sourcebook.consult.question.foreign_names import ForeignNames
from sourcebook.consult.question.given_value import gives_value
from sourcebook.consult.question.kinds import QuestionKind, kinds_of
from sourcebook.consult.question.named_days import days_of_rows, named_days, without_days
from sourcebook.consult.question.situation import asks_what_to_do, names_situation
from sourcebook.consult.question.wanted_form import wanted_form
from sourcebook.consult.support.support_check import names
from sourcebook.text.analysis import distinct_terms, words
from sourcebook.text.numbers import quantities
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.question_words import words_of_a_kind
from sourcebook.text.vocabulary.stopwords import asking_words, stop_words

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
"""A little less than half, because the missing one of two words may be the rarer one, which weighs more."""

_ONLY_TITLED = 0.25
_TOLD_FARTHER_ON = 0.25
_MOST_TITLED = 0.55
"""If more of a question is in the title, it may well be answered below it."""

_NEARLY = 1.75
"""How far below the threshold is nearly accepted. Half of our questions declined within it had their answer in the
closest excerpt; of those declined by more, one in eight."""

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


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """A question, the weights of its words, and how many passages of the base have each."""

    text: str
    weights: Mapping[str, float]
    counts: WordCounts
    language: str | None = None
    """The language in which its words are compared; None for that of each passage."""
    languages: Sequence[str | None] = ()
    """The languages in which its words were counted."""
    follow_up: str | None = None
    """The follow-up alone, if the text is that with the question before it."""

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
    score, shares = _weighed(judge_weights().across, meaning)
    needed = judge_weights().across["needed"] if is_held else needed_across(question.counts.rows)
    # Calibrated thresholds are for words. Here the vectors alone must be enough.
    return QuestionVerdict(score, needed, score >= needed, JUDGED_BY_MEANING, meaning, shares)


def numbers_of(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> dict[str, float]:
    """The numbers that are weighed, by their names in `judge_weights.toml`."""
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
        "form_missing": _form_missing(question, passages) if is_form_missing else 0.0,
        "count_missing": float(missing_form.is_count_missing(question.asked_now, [p for p, _ in passages])),
        "plainly_told": float(not is_form_missing and _is_plainly_told(question, passages)),
        "situation_named": float(_is_situation_named(question, closest)),
        "news_missing": float(_is_news_missing(question, closest, passages)),
        "only_news": float(is_news(closest) and not asks_news(question.text)),
        "small_base": smallness,
        "word_nowhere": _missing_word(question, rest, passages),
    }


def _missing_word(
    question: WeighedQuestion, rest: WeighedQuestion, passages: Sequence[JudgedPassage]
) -> float:
    """How surely a word without which there is no answer is missing: in a small base any, in each base a name.

    "Can it use Brotli?" is not answered by a base that never says "Brotli".
    """
    if QuestionKind.PERMISSION in kinds_of(question.asked_now) and _is_name_unknown(rest):
        return 1.0
    smallness = _smallness(question.counts.rows)
    return smallness * is_word_nowhere(question, [p for p, _ in passages]) if smallness else 0.0


def _is_another_text(passage: SearchResult, closest: SearchResult) -> bool:
    """Whether a passage is of another document that is no copy or translation of this one."""
    return document_of(passage) != document_of(closest) and not is_same_text(closest, passage)


def _without_days_of(
    closest: SearchResult, passages: Sequence[JudgedPassage], question: WeighedQuestion
) -> WeighedQuestion:
    """The question without a day that the closest passage or any row names, so that its number is not missed."""
    wanted = named_days(question.text)
    if not wanted:
        return question
    is_named = wanted <= named_days(closest.chunk.content) or any(
        wanted <= days_of_rows(passage.chunk.content) for passage, _ in passages
    )
    return replace(question, text=without_days(question.text)) if is_named else question


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
    """Whether the question has a number, such as a year, that the closest passage lacks."""
    wanted = {quantity.value for quantity in quantities(question)}
    if not wanted:
        return False
    said = f"{closest.chunk.section or ''}\n{_said_with_title(closest)}"
    missing = wanted - {quantity.value for quantity in quantities(said)}
    # The year of a date and the "2" of "v2" count, too.
    return bool(missing) and not missing <= set(_DIGITS_IN_A_ROW.findall(said))


def names_found(question: str, text: str) -> float:
    """The share of the names and numbers in a question that the text has; 1.0 if there are none."""
    # In capitals every word looks like a name.
    named = [] if question.isupper() else [part for name in names(question) for part in words(name)]
    wanted = [*named, *(quantity.value for quantity in quantities(question))]
    if not wanted:
        return 1.0
    held = set(words(text))
    missing = [word for word in wanted if word not in held and not _has_form(word, held)]
    # Numbers in words, or with a mark inside, are looked for only if needed.
    counted = {quantity.value for quantity in quantities(text)} if missing else ()
    return (len(wanted) - sum(word not in counted for word in missing)) / len(wanted)


def _has_form(name: str, held: set[str]) -> bool:
    """Whether another form of a name is there, with a different ending. A number has no other forms."""
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
    """The score of the first result, made comparable between bases of different size.

    For several collections, or without vectors, scores are not comparable, so the usual one is taken.
    """
    first = passages[0][0]
    is_fused = any(p.score_breakdown.semantic_score is not None for p, _ in passages)
    if not is_fused or any(p.collection_id != first.collection_id for p, _ in passages):
        return judge_weights().usual["score"]
    return first.score / max(1.0, math.log(1 + rows))


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


def _is_name_unknown(question: WeighedQuestion) -> bool:
    """Whether the question has a name that is nowhere in the base."""
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
    """Whether a question asks about a thing that no sentence names.

    A sentence, with the heading right above it, must have half of the words that name the thing, and "password" if one
    is asked for. The title of the document counts only if a whole page may be about the thing: everything in a museum's
    page is about the museum.
    """
    thing = asked_thing(question.asked_now)
    if thing is None:
        return False
    wanted = distinct_terms(thing.words, question.language)
    weights = {term: weight for term, weight in question.weights.items() if term in wanted}
    if not weights:
        return False
    head = thing.head(question.language) if thing.is_of_a_page or thing.is_secret else None
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
    """1 if the thing that is asked about is named nowhere; less if only a title may name it."""
    if _is_thing_missing(question, passages):
        return 1.0
    return _ONLY_TITLED if _is_only_titled(question, closest) else 0.0


def _is_only_titled(question: WeighedQuestion, closest: SearchResult) -> bool:
    """Whether the closest passage has no more of the question than its document's title.

    Everything in the rules of a club is about the club, which does not tell how to leave it. Questions with names are
    exempt.
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
    """The terms that are said, or a broader or narrower word for them: pets for a dog."""
    kinds = words_of_a_kind()
    named = held_terms(weights, said, language)
    return named | {term for term in weights if term in kinds and kinds[term] & said}


def _is_form_missing(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> bool:
    return missing_form.is_form_missing(
        question.asked_now, question.weights, [p for p, _ in passages], question.language
    )


def _form_missing(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> float:
    """How much a form that is missing beside what is asked about is held against the passages."""
    is_told = missing_form.is_told_farther_on(
        question.asked_now, question.weights, [p for p, _ in passages], question.language
    )
    return _TOLD_FARTHER_ON if is_told else 1.0


def _is_form_missing_nearby(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> bool:
    """Whether the nearest passage, in any language, lacks the wanted form: a price, a day."""
    gives = wanted_form(question.asked_now, None)
    nearest, _ = max(passages, key=lambda passage: passage[1].similarity)
    return gives is not None and not gives(nearest.chunk.content)


def _is_plainly_told(question: WeighedQuestion, passages: Sequence[JudgedPassage]) -> bool:
    return missing_form.is_plainly_told(
        question.asked_now, question.weights, [p for p, _ in passages], question.language
    )


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


def _is_news_missing(
    question: WeighedQuestion, closest: SearchResult, passages: Sequence[JudgedPassage]
) -> bool:
    """Whether a follow-up asks about something that the document of the closest passage does not mention.

    That document is found for the question before it, whatever is asked next.
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
    # "And what does it cost?" has no other word than the one that asks.
    kinds = asked_values(question.follow_up)
    asks_price = ValueKind.MONEY in kinds and len(weights) == 1 and asked_thing(question.follow_up) is None
    # Neither has "quanto tempo dura?", which names nothing: what was found need not say "tempo".
    asks_only_value = asks_price or (bool(kinds) and lacks_subject(question.follow_up, question.language))
    return not (asks_only_value and any(gives_value(each, kinds, question.follow_up) for each in said))


def _told_terms(
    passage: SearchResult, language: str | None, *, with_title: bool = False
) -> Iterator[frozenset[str]]:
    """The terms of each sentence, with those of the heading right above it and, if wanted, of the title."""
    content = passage.chunk.content
    section = last_heading(passage.chunk)
    above = frozenset[str]()
    if with_title:
        above = distinct_terms(f"{passage.document_title or ''}\n{section}", language)
    elif section != passage.document_title:
        above = distinct_terms(section, language)
    for start, end in sentence_spans(content):
        yield above | distinct_terms(content[start:end], language)
