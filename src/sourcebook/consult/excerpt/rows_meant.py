"""Leaves out rows of tables that a question does not mean: of other days, other people, or without its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.excerpt.row_choice import named_cells
from sourcebook.consult.question.asked_for.asked_thing import asked_thing
from sourcebook.consult.question.asked_for.asked_value import asked_values
from sourcebook.consult.question.asked_for.given_value import gives_value
from sourcebook.consult.question.words.named_days import named_days, without_days
from sourcebook.consult.question.words.named_people import full_names, is_another
from sourcebook.text.analysis import distinct_terms, words

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.excerpt_features import Asked
    from sourcebook.consult.excerpt.read_texts import ReadText

_ON_THE_DAY = 2.0
"""The bonus for rows of the day asked about, whose numbers alone may mean something else."""


def with_rows_meant(asked: Asked, texts: Sequence[ReadText]) -> Sequence[ReadText]:
    """The texts without rows that are surely not meant; none if such a row was the likeliest and nothing is as near.

    Then the other rows do not answer either: the price of a cake is not that of the thing asked about.
    """
    meant = _of_named_days(asked, texts)
    meant = _of_named_people(asked.question, meant)
    meant = _with_asked_column(asked, meant)
    before, after = _likeliest(texts), _likeliest(meant)
    if before is None or after is None or before[1] in meant[before[0]].scores:
        return meant
    (number, i), (place, j) = before, after
    is_as_near = texts[number].features.words_in(i) <= texts[place].features.words_in(j)
    row = texts[place].units.row(j)
    is_of_day = named_days(row, texts[place].units.content) & named_days(asked.question)
    return meant if is_as_near or is_of_day else []


def _likeliest(texts: Sequence[ReadText]) -> tuple[int, int] | None:
    """The unit with the highest score, by the number of its text and its own."""
    told = (
        (score, at, i) for at, text in enumerate(texts) for i, score in text.scores.items() if text.tells(i)
    )
    best = max(told, default=None)
    return None if best is None else best[1:]


def _of_named_days(asked: Asked, texts: Sequence[ReadText]) -> Sequence[ReadText]:
    """If the question names a day: the texts without rows that share only a number or the month with it.

    If some rows are of that day, rows of other days are left out too.
    """
    wanted = named_days(asked.question)
    if not wanted:
        return texts
    of_day = frozenset(asked.weights) - distinct_terms(without_days(asked.question), asked.language)
    texts = [
        text.without(
            i
            for i, row in text.rows()
            if text.features.words_in(i) < of_day and not named_days(row, text.units.content) & wanted
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
    """If the question has a full name: the texts without rows of others who share a part of it.

    If there are such rows, those with only a part of the name are left out too.
    """
    for asked in full_names(question):
        rows = [(at, i, named_cells(row).values()) for at, text in enumerate(texts) for i, row in text.rows()]
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
    """If a table has a column for the value asked for: the texts without rows that have neither column nor value."""
    kinds = asked_values(asked.question)
    names = {name for text in texts for _, row in text.rows() for name in named_cells(row)} if kinds else ()
    columns = frozenset(asked.weights) & distinct_terms("\n".join(names), asked.language)
    if not columns:
        return texts
    given = [
        text.without(
            i
            for i, row in text.rows()
            if columns.isdisjoint(text.features.words_around(i))
            and not gives_value(row, kinds, asked.question)
        )
        for text in texts
    ]
    thing = asked_thing(asked.question)
    wanted = distinct_terms(thing.words if thing else "", asked.language)
    # If the thing itself is gone, rows with a value are about other things.
    is_lost = not wanted.isdisjoint(_held(texts)) and wanted.isdisjoint(_held(given))
    return [text.scored({}) for text in given] if is_lost else given


def _held(texts: Sequence[ReadText]) -> frozenset[str]:
    return frozenset[str]().union(*(text.features.words_in(i) for text in texts for i in text.scores))
