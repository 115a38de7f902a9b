"""An answer without a model: an excerpt of the passages that most probably contains the answer.

The passages are split into units: sentences, list items, rows of a table, listings. Each gets a score, with weights
that were learnt from questions with known answers, and from that a probability of being the answer. The stretch of
neighbours with the greatest sum is quoted. A second excerpt follows only if two things were asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import title_and_section
from sourcebook.consult.evidence.question_share import held_share, held_terms
from sourcebook.consult.excerpt.excerpt import ExcerptMaker
from sourcebook.consult.excerpt.extracts import Extract, QuotableTexts
from sourcebook.consult.excerpt.read_texts import chances, read_texts
from sourcebook.consult.excerpt.rows_meant import with_rows_meant
from sourcebook.consult.excerpt.rows_that_answer import rows_alike, rows_that_fit
from sourcebook.consult.excerpt.stretches import LONGEST, Stretch, Stretches
from sourcebook.consult.question.asked_for.forms import SURE_FORMS, AskedForms
from sourcebook.text.analysis import distinct_terms
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.excerpt_features import Asked
    from sourcebook.consult.excerpt.read_texts import ReadText
    from sourcebook.model.search import SearchResult

_MOST_TRIED = 8
"""Stretches are tried around so many of the best units."""
# If the first passage cannot be quoted, another must have this share of what it has of the question.
_SHARE_OF_THE_FIRST = 0.6
# For a second excerpt: the least room for it, and the least share of the missing words.
_SHORTEST_SECOND = 60
_LEAST_OF_THE_MISSING = 0.6


@dataclass(frozen=True, slots=True)
class LikelyAnswer:
    """What may be quoted as the answer, and how probably it is, among all that was found."""

    extracts: Sequence[Extract]
    chance: float


def extract(
    asked: Asked, passages: Sequence[SearchResult], lengths: Mapping[tuple[str, str], int] | None = None
) -> list[Extract]:
    """The excerpt that most probably answers, seldom a second one, none if nothing is related to the question.

    `lengths` are those of documents, by collection and id, so that a complete table is not shown as cut.
    """
    forms = AskedForms(asked.question)
    return chosen(asked, forms, passages, read_texts(asked, forms, passages, lengths))


def likely_answers(
    asked: Asked,
    passages: Sequence[SearchResult],
    most: int,
    lengths: Mapping[tuple[str, str], int] | None = None,
) -> list[LikelyAnswer]:
    """What `extract` takes, and then what it would take of the other passages: at most so many, no words twice."""
    forms = AskedForms(asked.question)
    texts = left = read_texts(asked, forms, passages, lengths)
    of_all = chances(texts)
    found: list[LikelyAnswer] = []
    gone: set[int] = set()
    while len(found) < most and (extracts := chosen(asked, forms, passages, left)):
        if not any(extracts[0].says_the_same(other.extracts[0]) for other in found):
            share = sum(of_all[number][i] for number, text in enumerate(left) for i in text.scores)
            found.append(LikelyAnswer(extracts, share * sum(each.chance for each in extracts)))
        gone.update(each.passage for each in extracts)
        left = [text.without(text.units_of(gone, passages)) for text in texts]
    return found


def chosen(
    asked: Asked, forms: AskedForms, passages: Sequence[SearchResult], texts: Sequence[ReadText]
) -> list[Extract]:
    """`extract` for texts that are read already."""
    if not texts:
        return []
    if not any(text.tells(i) for text in texts if 0 in text.found.places for i in text.scores):
        texts = _instead(asked, passages, texts)
    texts = with_rows_meant(asked, texts)
    of_texts = zip(texts, chances(texts), strict=True)
    quotable = QuotableTexts(passages, texts, [_maker(asked, forms, *each) for each in of_texts])
    likely = sorted(
        (-quotable.chance(number, i), number, i)
        for number, text in enumerate(texts)
        for i in text.scores
        if text.tells(i)
    )
    if not likely:
        return []
    _, number, i = likely[0]
    rows = rows_that_fit(asked, quotable, number, i)
    if rows is not None:
        return rows
    stretches = [
        (quotable.makers[number].stretches.around(i), number) for _, number, i in likely[:_MOST_TRIED]
    ]
    best, number = max(stretches, key=lambda each: each[0].worth)
    best, number = _same_found_first(best, number, quotable)
    if rows := rows_alike(asked, quotable, number, best.best):
        return rows
    first = quotable.extract(number, best)
    second = _second(asked, forms, first, quotable) if forms.asks_twice else None
    return [first] if second is None else [first, second]


def _same_found_first(best: Stretch, number: int, quotable: QuotableTexts) -> tuple[Stretch, int]:
    """The stretch in the first text that has the same words, as the search ranked them."""
    said = quotable.texts[number].units.text(best.best)
    for earlier, text in enumerate(quotable.texts[:number]):
        for i in text.scores:
            if text.units.text(i) == said:
                return quotable.makers[earlier].stretches.around(i), earlier
    return best, number


def _maker(asked: Asked, forms: AskedForms, text: ReadText, chances: Sequence[float]) -> ExcerptMaker:
    share = partial(held_share, asked.weights, language=text.features.language)
    told = title_and_section(text.found.whole)
    stretches = Stretches(
        *(text.units, chances, share, told),
        wanted=text.features.wanted,
        goes_on=text.features.goes_on,
    )
    return ExcerptMaker(stretches, is_trimmed=not forms.asks_twice)


def _instead(asked: Asked, passages: Sequence[SearchResult], texts: Sequence[ReadText]) -> list[ReadText]:
    """The texts to quote if the first passage cannot be: without those that have much less of the question.

    If the first passage is in the asker's language, so must they be.
    """
    first = passages[0]
    spoken = detect_language(first.chunk.content)
    wanted = _whole_share(asked, first, asked.language or spoken)
    is_spoken = spoken == asked.spoken
    return [
        text
        for text in texts
        if _whole_share(asked, text.found.whole, text.features.language) >= _SHARE_OF_THE_FIRST * wanted
        and (not is_spoken or text.features.spoken in (None, asked.spoken))
    ]


def _whole_share(asked: Asked, passage: SearchResult, language: str | None) -> float:
    said = f"{title_and_section(passage)}\n{passage.chunk.content}"
    return held_share(asked.weights, said, language)


def _second(asked: Asked, forms: AskedForms, first: Extract, quotable: QuotableTexts) -> Extract | None:
    """If two things are asked: the best unit with what the first excerpt lacks, a form or most of the other words."""
    shown = first.excerpt.text
    room = LONGEST - len(shown) - 2
    if room < _SHORTEST_SECOND:
        return None
    lacking = (forms.forms & SURE_FORMS) - forms.met_by(shown)

    def is_wanted(said: str, language: str | None) -> bool:
        held = held_terms(asked.weights, distinct_terms(shown, language), language)
        missing = {term: weight for term, weight in asked.weights.items() if term not in held}
        if lacking:
            return lacking <= forms.met_by(said)
        return len(missing) > 1 and held_share(missing, said, language) >= _LEAST_OF_THE_MISSING

    options = [
        (-quotable.chance(number, i), number, i)
        for number, (text, maker) in enumerate(zip(quotable.texts, quotable.makers, strict=True))
        for i in text.scores
        if maker.stretches.size(i) <= room
        and text.features.spoken in (None, asked.spoken)
        and is_wanted(text.units.text(i), text.features.language)
    ]
    if not options:
        return None
    _, number, i = min(options)
    return quotable.extract(number, Stretch(0.0, i, i, i))
