"""The rows of a table that answer together: those that fit a condition, and those that answer as well as the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.consult.evidence.passage_surroundings import title_and_section
from sourcebook.consult.excerpt.excerpt_weights import excerpt_weights
from sourcebook.consult.excerpt.row_choice import RowChoice, named_cells
from sourcebook.consult.excerpt.stretches import LONGEST, Stretch

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.excerpt_features import Asked
    from sourcebook.consult.excerpt.extracts import Extract, QuotableTexts
    from sourcebook.consult.excerpt.read_texts import ReadText

_Row: TypeAlias = tuple[int, int, Mapping[str, str]]
"""The number of its text, its own, and its cells."""


def rows_that_fit(asked: Asked, quotable: QuotableTexts, number: int, best: int) -> list[Extract] | None:
    """If rows are asked for by a condition and a row answers best: those that surely fit. None otherwise."""
    text = quotable.texts[number]
    choice = _row_choice(asked, text)
    cells = named_cells(text.units.row(best))
    if not cells or (choice.says(cells) and not choice.asks_which):
        return None
    if not (choice.asks_which or choice.denies or (choice.asks_for_value and choice.columns(cells))):
        return None
    if columns := choice.columns(cells):
        fitting = [
            (at, [i for i in other.scores if choice.fits(named_cells(other.units.row(i)), columns)])
            for at, other in _starting_with(number, quotable.texts)
        ]
        rows = _list_of_rows(quotable, [(at, rows) for at, rows in fitting if rows])
        return rows if rows or choice.asks_which or choice.denies else None
    about = title_and_section(text.found.whole)
    is_sure = quotable.chance(number, best) >= excerpt_weights().stretch["row_alone"]
    is_blind = choice.asks_which and not choice.says(cells) and choice.has_condition(cells, about)
    return [] if is_blind and not is_sure else None


def rows_alike(asked: Asked, quotable: QuotableTexts, number: int, best: int) -> list[Extract]:
    """If a row answers best: it, and all rows of its document that answer as well. No rows otherwise.

    These are the rows with the same words of the question. If it only names columns, they are those with a cell that is
    a word or number of the question; else those about as likely.
    """
    text, prices = quotable.texts[number], excerpt_weights().stretch
    if not (cells := named_cells(text.units.row(best))):
        return []
    choice = _row_choice(asked, text)
    document = text.found.whole.chunk.document_id
    rows = [
        (at, i, of_row)
        for at, other in _starting_with(number, quotable.texts)
        if other.found.whole.chunk.document_id == document
        for i in other.scores
        if (of_row := named_cells(other.units.row(i)))
    ]
    likely = quotable.chance(number, best)
    least = prices["row_beside"] * likely if likely < prices["row_alone"] else likely
    if named := text.features.words_in(best) & choice.others(cells):
        alike = _with_the_words(named, choice, cells, rows, quotable.texts)
    else:
        alike = [row for row in rows if choice.names(row[2])]
        alike = alike or [row for row in rows if quotable.chance(*row[:2]) >= least]
    if [row[:2] for row in alike] == [(number, best)]:
        return [quotable.extract(number, Stretch(likely, best, best, best))]
    fitting = [(at, [i for _, i, _ in found]) for at, found in groupby(alike, key=itemgetter(0))]
    return _list_of_rows(quotable, fitting, is_open=choice.asks_which)


def _with_the_words(
    named: frozenset[str],
    choice: RowChoice,
    cells: Mapping[str, str],
    rows: Sequence[_Row],
    texts: Sequence[ReadText],
) -> list[_Row]:
    """The rows with these words of the question, or only those that have its numbers or names exactly, if any do."""
    # "How much is a cello per month" is asked of the table with a column for months, and of no other.
    left = choice.others(cells)
    holding = [
        (at, i, of_row)
        for at, i, of_row in rows
        if named <= texts[at].features.words_in(i) and choice.others(of_row) <= left
    ]
    # "Flat 4" is not a flat with a rent of 4 100.
    exact = [row for row in holding if choice.counts(row[2])]
    exact = exact or [row for row in holding if choice.numbers(row[2])]
    exact = exact or [row for row in holding if choice.names_whole(row[2])]
    return exact or holding


def _row_choice(asked: Asked, text: ReadText) -> RowChoice:
    return RowChoice(asked.question, frozenset(asked.weights), text.features.language or asked.spoken)


def _starting_with(number: int, texts: Sequence[ReadText]) -> list[tuple[int, ReadText]]:
    """The texts with their numbers: this one, then the others in their order."""
    return sorted(enumerate(texts), key=lambda each: each[0] != number)


def _list_of_rows(
    quotable: QuotableTexts, fitting: Sequence[tuple[int, Sequence[int]]], *, is_open: bool = True
) -> list[Extract]:
    """As many rows as there is room for, one extract for each text.

    `is_open`: the table may have more such rows elsewhere.
    """
    room = LONGEST
    extracts: list[Extract] = []
    for at, rows in fitting:
        fit: list[int] = []
        # Where not all fit, the likeliest do, whatever their place in the table.
        for i in sorted(rows, key=lambda i: -quotable.chance(at, i)):
            room -= quotable.makers[at].stretches.size(i) + 1
            fit += [i] if room >= 0 else []
        fit.sort()
        if fit:
            is_whole = len(fitting) == 1 and quotable.texts[at].holds_whole_table
            is_cut = room < 0 or (is_open and at == fitting[-1][0] and not is_whole)
            extracts.append(quotable.extract_of_rows(at, fit, is_open=is_cut))
    return extracts
