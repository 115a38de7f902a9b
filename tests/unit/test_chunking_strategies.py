"""The other ways of cutting a text, and the pages of chunks."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest

from sourcebook.ingest.chunking.passages import PASSAGE_LENGTH, PASSAGE_OVERLAP, chunk_document
from sourcebook.ingest.parsers.parsed_text import PageSpan, Section
from sourcebook.ingest.parsers.text.markdown import parse_markdown
from sourcebook.model.documents import Chunk, ChunkLevel, ChunkStrategy

SENTENCE = "Малину обрезают поздней осенью, когда листья уже опали и земля замёрзла. "
WITHOUT_CHILDREN = [ChunkStrategy.FIXED, ChunkStrategy.SENTENCE, ChunkStrategy.MARKDOWN]


def of_markdown(source: str, strategy: ChunkStrategy) -> list[Chunk]:
    parsed = parse_markdown(source.encode())
    return chunk_document("d", parsed.text, parsed.sections, strategy=strategy)


def test_fixed_passages_have_one_length_and_one_overlap() -> None:
    text = "".join(chr(ord("a") + index % 26) for index in range(3000))
    found = chunk_document("d", text, strategy=ChunkStrategy.FIXED)
    assert [len(chunk.content) for chunk in found] == [800, 800, 800, 800, 600]
    assert all(before.end_index - after.start_index == PASSAGE_OVERLAP for before, after in pairwise(found))


@pytest.mark.parametrize(("length", "count"), [(1, 1), (200, 1), (800, 1), (801, 2), (1400, 2), (1401, 3)])
def test_fixed_passages_end_with_the_text(length: int, count: int) -> None:
    found = chunk_document("d", "x" * length, strategy=ChunkStrategy.FIXED)
    assert len(found) == count
    assert found[-1].end_index == length


def test_sentences_are_whole_and_in_one_passage_only() -> None:
    found = chunk_document("d", SENTENCE * 60, strategy=ChunkStrategy.SENTENCE)
    assert all(chunk.content.startswith("Малину") and chunk.content.endswith(".") for chunk in found)
    assert all(PASSAGE_LENGTH - len(SENTENCE) < len(chunk.content) <= PASSAGE_LENGTH for chunk in found[:-1])
    assert all(before.end_index <= after.start_index for before, after in pairwise(found))


def test_each_section_of_markdown_is_a_passage() -> None:
    found = of_markdown(
        f"Intro.\nText.\n\n# Малина\n\n{SENTENCE}\n\n## Посадка\n\n{SENTENCE}\n\n## Уход\n\n{SENTENCE}",
        ChunkStrategy.MARKDOWN,
    )
    assert [(chunk.section, chunk.content.split("\n")[0]) for chunk in found] == [
        (None, "Intro."),
        ("Малина", "# Малина"),
        ("Малина > Посадка", "## Посадка"),
        ("Малина > Уход", "## Уход"),
    ]


def test_a_heading_alone_goes_with_the_next_section() -> None:
    found = of_markdown(f"# Малина\n\n## Посадка\n\n{SENTENCE}\n\n# Конец", ChunkStrategy.MARKDOWN)
    assert [chunk.content.split("\n")[0] for chunk in found] == ["# Малина", "# Конец"]


def test_a_long_section_is_cut_between_paragraphs() -> None:
    source = "# Малина\n\n" + "\n\n".join(SENTENCE * 4 for _ in range(6))
    found = of_markdown(source, ChunkStrategy.MARKDOWN)
    assert len(found) == 3
    assert all(len(chunk.content) <= PASSAGE_LENGTH and chunk.content.endswith(".") for chunk in found)


def test_a_listing_is_not_cut_at_its_blank_lines() -> None:
    listing = "```\n" + "\n\n".join(f"line {number}" for number in range(30)) + "\n```"
    source = f"# A\n\n{SENTENCE * 7}\n\n{listing}\n\n{SENTENCE * 7}"
    assert any(listing in chunk.content for chunk in of_markdown(source, ChunkStrategy.MARKDOWN))


@pytest.mark.parametrize("strategy", WITHOUT_CHILDREN)
def test_other_strategies_make_passages_only(strategy: ChunkStrategy) -> None:
    found = of_markdown(f"# Малина\n\n{SENTENCE * 40}", strategy)
    assert {chunk.level for chunk in found} == {ChunkLevel.PARENT}
    assert {chunk.section for chunk in found} == {"Малина"}


@pytest.mark.parametrize("strategy", ChunkStrategy)
def test_a_text_without_words_has_no_chunks(strategy: ChunkStrategy) -> None:
    for text in ("", "   ", "\n\n\t\n"):
        assert chunk_document("d", text, [Section(0, "a")] if text else [], strategy=strategy) == []


@pytest.mark.parametrize("strategy", ChunkStrategy)
def test_a_chunk_is_on_the_page_on_which_it_begins(strategy: ChunkStrategy) -> None:
    pages = [SENTENCE * 12, SENTENCE * 3, SENTENCE * 15]
    text = "".join(pages)
    starts = [0, len(pages[0]), len(pages[0]) + len(pages[1])]
    spans = [
        PageSpan(number, start, start + len(page))
        for number, start, page in zip((3, 4, 6), starts, pages, strict=True)
    ]
    for chunk in chunk_document("d", text, pages=spans, strategy=strategy):
        expected = max(
            (page for page in spans if page.start <= chunk.start_index), key=lambda page: page.start
        )
        assert chunk.page == expected.number


def test_what_stands_before_the_first_page_has_none() -> None:
    text = "Title.\n\nText of the page."
    found = chunk_document("d", text, pages=[PageSpan(1, 8, len(text))])
    assert [(chunk.content, chunk.page) for chunk in found if chunk.level is ChunkLevel.PARENT] == [
        (text, None)
    ]


@pytest.mark.parametrize("strategy", WITHOUT_CHILDREN)
@pytest.mark.parametrize("piece", [SENTENCE, "ы", "\n# h\n", " a\n\n", "```\n\n", "a" + " " * 500], ids=repr)
def test_time_grows_with_the_text_and_no_faster(strategy: ChunkStrategy, piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        sections = [Section(match.start(), "h") for match in re.finditer("(?m)^# ", text)]
        started = time.process_time()
        chunk_document("d", text, sections, strategy=strategy)
        return time.process_time() - started

    small = max(min(seconds(20_000), seconds(20_000)), 0.01)
    # Measured again only if it was slow: something else may have been at work.
    assert any(seconds(160_000) < 8 * 4 * small for _ in range(5))
