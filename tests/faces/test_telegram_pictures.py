"""The page of a source, shown in Telegram as it looks."""

from __future__ import annotations

import io
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from PIL import Image
from tests.faces.telegram_desk import NOTES, QUESTION, Desk, opened
from tests.faults.hostile_files import pdf

from sourcebook.testing.telegram import Failure, Person, Sent

pytestmark = pytest.mark.anyio

LABEL = "[1] p. 2 as a picture"
GONE = "The original file is gone or has changed, so here is the quoted text."


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    library = tmp_path / "library"
    library.mkdir()
    (library / "berries.pdf").write_bytes(pdf("", NOTES["pruning"]))
    async with opened(str(tmp_path / "base.db"), notes={}) as made:
        await made.book.add(library)
        yield made


async def asked(desk: Desk, person: Person) -> Sent:
    answer = await desk.says(person, QUESTION)
    assert "[1] berries.pdf, p. 2" in answer.text
    return answer


async def test_a_button_sends_the_page_as_a_picture(desk: Desk) -> None:
    anna = desk.person(7)
    answer = await asked(desk, anna)
    assert list(answer.buttons)[:2] == ["[1]", LABEL]
    sent = await desk.presses(anna, answer, LABEL)
    assert sent.params["method"] == "sendPhoto"
    assert sent.text == "[1] berries.pdf, p. 2"
    (document,) = await desk.book.documents()
    data = photo_of(sent)
    assert data == await desk.book.page_picture(document.id, 2)
    assert max(Image.open(io.BytesIO(data), formats=["PNG"]).size) == pytest.approx(1600, abs=2)
    assert desk.telegram.called("sendChatAction")[-1]["action"] == "upload_photo"
    assert len(desk.telegram.called("answerCallbackQuery")) == 1


def photo_of(sent: Sent) -> bytes:
    """The uploaded file: its field has a name of its own, to which `photo` refers."""
    (data,) = [value for value in sent.params.values() if isinstance(value, bytes)]
    return data


@pytest.mark.parametrize(
    ("language", "label"), [("ru", "[1] с. 2: показать страницу"), ("pt", "[1] p. 2 como imagem")]
)
async def test_the_button_speaks_the_persons_language(desk: Desk, language: str, label: str) -> None:
    assert label in (await desk.says(desk.person(7, language), QUESTION)).buttons


async def test_a_source_without_pages_has_no_such_button(tmp_path: Path) -> None:
    async with opened(str(tmp_path / "notes.db")) as desk:
        answer = await desk.says(desk.person(7), QUESTION)
        assert list(answer.buttons) == ["[1]", "Ask an expert"]
        forged = answer.buttons["[1]"].replace("q:", "i:")
        await desk.feed(desk.person(7).presses(answer, forged))
        assert desk.notes() == ["This button is out of date."]


@pytest.mark.parametrize("is_known", [False, True], ids=["on the disk", "in the base too"])
async def test_a_page_of_a_file_that_has_changed_is_told_and_quoted(
    desk: Desk, tmp_path: Path, is_known: bool
) -> None:
    anna = desk.person(7)
    answer = await asked(desk, anna)
    (tmp_path / "library" / "berries.pdf").write_bytes(pdf("Other words.", "About other things."))
    if is_known:
        await desk.book.add(tmp_path / "library")
    sent = await desk.presses(anna, answer, LABEL)
    assert sent.params["method"] == "sendMessage"
    assert sent.text.startswith(GONE)
    assert "Prune everbearing raspberries in late autumn" in sent.text
    assert not desk.telegram.called("sendPhoto")


async def test_a_picture_that_telegram_refuses_is_told_and_quoted(desk: Desk) -> None:
    anna = desk.person(7)
    answer = await asked(desk, anna)
    desk.telegram.fail("sendPhoto", Failure(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"))
    sent = await desk.presses(anna, answer, LABEL)
    assert sent.text.startswith("This page could not be shown as a picture, so here is the quoted text.")
    assert "Prune everbearing raspberries in late autumn" in sent.text


async def test_nobody_else_and_nobody_who_is_blocked_gets_the_page(desk: Desk) -> None:
    anna, other = desk.person(7), desk.person(8)
    answer = await asked(desk, anna)
    data = answer.buttons[LABEL]
    await desk.feed(other.presses(answer, data))
    number, update = data.split(":")[1:]
    for forged in (f"i:9:{update}", f"i:{number}:99999", f"i:{number}", f"i:{number}:x", "i"):
        await desk.feed(anna.presses(answer, forged))
    assert desk.notes() == ["This button is out of date."] * 6
    await desk.book.people.block_user((await desk.user(anna)).id)
    await desk.feed(anna.presses(answer, data))
    assert desk.notes()[-1] == "You cannot use this bot. Ask the person who runs it."
    assert not desk.telegram.called("sendPhoto")
