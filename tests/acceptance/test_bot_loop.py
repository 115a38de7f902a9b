"""The loop of the product in Telegram, in Russian: asked, reviewed, given to the next one, and known to be stale."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from scripts import sample
from tests.faces.telegram_desk import ADMIN, opened

from sourcebook.assembly import make_embedder
from sourcebook.model.moderation import DraftKind
from sourcebook.settings import Settings

pytestmark = pytest.mark.anyio

FOLDER = "малина_ремонтантная"
ASKED = "Когда обрезают ремонтантную малину?"
EDITED = "Поздней осенью срезают все побеги вровень с землёй."
SIMILAR = "Когда нужно обрезать ремонтантную малину?"
UNKNOWN = "На какой полке лежит секатор?"
REPLY = "Секатор лежит на верхней полке сарая."


async def test_the_loop_goes_round_in_the_bot(db: str, tmp_path: Path) -> None:
    library = tmp_path / "library"
    shutil.copytree(sample.DOCUMENTS / FOLDER, library / FOLDER)
    note = library / FOLDER / "сарай.md"
    embedder = make_embedder(Settings())
    assert embedder is not None
    async with opened(db, embedder=embedder, notes={}) as desk:
        anna, boris, admin = (
            desk.person(7, "ru", "Анна"),
            desk.person(8, "ru", "Борис"),
            desk.person(ADMIN, "ru", "Эксперт"),
        )
        assert (await desk.book.add(library)).failed == []

        # A question, answered from the documents; the answer waits for review and is approved with an edit.
        answer = await desk.says(anna, ASKED)
        assert "Источники\n[1]" in answer.text
        assert "обрезка_осенью.md" in answer.text
        assert await desk.balance(anna) == 0
        draft = await desk.says(admin, "/moderate")
        assert ASKED in draft.text
        await desk.presses(admin, draft, "Изменить")
        assert "одобрено" in (await desk.says(admin, EDITED)).text

        # Somebody else asks much the same: the approved answer, free.
        given = await desk.says(boris, SIMILAR)
        assert EDITED.rstrip(".") in given.text
        assert "обрезка_осенью.md" in given.text
        assert "Ответ одобрен экспертом." in given.text
        assert await desk.balance(boris) == 1

        # What the base does not hold goes to the expert, whose reply reaches the asker and is kept with one tap.
        assert "ответ придёт сюда" in (await desk.says(boris, UNKNOWN)).text
        await desk.deliver()
        told = desk.telegram.last(ADMIN)
        assert UNKNOWN in told.text
        note.write_text(f"# Сарай\n\n{REPLY}\n", "utf-8")
        await desk.feed(admin.replies(told, REPLY))
        done = desk.telegram.last(ADMIN)
        await desk.deliver()
        assert REPLY in desk.telegram.last(8).text
        await desk.book.add(library)
        await desk.presses(admin, done, "Сохранить как одобренный ответ")
        kept = await desk.says(anna, UNKNOWN)
        assert REPLY.rstrip(".") in kept.text
        assert "сарай.md" in kept.text

        # The source changes: the answer says so, and is back in the queue.
        note.write_text("# Сарай\n\nСекатор висит в подвале на гвозде.\n", "utf-8")
        await desk.book.add(library)
        assert "его источник изменился" in (await desk.says(boris, UNKNOWN)).text
        await desk.deliver()
        assert desk.telegram.last(ADMIN).text.startswith("У одобренного ответа изменился источник")
        (stale,) = await desk.book.moderation.get_pending_moderation_items(kind=DraftKind.STALE)
        assert stale.question == UNKNOWN
