"""The way of a question: what is told meanwhile, what is kept, and what is not."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from tests.unit.consulting import PRUNING, QUESTION, SOIL, UNKNOWN, WATER, desk, kinds

from sourcebook.consult.answer_policy import AnswerPolicy
from sourcebook.errors import BadProviderAnswer, NothingToSearchFor, SessionNotFound
from sourcebook.faces import json_shapes
from sourcebook.model.chat import (
    Answer,
    AnswerEvent,
    CitationChecked,
    Declined,
    Done,
    Failed,
    Role,
    Searching,
    SourceState,
    SupportGrade,
    Tier,
    TokenWritten,
)
from sourcebook.testing.fakes import ScriptedChatModel

if TYPE_CHECKING:
    from sourcebook.ports.chat import PromptMessage

pytestmark = pytest.mark.anyio

TRUE = "Prune everbearing raspberries in late autumn [1]."


def answer_of(events: list[AnswerEvent]) -> Answer:
    last = events[-1]
    assert isinstance(last, Done | Declined)
    return last.answer


def highlighted(answer: Answer) -> list[str]:
    """The words that carry the answer."""
    return [c.quote[start:end] for c in answer.citations for start, end in c.highlight]


def written(events: list[AnswerEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TokenWritten))


async def test_without_a_model_the_answer_is_quoted(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        events = await at.ask()
        assert kinds(events) == ["Searching", "PassagesFound", "TokenWritten", "CitationChecked", "Done"]
        answer = answer_of(events)
        assert answer.tier is Tier.DOCUMENTS
        assert all(c.verified and c.quote in PRUNING for c in answer.citations)
        assert all(s.verified for s in answer.sentences)


async def test_a_model_is_followed_piece_by_piece(tmp_path: Path) -> None:
    model = ScriptedChatModel(
        "Prune everbearing raspb", "erries in late autumn [", "1]. They fruit", " twice [1]."
    )
    async with desk(tmp_path, model) as at:
        events = await at.ask()
        assert kinds(events) == [
            "Searching",
            "PassagesFound",
            "TokenWritten",
            "CitationChecked",
            "TokenWritten",
            "CitationChecked",
            "Done",
        ]
        answer = answer_of(events)
        assert written(events) == answer.answer == f"{TRUE} They fruit twice [2]."
        assert [answer.answer[s.start : s.end] for s in answer.sentences] == [TRUE, "They fruit twice [2]."]
        assert [s.verified for s in answer.sentences] == [True, True]
        first = answer.citations[0]
        assert PRUNING[first.start : first.end] == first.quote
        assert "late autumn" in first.quote


async def test_a_sentence_that_the_passage_does_not_bear_out_is_unverified(tmp_path: Path) -> None:
    async with desk(
        tmp_path, ScriptedChatModel(f"{TRUE} ", "Do it in early spring [1]. ", "Enjoy them.")
    ) as at:
        answer = answer_of(await at.ask())
        assert [(s.verified, tuple(s.doubts)) for s in answer.sentences] == [
            (True, ()),
            (False, ("turned_around", "words")),
            (False, ("no_citation",)),
        ]
        assert [c.verified for c in answer.citations] == [True, False]


async def test_a_number_that_was_not_given_is_unverified_and_cites_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path, ScriptedChatModel("Prune everbearing raspberries in late autumn [7].")) as at:
        events = await at.ask()
        assert not [event for event in events if isinstance(event, CitationChecked)]
        (sentence,) = answer_of(events).sentences
        assert (sentence.verified, tuple(sentence.doubts)) == (False, ("unknown_number",))


async def test_a_number_that_was_not_given_is_never_shown_as_another(tmp_path: Path) -> None:
    model = ScriptedChatModel("Enjoy them [7]. ", f"{TRUE} ", "They fruit twice [1][0].")
    async with desk(tmp_path, model) as at:
        events = await at.ask()
        answer = answer_of(events)
        assert written(events) == answer.answer == f"Enjoy them [7]. {TRUE} They fruit twice [2][0]."
        assert [tuple(s.numbers) for s in answer.sentences] == [(7,), (1,), (2, 0)]
        assert [s.support for s in answer.sentences] == [
            SupportGrade.DOUBTFUL,
            SupportGrade.EXACT,
            SupportGrade.DOUBTFUL,
        ]
        assert {c.number for c in answer.citations} == {1, 2}


@pytest.mark.parametrize("mark", [" [1]", ""])
async def test_a_sentence_in_other_words_is_reworded_neither_verified_nor_doubtful(
    tmp_path: Path, mark: str
) -> None:
    model = ScriptedChatModel(f"Trim everbearing raspberries in late autumn{mark}.")
    async with desk(tmp_path, model) as at:
        (sentence,) = answer_of(await at.ask()).sentences
        assert (sentence.verified, sentence.support) == (False, SupportGrade.CLOSE)
        assert (tuple(sentence.numbers), tuple(sentence.doubts)) == ((1,), ("reworded",))


async def test_a_sentence_without_a_mark_gets_the_source_that_bears_it_out(tmp_path: Path) -> None:
    model = ScriptedChatModel("Prune everbearing raspberries in late autumn. ", "The moon is made of cheese.")
    async with desk(tmp_path, model) as at:
        answer = answer_of(await at.ask())
    assert answer.answer == "Prune everbearing raspberries in late autumn. [1] The moon is made of cheese."
    assert [(s.numbers, s.verified, s.doubts) for s in answer.sentences] == [
        ((1,), True, ()),
        ((), False, ("no_citation",)),
    ]
    assert [answer.answer[s.start : s.end] for s in answer.sentences] == [
        "Prune everbearing raspberries in late autumn. [1]",
        "The moon is made of cheese.",
    ]
    assert [c.verified for c in answer.citations] == [True]


async def test_marks_between_sentences_belong_to_the_one_before(tmp_path: Path) -> None:
    async with desk(tmp_path, ScriptedChatModel("Prune in late autumn. [1] The weather is fine.")) as at:
        answer = answer_of(await at.ask())
        assert [tuple(s.numbers) for s in answer.sentences] == [(1,), ()]


@pytest.mark.parametrize("pieces", [["NOT_IN_THE_BASE"], ["NOT_", "IN_THE", "_BASE."], [""], [" \n"]])
async def test_a_model_that_finds_nothing_declines_without_a_word(tmp_path: Path, pieces: list[str]) -> None:
    async with desk(tmp_path, ScriptedChatModel(*pieces)) as at:
        events = await at.ask()
        assert kinds(events) == ["Searching", "PassagesFound", "Declined"]
        assert answer_of(events).tier is Tier.NONE


async def test_what_the_base_does_not_hold_is_declined_without_asking_the_model(tmp_path: Path) -> None:
    model = ScriptedChatModel("The gearbox wants much oil.")
    async with desk(tmp_path, model) as at:
        answer = answer_of(await at.ask(UNKNOWN))
        assert (answer.tier, answer.citations, model.asked) == (Tier.NONE, (), [])
        (session,) = await at.book.sessions()
        assert session.message_count == 2


async def test_declining_speaks_the_language_of_the_question(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        answer = answer_of(await at.ask("Какое масло подходит для коробки передач трактора?"))
        assert answer.answer.startswith("В базе не нашлось")


async def test_a_model_that_fails_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    broken = BadProviderAnswer("broke off", hint="Look there.")
    model = ScriptedChatModel("Prune everbearing", " raspberries", broken)
    async with desk(tmp_path, model) as at:
        events = await at.ask()
        last = events[-1]
        assert isinstance(last, Failed)
        assert (last.code, last.message, last.hint) == ("bad_provider_answer", "broke off.", "Look there.")
        assert written(events) == "Prune everbearing raspberries"
        assert await at.book.sessions() == []
        with pytest.raises(BadProviderAnswer):
            await at.book.ask(QUESTION)
        assert await at.book.sessions() == []


async def test_who_stops_listening_stops_the_model_and_nothing_is_stored(tmp_path: Path) -> None:
    model = ScriptedChatModel(*["word "] * 1000, pause=0.01)
    async with desk(tmp_path, model) as at:
        async with anyio.create_task_group() as asking:
            asking.start_soon(at.ask)
            while not model.asked:  # noqa: ASYNC110 - it has no event
                await anyio.sleep(0.01)
            await anyio.sleep(0.05)  # some words may come
            asking.cancel_scope.cancel()
        assert (len(model.asked), model.closed) == (1, 1)
        assert await at.book.sessions() == []


async def test_the_prompt_holds_the_passages_the_terms_and_the_question(tmp_path: Path) -> None:
    model = ScriptedChatModel(TRUE)
    async with desk(tmp_path, model) as at:
        await at.book.add_term("everbearing raspberry", "primocane raspberry")
        await at.book.add_term("spanner", "wrench")
        await at.ask()
        system, question = model.asked[0]
        assert PRUNING in system.content
        assert "primocane raspberry (not: everbearing raspberry)" in system.content
        assert "wrench" not in system.content
        assert (question.role, question.content) == ("user", QUESTION)


async def test_a_listed_term_is_corrected_an_inflected_one_is_flagged_and_spans_stay_right(
    tmp_path: Path,
) -> None:
    said = "Prune the everbearing in late autumn [1]. Everbearings fruit twice [1]. Buy a hat."
    async with desk(tmp_path, ScriptedChatModel(said)) as at:
        await at.book.add_term("everbearing", "primocane variety")
        answer = answer_of(await at.ask())
        assert answer.answer.startswith("Prune the primocane variety in late autumn [1]. Everbearings")
        assert [entry["corrected"] for entry in answer.details["terms"]] == [True, False]  # type: ignore[index,union-attr,call-overload]
        shown = [answer.answer[s.start : s.end] for s in answer.sentences]
        assert shown[1:] == ["Everbearings fruit twice [2].", "Buy a hat."]
        assert not answer.sentences[2].verified


async def test_a_follow_up_is_searched_with_the_question_before(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        first = answer_of(await at.ask())
        events = await at.ask("And why?", session_id=first.session_id)
        assert events[0] == Searching(f"{QUESTION} And why?")
        assert answer_of(events).session_id == first.session_id
        assert await at.turns() == 4


async def test_a_follow_up_is_answered_and_not_the_question_before(tmp_path: Path) -> None:
    note = (
        "Prune everbearing raspberries in late autumn. Six canes of everbearing raspberries stay on a metre. "
        "Everbearing raspberries fruit twice."
    )
    async with desk(tmp_path, notes={"pruning": note}) as at:
        first = answer_of(await at.ask())
        assert highlighted(first) == ["Prune everbearing raspberries in late autumn."]
        second = answer_of(await at.ask("And how many canes stay on a metre?", session_id=first.session_id))
        assert highlighted(second) == ["Six canes of everbearing raspberries stay on a metre."]


async def test_the_conversation_goes_into_the_prompt_as_far_as_there_is_room(tmp_path: Path) -> None:
    model = ScriptedChatModel(TRUE)
    async with desk(tmp_path, model) as at:
        session = await at.book.create_session()
        for number in range(4):
            await at.book.stores.sessions.add_turn(
                session.id, f"question {number}", f"{number} " * 600, Tier.NONE, (), {}
            )
        await at.ask(session_id=session.id)
        told = [message.content[:10] for message in model.asked[0]]
        assert told[1:] == ["question 2", "2 2 2 2 2 ", "question 3", "3 3 3 3 3 ", QUESTION[:10]]


async def test_another_persons_session_is_not_found(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        answer = answer_of(await at.ask())
        with pytest.raises(SessionNotFound):
            await at.ask(session_id=answer.session_id, user_id=2)
        with pytest.raises(SessionNotFound):
            await at.book.ask(QUESTION, session="nobody's")
        assert await at.turns() == 2


async def test_an_empty_question_is_refused(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        with pytest.raises(NothingToSearchFor):
            await at.ask("  ")


async def test_a_curated_answer_goes_first_with_its_approver_and_sources(tmp_path: Path) -> None:
    model = ScriptedChatModel("never")
    async with desk(tmp_path, model) as at:
        source = await at.book.kb_source("soil", quote="between 4.0\nand 5.0")
        entry = await at.book.kb_insert(
            "From 4 to 5.", category="soil", question="Which pH do blueberries need?", sources=[source]
        )
        answer = answer_of(await at.ask("Which pH do blueberries need?"))
        assert (answer.tier, answer.answer, answer.curated_id) == (Tier.CURATED, "From 4 to 5.", entry.id)
        assert (answer.details["approved_by"], answer.details["stale"]) == (1, None)
        (citation,) = answer.citations
        assert (citation.document_id, citation.quote, citation.state) == (
            "soil",
            "between 4.0 and 5.0",
            SourceState.CURRENT,
        )
        assert SOIL[citation.start : citation.end] == citation.quote
        assert model.asked == []


async def test_what_was_approved_of_there_is_not_answered_about_another_place(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        asked = "Is loud music allowed there?"
        await at.book.kb_insert("Until ten.", category="camp", question=asked)
        first = answer_of(await at.ask())
        followed = answer_of(await at.ask(asked, session_id=first.session_id))
        assert followed.tier is not Tier.CURATED
        assert followed.details["whole_question"] == f"{QUESTION} {asked}"
        assert answer_of(await at.ask(asked)).tier is Tier.CURATED


async def test_a_filter_leaves_curated_answers_out(tmp_path: Path) -> None:
    from sourcebook import Equals

    async with desk(tmp_path) as at:
        await at.book.kb_insert("In March.", category="x", question=QUESTION)
        assert answer_of(await at.ask()).tier is Tier.CURATED
        limited = answer_of(await at.ask(filter=Equals("title", "Pruning")))
        assert limited.tier is Tier.DOCUMENTS


async def test_a_stored_citation_says_what_became_of_its_source(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        answer = answer_of(await at.ask())
        assert answer.session_id is not None

        async def states() -> set[SourceState]:
            conversation = await at.book.session(answer.session_id or "")
            return {c.state for m in conversation.messages if m.role is Role.ASSISTANT for c in m.citations}

        assert await states() == {SourceState.CURRENT}
        await at.book.add_text("Prune them in March.", id="pruning", title="Pruning")
        assert await states() == {SourceState.CHANGED}
        await at.book.remove_document("pruning")
        assert await states() == {SourceState.REMOVED}


async def test_help_answers_from_the_manual_and_keeps_it_current(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        answer = await at.book.help("What is a citation, and when is it verified?")
        assert answer.tier is Tier.DOCUMENTS
        assert all(c.document_path.startswith("manual/") for c in answer.citations)
        conversation = await at.book.session(answer.session_id or "")
        assert {c.state for c in conversation.messages[1].citations} == {SourceState.CURRENT}


async def test_help_knows_nothing_of_the_other_documents(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        answer = await at.book.help(QUESTION)
        assert all(c.collection_id != "default" for c in answer.citations)
        await at.book.add_text(PRUNING, id="guide", metadata={"type": "documentation"})
        found = await at.book.help(QUESTION)
        assert found.citations[0].document_id == "guide"
        assert "pruning" not in {c.document_id for c in found.citations}


class EndlessModel:
    """A model of somebody's own that never stops."""

    name = "endless"

    def __init__(self, piece: str) -> None:
        self.piece = piece
        self.is_closed = False

    async def stream(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str, None]:
        try:
            while True:
                yield self.piece
        finally:
            self.is_closed = True


