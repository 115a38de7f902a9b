"""What the base is not sure of, a chat model reads: it may decline, and some of what it says must be found there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.consulting import Desk, desk, kinds

from sourcebook import Settings
from sourcebook.errors import BadProviderAnswer
from sourcebook.model.chat import Answer, Declined, Done, Failed, Tier
from sourcebook.testing.fakes import ScriptedChatModel

pytestmark = pytest.mark.anyio

UNSURE = "How much do plants drink?"
SUPPORTED = "Two litres of water for each tomato plant are enough [1]."
INVENTED = "Nine buckets of milk a week, says the gardener of the king [1]."


async def asked(at: Desk, question: str = UNSURE) -> tuple[list[str], Answer]:
    events = await at.ask(question)
    last = events[-1]
    assert isinstance(last, Done | Declined)
    return kinds(events), last.answer


async def test_without_a_model_the_question_is_declined(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        _, answer = await asked(at)
        assert answer.tier is Tier.NONE
        assert answer.details["left_to_model"] is False


async def test_what_the_model_finds_in_the_passages_is_answered(tmp_path: Path) -> None:
    model = ScriptedChatModel(SUPPORTED)
    async with desk(tmp_path, model) as at:
        events, answer = await asked(at)
        assert events == ["Searching", "PassagesFound", "TokenWritten", "CitationChecked", "Done"]
        assert answer.tier is Tier.DOCUMENTS
        assert answer.details["left_to_model"] is True
        assert [c.document_title for c in answer.citations] == ["Water"]
        (prompt,) = model.asked
        assert "may be about something else" in prompt[0].content


async def test_a_model_is_not_told_to_doubt_what_the_base_is_sure_of(tmp_path: Path) -> None:
    model = ScriptedChatModel("Prune everbearing raspberries in late autumn [1].")
    async with desk(tmp_path, model) as at:
        await asked(at, "When do I prune everbearing raspberries?")
        (prompt,) = model.asked
        assert "may be about something else" not in prompt[0].content
        assert "write only NOT_IN_THE_BASE" in prompt[0].content


@pytest.mark.parametrize(
    "said",
    [
        "NOT_IN_THE_BASE",
        "I don't know.",
        INVENTED,
        "Nine buckets of milk.",
        f"{INVENTED} {INVENTED} {SUPPORTED}",
    ],
)
async def test_a_model_that_declines_or_invents_leaves_a_decline_and_not_a_word(
    tmp_path: Path, said: str
) -> None:
    async with desk(tmp_path, ScriptedChatModel(said)) as at:
        events, answer = await asked(at)
        assert events == ["Searching", "PassagesFound", "Declined"]
        assert answer.tier is Tier.NONE
        assert [passage.document_title for passage in answer.nearest][:1] == ["Water"]


async def test_a_model_that_fails_is_told_of(tmp_path: Path) -> None:
    broken = BadProviderAnswer("broke off", hint="Look there.")
    async with desk(tmp_path, ScriptedChatModel("Two litres", broken)) as at:
        assert isinstance((await at.ask(UNSURE))[-1], Failed)


@pytest.mark.parametrize(
    ("settings", "reads"),
    [
        (Settings(chat_model="openai:large"), True),
        (Settings(chat_model="ollama:small"), False),
        (Settings(chat_model="local:small"), False),
        (Settings(chat_model="local:small", chat_reads_unsure=True), True),
        (Settings(chat_model="openai:large", chat_reads_unsure=False), False),
    ],
    ids=["openai", "ollama", "local", "local, wanted", "openai, not wanted"],
)
async def test_small_models_read_it_only_if_wanted(tmp_path: Path, settings: Settings, reads: bool) -> None:
    model = ScriptedChatModel(SUPPORTED)
    async with desk(tmp_path, model, settings=settings) as at:
        await asked(at)
        assert bool(model.asked) is reads


async def test_a_follow_up_that_the_whole_question_answers_is_not_left_to_the_model(tmp_path: Path) -> None:
    model = ScriptedChatModel("Prune everbearing raspberries in late autumn [1].")
    async with desk(tmp_path, model) as at:
        _, first = await asked(at, "When do I prune everbearing raspberries?")
        events = await at.ask("And blueberries, which soil?", session_id=first.session_id)
        last = events[-1]
        assert isinstance(last, Done | Declined)
        assert last.answer.details["left_to_model"] is False
