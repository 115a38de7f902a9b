"""Whatever the text, its chunks are exact spans that lose nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sourcebook.ingest.chunking.passages import CHILD_SENTENCE, PASSAGE_LENGTH, PASSAGE_TAIL, chunk_document
from sourcebook.ingest.parsers.parsed_text import Section
from sourcebook.ingest.parsers.text.markdown import parse_markdown
from sourcebook.model.documents import Chunk, ChunkLevel

WORDS = st.sampled_from(
    [
        "малина",
        "куст",
        "berry",
        "solo",
        "ph",
        "5.5",
        "т.",
        "д.",
        "A",
        "很多字",
        "#",
        "-",
        "x" * 300,
        "e\u0301",
    ]
)
ENDS = st.sampled_from(
    [" ", ". ", "! ", "\n", "\n\n", "\n# Heading\n\n", ".\n\n## Часть\n", " " * 40, "\t", "…\n"]
)
PROSE = st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=30).map(" ".join), ENDS), max_size=25).map(
    lambda pieces: "".join(words + end for words, end in pieces)
)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
TEXTS = st.one_of(PROSE, ANY_TEXT, st.tuples(PROSE, ANY_TEXT, PROSE).map("".join))


def cut(text: str, borders: list[int]) -> list[Chunk]:
    starts = sorted({border for border in borders if border < len(text)})
    return chunk_document("d", text, [Section(start, f"section {start}") for start in starts])


@given(TEXTS, st.lists(st.integers(0, 5000), max_size=8))
def test_spans_are_exact_and_nothing_is_empty_or_lost(text: str, borders: list[int]) -> None:
    covered: set[int] = set()
    for chunk in cut(text, borders):
        assert text[chunk.start_index : chunk.end_index] == chunk.content
        assert chunk.content == chunk.content.strip() != ""
        covered.update(range(chunk.start_index, chunk.end_index))
    assert all(position in covered for position, character in enumerate(text) if not character.isspace())


@given(TEXTS, st.lists(st.integers(0, 5000), max_size=8))
def test_passages_cover_the_text_and_children_cover_it_once(text: str, borders: list[int]) -> None:
    chunks = cut(text, borders)
    for level in ChunkLevel:
        covered = [0] * len(text)
        for chunk in chunks:
            if chunk.level is level:
                for position in range(chunk.start_index, chunk.end_index):
                    covered[position] += 1
        counts = [covered[i] for i, character in enumerate(text) if not character.isspace()]
        assert all(counts)
        if level is ChunkLevel.CHILD:
            assert all(count == 1 for count in counts)


@given(TEXTS, st.lists(st.integers(0, 5000), max_size=8))
def test_a_child_lies_in_the_first_passage_that_holds_it(text: str, borders: list[int]) -> None:
    chunks = cut(text, borders)
    passages = [chunk for chunk in chunks if chunk.level is ChunkLevel.PARENT]
    for child in chunks:
        if child.level is ChunkLevel.CHILD:
            holders = [
                passage.id
                for passage in passages
                if passage.start_index <= child.start_index and child.end_index <= passage.end_index
            ]
            assert holders[0] == child.parent_id


@given(TEXTS, st.lists(st.integers(0, 5000), max_size=8))
def test_sizes_ids_and_order(text: str, borders: list[int]) -> None:
    chunks = cut(text, borders)
    assert cut(text, borders) == chunks
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert [chunk.chunk_index for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        longest = PASSAGE_LENGTH + PASSAGE_TAIL if chunk.level is ChunkLevel.PARENT else CHILD_SENTENCE
        assert len(chunk.content) <= longest


@given(PROSE)
def test_sections_of_markdown_begin_with_a_line_of_their_own(text: str) -> None:
    parsed = parse_markdown(text.encode())
    starts = [section.start for section in parsed.sections]
    assert starts == sorted(set(starts))
    for start in starts:
        assert start == 0 or parsed.text[start - 1] == "\n"
        assert parsed.text[start:].strip()
