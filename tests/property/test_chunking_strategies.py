"""Whatever the text and the strategy, chunks are exact spans that lose nothing."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from sourcebook.ingest.chunking.passages import PASSAGE_LENGTH, PASSAGE_OVERLAP, chunk_document
from sourcebook.ingest.parsers.parsed_text import PageSpan, Section
from sourcebook.model.documents import Chunk, ChunkStrategy

WORDS = st.sampled_from(
    ["малина", "berry", "5.5", "т.", "很多字", "#", "-", "```", "x" * 300, "e\u0301", " " * 50]
)
ENDS = st.sampled_from(
    [" ", ". ", "\n", "\n\n", "\n# Heading\n\n", ".\n\n## Часть\n", "\n```\n", "\t", "…\n"]
)
PROSE = st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=30).map(" ".join), ENDS), max_size=25).map(
    lambda pieces: "".join(words + end for words, end in pieces)
)
TEXTS = st.one_of(PROSE, st.text(st.characters(exclude_categories=["Cs"])))
BORDERS = st.lists(st.integers(0, 5000), max_size=8)
STRATEGIES = st.sampled_from(ChunkStrategy)


def cut(text: str, borders: list[int], strategy: ChunkStrategy) -> list[Chunk]:
    starts = sorted({border for border in borders if border < len(text)})
    pages = [
        PageSpan(number, start, end)
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=False), start=1)
    ]
    sections = [Section(start, f"section {start}") for start in starts]
    return chunk_document("d", text, sections, pages, strategy)


@given(TEXTS, BORDERS, STRATEGIES)
def test_spans_are_exact_and_nothing_is_empty_or_lost(
    text: str, borders: list[int], strategy: ChunkStrategy
) -> None:
    covered: set[int] = set()
    for chunk in cut(text, borders, strategy):
        assert text[chunk.start_index : chunk.end_index] == chunk.content
        assert chunk.content == chunk.content.strip() != ""
        covered.update(range(chunk.start_index, chunk.end_index))
    assert all(position in covered for position, character in enumerate(text) if not character.isspace())


@example("малина " * 15 + "x" * 300, [104], ChunkStrategy.PARENT_CHILD)
@given(TEXTS, BORDERS, STRATEGIES)
def test_pages_and_sections_are_those_of_the_span(
    text: str, borders: list[int], strategy: ChunkStrategy
) -> None:
    starts = sorted({border for border in borders if border < len(text)})
    for chunk in cut(text, borders, strategy):
        before = [number for number, start in enumerate(starts, start=1) if start <= chunk.start_index]
        assert chunk.page == (before[-1] if before else None)
        touched = {f"section {start}" for start in starts if start < chunk.end_index}
        assert chunk.section in touched | ({None} if not before else set())


@given(TEXTS, BORDERS, STRATEGIES)
def test_the_same_text_gives_the_same_chunks_in_order(
    text: str, borders: list[int], strategy: ChunkStrategy
) -> None:
    chunks = cut(text, borders, strategy)
    assert cut(text, borders, strategy) == chunks
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert [chunk.chunk_index for chunk in chunks] == list(range(len(chunks)))


@given(TEXTS, BORDERS, st.sampled_from([ChunkStrategy.SENTENCE, ChunkStrategy.MARKDOWN]))
def test_these_never_overlap_and_never_grow(text: str, borders: list[int], strategy: ChunkStrategy) -> None:
    end = 0
    for chunk in cut(text, borders, strategy):
        assert chunk.start_index >= end
        assert len(chunk.content) <= PASSAGE_LENGTH
        end = chunk.end_index


@given(TEXTS)
def test_fixed_windows_stand_where_they_must(text: str) -> None:
    step = PASSAGE_LENGTH - PASSAGE_OVERLAP
    windows = [
        text[start : start + PASSAGE_LENGTH].strip()
        for start in range(0, max(len(text) - PASSAGE_OVERLAP, 1), step)
    ]
    found = [chunk.content for chunk in cut(text, [], ChunkStrategy.FIXED)]
    assert found == [window for window in windows if window]
