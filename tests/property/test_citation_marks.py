"""However a stream is split, its text and citations are the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sourcebook.consult.citations.marks_and_quotes import (
    CitationMark,
    CitationMarkReader,
    Piece,
    cited_sentences,
)

ANSWERS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "[1]",
                "[2, 3]",
                "[4",
                "]",
                "[",
                "【5】",
                "[^2]",
                "[1-3]",
                "[12;13]",
                "[9–7]",
                " ",
                ". ",
                "[]",
                "[ 1 ]",
                "\n",
                " " * 37,
                "1]",
                "[" + " " * 36,
            ]
        ),
        st.text(max_size=8),
    ),
    max_size=12,
).map("".join)


def read(pieces: list[str]) -> list[Piece]:
    reader = CitationMarkReader()
    found = [piece for text in pieces for piece in reader.feed(text)] + reader.close()
    joined: list[Piece] = []
    for piece in found:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


@given(ANSWERS, st.lists(st.integers(0, 100), max_size=8))
def test_the_split_of_the_stream_changes_nothing(answer: str, cuts: list[int]) -> None:
    places = sorted({min(cut, len(answer)) for cut in cuts})
    pieces = [answer[a:b] for a, b in zip([0, *places], [*places, len(answer)], strict=True)]
    assert read(pieces) == read([answer]) == read(list(answer))


@given(ANSWERS)
def test_no_text_is_lost(answer: str) -> None:
    reader = CitationMarkReader()
    shown = "".join(p for p in [*reader.feed(answer), *reader.close()] if isinstance(p, str))
    kept = iter(answer)
    assert all(letter in kept for letter in shown)


@given(st.text(max_size=60).filter(lambda text: "[" not in text and "【" not in text))
def test_text_without_brackets_comes_through_at_once(text: str) -> None:
    assert "".join(p for p in CitationMarkReader().feed(text) if isinstance(p, str)) == text


@given(ANSWERS)
def test_sentences_cite_only_numbers_that_stand_in_a_mark(answer: str) -> None:
    marked = {n for p in read([answer]) if isinstance(p, CitationMark) for n in p.numbers}
    assert {n for sentence in cited_sentences(answer) for n in sentence.numbers} <= marked
