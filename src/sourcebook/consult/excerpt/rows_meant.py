"""Which rows of tables a question may mean: those of the day, of the person and with the value that it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.excerpt.row_choice import cells_of
from sourcebook.consult.question.asked_thing import asked_thing
from sourcebook.consult.question.asked_value import asked_values
from sourcebook.consult.question.given_value import gives_value
from sourcebook.consult.question.named_days import named_days, without_days
from sourcebook.consult.question.named_people import full_names, is_another
from sourcebook.text.analysis import distinct_terms, words

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.answer_without_model import ReadText
    from sourcebook.consult.excerpt.excerpt_features import Asked

_ON_THE_DAY = 2.0
"""What a row scores more that is of the day asked about: numbers alone may be hours, or how many there are."""


def with_rows_meant(asked: Asked, texts: Sequence[ReadText]) -> Sequence[ReadText]:
    """The texts without rows that are surely not meant; none if one of these is the likeliest, and nothing is as near.

    What is left may not answer in its place: the price of a cake is not that of the thing asked about.
    """
    meant = _of_named_days(asked, texts)
    meant = _of_named_people(asked.question, meant)
    meant = _with_asked_column(asked, meant)
    before, after = _likeliest(texts), _likeliest(meant)
    if before is None or after is None or before[1] in meant[before[0]].scores:
        return meant
    (number, i), (place, j) = before, after
    is_as_near = texts[number].numbers.words_in(i) <= texts[place].numbers.words_in(j)
    row = texts[place].units.row(j)
    is_of_day = named_days(row, texts[place].units.content) & named_days(asked.question)
    return meant if is_as_near or is_of_day else []


def _likeliest(texts: Sequence[ReadText]) -> tuple[int, int] | None:
    """The number of a text, and its unit that scores most."""
    told = (
        (score, at, i) for at, text in enumerate(texts) for i, score in text.scores.items() if text.tells(i)
    )
    best = max(told, default=None)
    return None if best is None else best[1:]


def _of_named_days(asked: Asked, texts: Sequence[ReadText]) -> Sequence[ReadText]:
    """Where a question names a day: the texts without rows that have no more than a number or the month of it.

    If rows are of that day, those of other days are left out too.
    """
    wanted = named_days(asked.question)
    if not wanted:
        return texts
    of_day = frozenset(asked.weights) - distinct_terms(without_days(asked.question), asked.language)
    texts = [
        text.without(
            i
            for i, row in text.rows()
            if text.numbers.words_in(i) < of_day and not named_days(row, text.units.content) & wanted
        )
        for text in texts
    ]
    days = [{i: named_days(row, text.units.content) for i, row in text.rows()} for text in texts]
    if not any(found & wanted for of_text in days for found in of_text.values()):
        return texts
    return [
        text.scored(
            {
                i: score + (_ON_THE_DAY if of_text.get(i) else 0.0)
                for i, score in text.scores.items()
                if not of_text.get(i) or of_text[i] & wanted
            }
        )
        for text, of_text in zip(texts, days, strict=True)
    ]


def _of_named_people(question: str, texts: Sequence[ReadText]) -> Sequence[ReadText]:
    """Where a question names somebody in full: the texts without the rows of others with one name in common.

    Where there are such, a row with a part of the name alone does not tell whose it is.
    """
    for asked in full_names(question):
        rows = [(at, i, cells_of(row).values()) for at, text in enumerate(texts) for i, row in text.rows()]
        others = {(at, i) for at, i, cells in rows if any(is_another(asked, cell) for cell in cells)}
        if others:
            others |= {
                (at, i)
                for at, i, cells in rows
                if 0 < len(asked.intersection(words(" ".join(cells)))) < len(asked)
            }
            texts = [text.without(i for at, i in others if at == number) for number, text in enumerate(texts)]
    return texts


def _with_asked_column(asked: Asked, texts: Sequence[ReadText]) -> Sequence[ReadText]:
    """Where a value is asked for that a table has a column of: the texts without rows of others that do not give it."""
    kinds = asked_values(asked.question)
    names = {name for text in texts for _, row in text.rows() for name in cells_of(row)} if kinds else ()
    columns = frozenset(asked.weights) & distinct_terms("\n".join(names), asked.language)
    if not columns:
        return texts
    given = [
        text.without(
            i
            for i, row in text.rows()
            if columns.isdisjoint(text.numbers.words_around(i))
            and not gives_value(row, kinds, asked.question)
        )
        for text in texts
    ]
    thing = asked_thing(asked.question)
    wanted = distinct_terms(thing.words if thing else "", asked.language)
    # Whatever else has a price is not the thing asked about.
    is_lost = not wanted.isdisjoint(_held(texts)) and wanted.isdisjoint(_held(given))
    return [text.scored({}) for text in given] if is_lost else given


def _held(texts: Sequence[ReadText]) -> frozenset[str]:
    return frozenset[str]().union(*(text.numbers.words_in(i) for text in texts for i in text.scores))
