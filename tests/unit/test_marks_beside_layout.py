"""The marks of an answer stand in its prose: code, tables and headings come out as they were written."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.consult.citations import source_binding
from sourcebook.testing.fakes import FakeEmbedder
from sourcebook.text.sentences import sentence_spans

pytestmark = pytest.mark.anyio

TEXT = "# Boat server\n\nTo bring the boat server up again, restart its unit.\n"
CODE = "```sh\nsystemctl restart boats\n\nrm -r /tmp/boats.  Done[1]\n```"
TILDES = "~~~\nmake boats\n~~~"
TABLE = "| Unit  | Port |\n|---|---|\n| boats |   80 |"
OPEN_TABLE = "Unit | Port\n--- | ---\nboats | 80\nships | 81"
HEADING = "## How it is done"
UNDERLINED = "How it is done\n=============="


async def replied(folder: Path, answer: str, text: str = TEXT) -> str:
    """The answer as it is kept when an expert names a document as its source."""
    settings = Settings(db=str(folder / "base.db"), embedder="none")
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        await book.add_text(text, id="boats", title="Boat server")
        draft = await book.moderation.call_human("How do I get it going again?")
        await book.moderation.answer_item(draft.id, 1, answer, sources=["boats"])
        entry = (await book.kb_list())[0]
        assert [source.document_id for source in entry.sources] == ["boats"]
        return entry.answer


@pytest.mark.parametrize("block", [CODE, TILDES, TABLE, OPEN_TABLE, HEADING, UNDERLINED])
async def test_the_mark_goes_to_the_prose_before(tmp_path: Path, block: str) -> None:
    assert await replied(tmp_path, f"Wake it up:\n\n{block}") == f"Wake it up: [1]\n\n{block}"


@pytest.mark.parametrize("block", [CODE, TABLE, HEADING])
async def test_the_mark_goes_to_the_prose_behind_if_there_is_none_before(tmp_path: Path, block: str) -> None:
    assert await replied(tmp_path, f"{block}\n\nThen wait.") == f"{block}\n\nThen wait. [1]"


@pytest.mark.parametrize("block", [CODE, TABLE, HEADING])
async def test_without_prose_the_mark_has_a_line_of_its_own(tmp_path: Path, block: str) -> None:
    assert await replied(tmp_path, block) == f"{block}\n\n[1]"


async def test_text_right_behind_code_is_prose(tmp_path: Path) -> None:
    assert await replied(tmp_path, f"{TILDES}\nThen wait.") == f"{TILDES}\nThen wait. [1]"


async def test_items_keep_their_depth(tmp_path: Path) -> None:
    answer = "- Wake it up\n    - as the admin does"
    assert await replied(tmp_path, answer) == "- Wake it up [1]\n    - as the admin does [1]"


async def test_a_named_document_is_read_beside_the_loop_and_as_often_for_many_sentences_as_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = "\n\n".join(f"Paragraph {number} tells of harbour number {number}." for number in range(200))
    loop, threads = threading.get_ident(), list[int]()

    def watched(text: str) -> list[tuple[int, int]]:
        if text == book:
            threads.append(threading.get_ident())
        return sentence_spans(text)

    monkeypatch.setattr(source_binding, "sentence_spans", watched)
    for count in (1, 9):
        folder = tmp_path / str(count)
        folder.mkdir()
        threads.clear()
        await replied(folder, " ".join(f"Ships of rank {at} wait outside." for at in range(count)), book)
        assert 1 <= len(threads) <= 2
        assert loop not in threads