@pytest.mark.parametrize("piece", ["On and on. ", ""])
async def test_a_model_of_ones_own_that_never_stops_is_given_up(tmp_path: Path, piece: str) -> None:
    model = EndlessModel(piece)
    async with desk(tmp_path, model) as at:
        policy = AnswerPolicy(answer_size=500, answer_pieces=300)
        vars(at.consultation)["_policy"] = policy
        failed = (await at.ask())[-1]
        assert isinstance(failed, Failed)
        assert (failed.code, model.is_closed, await at.turns()) == ("bad_provider_answer", True, 0)


async def test_a_decline_quotes_the_two_that_came_closest_each_in_its_own_words(tmp_path: Path) -> None:
    notes = {
        "bonfires": "Bonfires of dry leaves are allowed from November to March.",
        "compost": "Leaves go on the heap behind the shed, never into the bin.",
        "copy": "Bonfires of dry leaves are allowed from November to March.",
        "water": WATER,
    }
    async with desk(tmp_path, notes=notes) as at:
        declined = answer_of(await at.ask("May I shred my leaves with the machine of the club?"))
        assert declined.tier is Tier.NONE
        first, second, *others = declined.nearest_excerpts
        assert {first, second} == {notes["bonfires"], notes["compost"]}
        assert others == [None] * len(others)
        assert declined.nearest_excerpt == first
        shown = json_shapes.answer(declined)
        assert [each["excerpt"] for each in shown["nearest"]] == [first, second, *others]
