"""How passages and children are cut."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from sourcebook.ingest.chunking.passages import PASSAGE_OVERLAP, chunk_document
from sourcebook.ingest.parsers.text.markdown import parse_markdown
from sourcebook.model.documents import Chunk, ChunkLevel

SENTENCE = "Малину обрезают поздней осенью, когда листья уже опали и земля замёрзла. "


def passages(chunks: list[Chunk]) -> list[Chunk]:
    return [chunk for chunk in chunks if chunk.level is ChunkLevel.PARENT]


def children(chunks: list[Chunk]) -> list[Chunk]:
    return [chunk for chunk in chunks if chunk.level is ChunkLevel.CHILD]


def of_markdown(source: str) -> list[Chunk]:
    parsed = parse_markdown(source.encode())
    return chunk_document("d", parsed.text, parsed.sections)


def test_a_short_text_is_one_passage_with_one_child() -> None:
    chunks = chunk_document("d", "  One sentence.\n")
    assert [(chunk.level, chunk.content) for chunk in chunks] == [
        (ChunkLevel.PARENT, "One sentence."),
        (ChunkLevel.CHILD, "One sentence."),
    ]


@pytest.mark.parametrize("text", ["", "   ", "\n\n\t\n"])
def test_a_text_without_words_has_no_chunks(text: str) -> None:
    assert chunk_document("d", text) == []


def test_passages_are_whole_sentences_that_overlap() -> None:
    found = passages(chunk_document("d", SENTENCE * 60))
    assert all(600 <= len(passage.content) <= 920 for passage in found[:-1])
    assert all(passage.content.startswith("Малину") and passage.content.endswith(".") for passage in found)
    for before, after in pairwise(found):
        assert 0 < before.end_index - after.start_index <= PASSAGE_OVERLAP


def test_children_hold_one_or_two_sentences() -> None:
    found = children(chunk_document("d", SENTENCE * 60))
    assert {chunk.content.count(".") for chunk in found} <= {1, 2, 3}
    assert all(len(chunk.content) <= 230 for chunk in found)


def test_a_passage_does_not_cross_into_the_next_section() -> None:
    found = passages(of_markdown(f"# Малина\n\n{SENTENCE * 5}\n\n## Посадка\n\n{SENTENCE * 5}"))
    assert [passage.section for passage in found] == ["Малина", "Малина > Посадка"]
    assert found[1].content.startswith("## Посадка")


def test_a_heading_alone_stays_with_the_section_below_it() -> None:
    found = passages(of_markdown(f"# Малина\n\n## Обрезка\n\n{SENTENCE * 6}"))
    assert [passage.section for passage in found] == ["Малина > Обрезка"]
    assert found[0].content.startswith("# Малина")


def test_a_long_sentence_is_cut_between_words() -> None:
    text = "слово " * 1700
    chunks = chunk_document("d", text)
    assert all(chunk.content.startswith("слово") and chunk.content.endswith("слово") for chunk in chunks)
    assert all(len(chunk.content) <= 800 for chunk in chunks)


def test_a_text_without_any_border_is_cut_all_the_same() -> None:
    chunks = chunk_document("d", "ы" * 10_000)
    assert all(len(chunk.content) <= 800 for chunk in passages(chunks))
    assert all(len(chunk.content) <= 230 for chunk in children(chunks))


def test_another_document_has_other_chunk_ids() -> None:
    one, other = chunk_document("a", SENTENCE), chunk_document("b", SENTENCE)
    assert not {chunk.id for chunk in one} & {chunk.id for chunk in other}


@pytest.mark.parametrize(
    "piece", [SENTENCE, "word ", "ы", "\n# h\n", " a\n\n", "a" + " " * 500, "- x\n", "?!. "], ids=repr
)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        started = time.process_time()
        of_markdown(text)
        return time.process_time() - started

    small = max(min(seconds(40_000), seconds(40_000)), 0.01)
    # Measured again only if it was slow: something else may have been at work.
    assert any(seconds(320_000) < 8 * 4 * small for _ in range(2))
