"""An approved answer is bound to the words that bear it out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.consult.citations.source_binding import SourceBinder
from sourcebook.model.chat import Citation
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.model.search import RetrievalConfig, SearchResult
    from sourcebook.ports.moderation import BoundAnswer

pytestmark = pytest.mark.anyio

FIRST = "Sandy soil needs about 20 g of sulphur per square metre."
SECOND = "Never apply more than 100 g at once."
THIRD = "A thick mulch of pine bark holds the level."
TEXT = f"# Blueberries\n\nThey like acid soil.\n\n## Lowering the pH\n\n{FIRST} {SECOND} {THIRD}\n"


async def nothing(_names: Sequence[str], _query: str, _config: RetrievalConfig) -> Sequence[SearchResult]:
    return []


async def bound(folder: Path, answer: str, *quotes: str, now: str = TEXT) -> BoundAnswer:
    """The answer, whose citations quote these words of the text. `now` is what the document says by now."""
    settings = Settings(db=str(folder / "base.db"), embedder="none")
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        report = await book.add_text(now, id="soil", title="Blueberries")
        citations = [
            Citation(
                number=number,
                text="",
                collection_id="default",
                document_id=report.document_id,
                document_path="soil",
                document_title="Blueberries",
                chunk_id="",
                page=None,
                start=(TEXT if quote in TEXT else now).index(quote),
                end=(TEXT if quote in TEXT else now).index(quote) + len(quote),
                quote=quote,
                verified=True,
                section="Blueberries > Lowering the pH",
            )
            for number, quote in enumerate(quotes, start=1)
        ]
        binder = SourceBinder(book.stores.library, nothing)
        return await binder.bind(answer, None, citations, ["default"], "en")


async def test_sentences_that_are_quoted_in_a_row_have_one_source(tmp_path: Path) -> None:
    whole = f"{FIRST} {SECOND} {THIRD}"
    made = await bound(tmp_path, f"{whole} [1]", whole)
    (source,) = made.sources
    assert (source.quote, source.section) == (whole, "Blueberries > Lowering the pH")
    assert (source.start, source.end) == (TEXT.index(FIRST), TEXT.index(THIRD) + len(THIRD))
    assert made.text == f"{FIRST} [1] {SECOND} [1] {THIRD} [1]"


async def test_what_is_left_out_in_between_is_not_a_source(tmp_path: Path) -> None:
    made = await bound(tmp_path, f"{FIRST} {THIRD} [1]", f"{FIRST} {SECOND} {THIRD}")
    assert [source.quote for source in made.sources] == [FIRST, THIRD]


async def test_a_sentence_of_the_experts_own_ends_the_row(tmp_path: Path) -> None:
    made = await bound(tmp_path, f"{FIRST} Ask me about clay. {SECOND} {THIRD}", f"{FIRST} {SECOND} {THIRD}")
    assert [source.quote for source in made.sources] == [FIRST, f"{SECOND} {THIRD}"]
    assert made.unsupported == ("Ask me about clay.",)
    assert made.text == f"{FIRST} [1] Ask me about clay. {SECOND} [2] {THIRD} [2]"


async def test_no_white_space_is_left_where_a_mark_ended_a_line(tmp_path: Path) -> None:
    made = await bound(tmp_path, f"{FIRST} [1]\n\n{THIRD} [1]", f"{FIRST} {SECOND} {THIRD}")
    assert made.text == f"{FIRST} [1]\n\n{THIRD} [2]"


async def test_what_stands_in_code_is_no_citation(tmp_path: Path) -> None:
    made = await bound(tmp_path, "Take `row[1]` first. [1]")
    assert made.text == "Take `row[1]` first."


async def test_a_stretch_is_where_the_citation_that_holds_it_says(tmp_path: Path) -> None:
    """The first sentence is also quoted alone, from another place."""
    made = await bound(tmp_path, f"{SECOND} {THIRD} [2]", SECOND, f"{SECOND} {THIRD}")
    (source,) = made.sources
    assert TEXT[source.start or 0 : source.end or 0] == source.quote == f"{SECOND} {THIRD}"


async def test_what_took_the_place_of_a_quote_is_its_source_without_a_search(tmp_path: Path) -> None:
    now = TEXT.replace("20 g", "35 g").replace("They like", "These plants like")
    renewed = FIRST.replace("20 g", "35 g")
    made = await bound(tmp_path, f"{renewed} [1] {SECOND} [1]", f"{FIRST} {SECOND}", now=now)
    (source,) = made.sources
    assert made.text == f"{renewed} [1] {SECOND} [1]"
    assert (made.unsupported, source.section) == ((), "Blueberries > Lowering the pH")
    assert now[source.start or 0 : source.end or 0] == source.quote == f"{renewed} {SECOND}"


async def test_the_old_words_are_not_borne_out_by_what_took_their_place(tmp_path: Path) -> None:
    made = await bound(tmp_path, f"{FIRST} [1]", FIRST, now=TEXT.replace("20 g", "35 g"))
    assert (made.sources, made.unsupported) == ((), (FIRST,))


async def test_a_sentence_that_went_elsewhere_in_its_document_is_found_there(tmp_path: Path) -> None:
    apart = "\n\n".join(f"Another matter, number {number}." for number in range(5))
    now = TEXT.replace(f" {SECOND}", "") + f"\n## Limits\n\n{apart}\n\n{SECOND}\n"
    made = await bound(tmp_path, f"{FIRST} [1] {SECOND} [1]", f"{FIRST} {SECOND}", now=now)
    assert [now[source.start or 0 : source.end or 0] for source in made.sources] == [FIRST, SECOND]


HEAD = "| Day | Studio | Shop |\n|---|---|---|"
MONDAY, FRIDAY, SATURDAY = (
    "| Monday | closed | closed |",
    "| Friday | 9:00 – 18:00 | 11:00 – 17:00 |",
    "| Saturday | 10:00 – 18:00 | 10:00 – 17:00 |",
)
TABLE = f"{HEAD}\n{MONDAY}\n{FRIDAY}\n{SATURDAY}"


@pytest.mark.parametrize(
    ("answer", "rows"),
    [
        ("Day: Saturday · Studio: 10:00 – 18:00 · Shop: 10:00 – 17:00 [1]", [SATURDAY]),
        ("Day: Saturday · Shop: 10:00 – 17:00 [1]", [SATURDAY]),
        (
            "- Day: Monday · Studio: closed · Shop: closed\n- Day: Saturday · Studio: 10:00 – 18:00"
            " · Shop: 10:00 – 17:00 [1]",
            [MONDAY, SATURDAY],
        ),
        (
            "- Day: Friday · Studio: 9:00 – 18:00 · Shop: 11:00 – 17:00\n- Day: Saturday · Studio: 10:00 – 18:00"
            " · Shop: 10:00 – 17:00 [1]",
            [f"{FRIDAY}\n{SATURDAY}"],
        ),
        ("On Saturday the shop is open from 10:00 to 17:00. [1]", [SATURDAY]),
    ],
)
async def test_an_answer_is_bound_to_the_rows_that_it_shows(
    tmp_path: Path, answer: str, rows: list[str]
) -> None:
    made = await bound(tmp_path, answer, TABLE, now=f"{TEXT}\n{TABLE}\n")
    assert [source.quote for source in made.sources] == rows
    assert not made.unsupported


async def test_a_bold_line_above_an_answer_gets_no_number(tmp_path: Path) -> None:
    text = f"{TEXT}\n**Do you ship?**\nYes, within five days. We pack in straw.\n"
    quote = "**Do you ship?**\nYes, within five days. We pack in straw."
    answer = "**Do you ship?** [1]\n\nYes, within five days. We pack in straw. [1]"
    made = await bound(tmp_path, answer, quote, now=text)
    assert made.text == "**Do you ship?**\n\nYes, within five days. [1] We pack in straw. [1]"
    alone = await bound(tmp_path, "**Do you ship?**", quote, now=text)
    assert alone.text == "**Do you ship?** [1]"
