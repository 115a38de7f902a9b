"""What every store of conversations, curated answers and terms promises."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from sourcebook.errors import EmbeddingSizeMismatch, SessionNotFound, UsageError
from sourcebook.model.chat import Citation, Role, SourceState, SupportGrade, Tier, read_note
from sourcebook.model.consultations import Direction
from sourcebook.model.curation import CuratedSource, SourceType
from sourcebook.model.documents import Collection, Document, EmbeddingModel, PreparedDocument
from sourcebook.model.moderation import DraftKind, NewDraft

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sourcebook.assembly import OpenBase
    from sourcebook.model.chat import ChatSession
    from sourcebook.model.documents import JsonValue
    from sourcebook.testing.fakes import FixedClock

LOCAL = 1
"""The user that every base has from the beginning."""

QUOTE = "Canes are cut in October."


def citation(**changes: object) -> Citation:
    made = Citation(
        number=1,
        text="[Source: Notes](notes.md)",
        collection_id="c",
        document_id="d",
        document_path="notes.md",
        document_title="Notes",
        chunk_id="k1",
        page=3,
        start=0,
        end=len(QUOTE),
        quote=QUOTE,
        verified=True,
        file_hash="a" * 64,
        doubts=("number",),
        support=SupportGrade.DOUBTFUL,
        section="Notes > Canes",
        highlight=((0, 5), (14, 24)),
        also_in=("copies/guide.pdf",),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


async def put_document(base: OpenBase, content: str, file_hash: str) -> None:
    model = EmbeddingModel.of_caller(2)
    await base.stores.library.open_collection("c", model)
    present = await base.stores.library.get_document("c", "d")
    document = Document("d", content, file_path="notes.md", file_hash=file_hash)
    await base.stores.writer.replace_document(
        "c", PreparedDocument(document, (), model, expected_hash=present.file_hash if present else None)
    )


async def a_session(base: OpenBase) -> ChatSession:
    return await base.stores.sessions.create_session(LOCAL, "cli")


@pytest.mark.anyio
class SessionsContract:
    """Also needs a fixture `clock`: the `FixedClock` that the base was opened with."""

    async def test_a_session_comes_back_as_it_was_made(self, base: OpenBase) -> None:
        made = await base.stores.sessions.create_session(
            LOCAL, "web", title="Малина", scope={"category": "ягоды", "collections": ["a", "b"]}
        )
        assert await base.stores.sessions.get_session(made.id, LOCAL) == made

    async def test_another_users_session_is_not_found(self, base: OpenBase) -> None:
        sessions = base.stores.sessions
        made = await a_session(base)
        await sessions.add_turn(made.id, "q", "a", Tier.NONE, (), {})
        assert await sessions.get_session(made.id, 2) is None
        assert await sessions.list_sessions(2) == []
        assert not await sessions.remove_session(made.id, 2)
        with pytest.raises(SessionNotFound):
            await sessions.messages(made.id, 2)
        with pytest.raises(SessionNotFound):
            await sessions.rename_session(made.id, 2, "mine")

    async def test_sessions_come_in_parts_and_are_found_by_what_was_said(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        sessions = base.stores.sessions
        for number in range(5):
            made = await a_session(base)
            await sessions.add_turn(made.id, f"Вопрос {number}", "an answer", Tier.NONE, (), {})
            clock.wait(number % 2)
        everything = await sessions.list_sessions(LOCAL)
        first = await sessions.list_sessions(LOCAL, 2)
        rest = await sessions.list_sessions(LOCAL, 10, after=first[-1])
        assert [*first, *rest] == everything
        assert len(everything) == 5
        (found,) = await sessions.search_sessions(LOCAL, "ВОПРОС 3")
        assert found.title == "Вопрос 3"
        assert len(await sessions.search_sessions(LOCAL, "answer", 2)) == 2
        assert await sessions.search_sessions(2, "answer") == []

    async def test_an_experts_reply_is_unread_until_that_is_noted(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        sessions, queue = base.stores.sessions, base.stores.moderation
        made = await a_session(base)
        await sessions.add_turn(made.id, "Why?", "not in the base", Tier.NONE, (), {})
        assert await sessions.unread_replies(LOCAL, 0) == []
        asked = await queue.add(NewDraft(LOCAL, DraftKind.DECLINED, "Why?", session_id=made.id))
        await queue.reply(asked.id, LOCAL, "Because.")
        ((session_id, message_id),) = await sessions.unread_replies(LOCAL, 0)
        assert session_id == made.id
        assert await sessions.unread_replies(LOCAL, clock.now() + 1) == []
        assert await sessions.unread_replies(LOCAL + 1, 0) == []
        await base.stores.messages.log_message(
            LOCAL, Direction.INCOMING, chat_message_id=message_id, external_id=read_note(message_id)
        )
        assert await sessions.unread_replies(LOCAL, 0) == []

    async def test_what_the_documents_answer_later_is_no_reply_of_an_expert(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        sessions, queue = base.stores.sessions, base.stores.moderation
        made = await a_session(base)
        await sessions.add_turn(made.id, "Why?", "not in the base", Tier.NONE, (), {})
        asked = await queue.add(NewDraft(LOCAL, DraftKind.DECLINED, "Why?", session_id=made.id))
        await queue.close_found(asked.id, QUOTE, [citation()], "the documents answer it now: d.md")
        *_, found = await sessions.messages(made.id, LOCAL)
        assert (found.tier, found.content, len(found.citations)) == (Tier.DOCUMENTS, QUOTE, 1)
        assert await sessions.unread_replies(LOCAL, 0) == []
        # It was asked once, and declined then.
        assert (await queue.tally(0, clock.now() + 1)).tiers == {"none": 1}

    async def test_a_turn_is_stored_with_its_citations_and_in_order(self, base: OpenBase) -> None:
        sessions = base.stores.sessions
        made = await a_session(base)
        await sessions.add_turn(made.id, "one", "first", Tier.DOCUMENTS, [citation()], {"why": [1, None]})
        await sessions.add_turn(made.id, "two", "second", Tier.NONE, (), {})
        found = await sessions.messages(made.id, LOCAL)
        assert [(m.role, m.content, m.position) for m in found] == [
            (Role.USER, "one", 0),
            (Role.ASSISTANT, "first", 1),
            (Role.USER, "two", 2),
            (Role.ASSISTANT, "second", 3),
        ]
        assert found[1].citations == (citation(state=SourceState.REMOVED),)
        assert (found[1].tier, found[1].details) == (Tier.DOCUMENTS, {"why": [1, None]})
        assert [m.content for m in await sessions.messages(made.id, LOCAL, last=2)] == ["two", "second"]

    async def test_the_first_question_names_the_session_and_each_turn_moves_it_up(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        sessions = base.stores.sessions
        older, newer = await a_session(base), await a_session(base)
        clock.wait(5)
        await sessions.add_turn(newer.id, "n", "a", Tier.NONE, (), {})
        clock.wait(5)
        await sessions.add_turn(older.id, "  When do I\nprune? ", "a", Tier.NONE, (), {})
        await sessions.add_turn(older.id, "And then?", "a", Tier.NONE, (), {})
        first, second = await sessions.list_sessions(LOCAL)
        assert (first.id, first.title, first.message_count) == (older.id, "When do I prune?", 4)
        assert second.id == newer.id
        assert [s.id for s in await sessions.list_sessions(LOCAL, limit=1)] == [older.id]

    async def test_a_session_can_be_renamed_and_removed_with_its_messages(self, base: OpenBase) -> None:
        sessions = base.stores.sessions
        made = await a_session(base)
        await sessions.add_turn(made.id, "q", "a", Tier.NONE, (), {})
        await sessions.rename_session(made.id, LOCAL, "Обрезка")
        renamed = await sessions.get_session(made.id, LOCAL)
        assert renamed is not None
        assert renamed.title == "Обрезка"
        assert await sessions.remove_session(made.id, LOCAL)
        assert not await sessions.remove_session(made.id, LOCAL)
        with pytest.raises(SessionNotFound):
            await sessions.add_turn(made.id, "q", "a", Tier.NONE, (), {})

    async def test_turns_of_many_at_once_keep_question_and_answer_together(self, base: OpenBase) -> None:
        sessions = base.stores.sessions
        made = await a_session(base)
        async with anyio.create_task_group() as tasks:
            for n in range(12):
                tasks.start_soon(self._turn, base, made.id, n)
        found = await sessions.messages(made.id, LOCAL)
        assert [m.position for m in found] == list(range(24))
        assert all(q.content[1:] == a.content[1:] for q, a in zip(found[::2], found[1::2], strict=True))

    async def _turn(self, base: OpenBase, session_id: str, n: int) -> None:
        await base.stores.sessions.add_turn(session_id, f"q{n}", f"a{n}", Tier.NONE, (), {})

    async def test_of_a_passage_beside_an_answer_that_was_removed_no_words_are_left(
        self, base: OpenBase
    ) -> None:
        sessions = base.stores.sessions
        made = await a_session(base)
        await put_document(base, f"Notes.\n{QUOTE}\nMore.", "a" * 64)
        place: dict[str, JsonValue] = {
            "collection_id": "c",
            "document_id": "d",
            "document_path": "notes.md",
            "excerpt": QUOTE,
            "quote": QUOTE,
            "file_hash": "a" * 64,
        }
        details: dict[str, JsonValue] = {
            "nearest": [place, {**place, "excerpt": None, "quote": None}],
            "nearest_excerpt": QUOTE,
            "see_also": [place],
        }
        await sessions.add_turn(made.id, "q", "a", Tier.NONE, (), details)

        async def told() -> Mapping[str, Any]:
            return (await sessions.messages(made.id, LOCAL))[1].details

        async def states() -> list[str]:
            now = await told()
            return [each["state"] for each in (*now["nearest"], *now["see_also"])]

        assert await states() == ["current", "current", "current"]
        await put_document(base, f"Notes.\n{QUOTE.replace('October', 'March')}", "c" * 64)
        assert await states() == ["changed", "current", "changed"]
        await base.stores.writer.set_active("c", "d", active=False)
        assert await states() == ["removed", "removed", "removed"]
        assert QUOTE not in str(await told())
        await base.stores.writer.set_active("c", "d", active=True)
        assert QUOTE in str(await told())

    async def test_a_citation_says_whether_its_source_still_stands(self, base: OpenBase) -> None:
        sessions = base.stores.sessions
        made = await a_session(base)
        await put_document(base, f"Notes.\n{QUOTE}\nMore.", "a" * 64)
        await sessions.add_turn(made.id, "q", "a", Tier.DOCUMENTS, [citation()], {})

        async def state() -> SourceState:
            return (await sessions.messages(made.id, LOCAL))[1].citations[0].state

        assert await state() is SourceState.CURRENT
        await put_document(base, f"Other notes.\n{QUOTE.replace(' in ', chr(10) + 'in ')}", "b" * 64)
        assert await state() is SourceState.CURRENT
        await put_document(base, f"Notes.\n{QUOTE.replace('October', 'March')}", "c" * 64)
        assert await state() is SourceState.CHANGED
        await base.stores.writer.set_active("c", "d", active=False)
        assert await state() is SourceState.REMOVED
        await base.stores.writer.remove_document("c", "d")
        assert await state() is SourceState.REMOVED


@pytest.mark.anyio
class CuratedBaseContract:
    async def _open(self, base: OpenBase) -> None:
        await base.stores.vectors.create_collection(Collection("c", 2))

    async def test_an_entry_comes_back_as_it_was_made(self, base: OpenBase) -> None:
        await self._open(base)
        await put_document(base, f"{QUOTE} More.", "a" * 64)
        source = CuratedSource(
            "c", "d", "notes.md", QUOTE, "Notes", "k1", 3, 0, 25, "a" * 64, section="Care > Pruning"
        )
        made = await base.stores.curated.kb_insert(
            collection_id="c",
            category="Ягоды",
            subcategory="Малина Ремонтантная",
            question="Когда обрезать?",
            answer="В октябре.",
            embedding=[1.0, 0.0],
            source_type=SourceType.FAQ,
            language="ru",
            approved_by=LOCAL,
            sources=[source],
        )
        assert (made.question, made.answer, made.approved_by) == ("Когда обрезать?", "В октябре.", LOCAL)
        assert made.sources == (replace(source, state=SourceState.CURRENT),)
        assert await base.stores.curated.kb_get(made.id) == made
        assert await base.stores.curated.kb_list("c") == [made]
        assert await base.stores.curated.kb_list("other") == []

    async def test_search_is_by_cosine_distance_strictly_below_the_threshold(self, base: OpenBase) -> None:
        await self._open(base)
        curated = base.stores.curated
        for name, vector in (("same", [2.0, 0.0]), ("near", [1.0, 1.0]), ("far", [0.0, 1.0])):
            await curated.kb_insert(collection_id="c", category="k", answer=name, embedding=vector)
        found = await curated.kb_search("k", [1.0, 0.0], distance_threshold=1.0, collection_id="c")
        assert [m.entry.answer for m in found] == ["same", "near"]
        assert [round(m.distance, 3) for m in found] == [0.0, 0.293]
        assert len(await curated.kb_search("k", [1.0, 0.0], distance_threshold=1.5, collection_id="c")) == 3
        assert len(await curated.kb_search("k", [1.0, 0.0], collection_id="c")) == 2
        assert len(await curated.kb_search("k", [1.0, 0.0], limit=1, collection_id="c")) == 1

    async def test_a_category_compares_in_its_normal_form_and_none_means_all(self, base: OpenBase) -> None:
        await self._open(base)
        curated = base.stores.curated
        await curated.kb_insert(collection_id="c", category="Вёсенний  Уход", answer="a", embedding=[1, 0])
        assert await curated.kb_search("весенний_уход", [1.0, 0.0], collection_id="c")
        assert await curated.kb_search(None, [1.0, 0.0], collection_id="c")
        assert await curated.kb_search("осенний", [1.0, 0.0], collection_id="c") == []

    async def test_a_subcategory_brings_the_general_entries_behind_its_own(self, base: OpenBase) -> None:
        await self._open(base)
        curated = base.stores.curated
        for subcategory, vector in (
            ("малина_ремонтантная", [1.0, 0.3]),
            ("малина_общая", [1.0, 0.1]),
            (None, [1.0, 0.0]),
            ("малина_летняя", [1.0, 0.0]),
        ):
            await curated.kb_insert(
                collection_id="c",
                category="k",
                subcategory=subcategory,
                answer=str(subcategory),
                embedding=vector,
            )
        found = await curated.kb_search("k", [1.0, 0.0], "Малина ремонтантная", collection_id="c")
        assert [m.entry.answer for m in found] == ["малина_ремонтантная", "None", "малина_общая"]

    async def test_an_entry_can_be_removed(self, base: OpenBase) -> None:
        await self._open(base)
        made = await base.stores.curated.kb_insert(
            collection_id="c", category="k", answer="a", embedding=[1.0, 0.0]
        )
        assert await base.stores.curated.kb_remove(made.id)
        assert not await base.stores.curated.kb_remove(made.id)
        assert await base.stores.curated.kb_search("k", [1.0, 0.0], collection_id="c") == []

    async def test_what_is_no_entry_is_refused_and_leaves_nothing(self, base: OpenBase) -> None:
        await self._open(base)
        curated = base.stores.curated
        with pytest.raises(UsageError):
            await curated.kb_insert(collection_id="c", category=" ", answer="a", embedding=[1.0, 0.0])
        with pytest.raises(UsageError):
            await curated.kb_insert(collection_id="c", category="k", answer=" ", embedding=[1.0, 0.0])
        with pytest.raises(EmbeddingSizeMismatch):
            await curated.kb_insert(collection_id="c", category="k", answer="a", embedding=[1.0])
        assert await curated.kb_list() == []


@pytest.mark.anyio
class TerminologyContract:
    async def test_terms_are_listed_added_changed_and_removed(self, base: OpenBase) -> None:
        terms = base.stores.terms
        first = await terms.add_term("виктория", "садовая земляника", "народное имя", "ru")
        await terms.add_term("sucker", "root shoot")
        changed = await terms.add_term(" Виктория ", "земляника садовая")
        assert changed.id == first.id
        assert [(t.term, t.preferred_phrase) for t in await terms.get_all_terms()] == [
            ("sucker", "root shoot"),
            ("Виктория", "земляника садовая"),
        ]
        assert await terms.delete_term("ВИКТОРИЯ")
        assert not await terms.delete_term("виктория")

    async def test_a_term_without_words_is_refused(self, base: OpenBase) -> None:
        with pytest.raises(UsageError):
            await base.stores.terms.add_term("  ", "phrase")
        with pytest.raises(UsageError):
            await base.stores.terms.add_term("term", " ")
