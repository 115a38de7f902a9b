"""Questions that follow each other, with the real embedder: the next one is not answered by what answered the last."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from sourcebook import Equals, Settings, Sourcebook, Tier
from sourcebook.model.moderation import DraftKind

RULES = (
    "# Rules of the allotments\n\n"
    "## Rent\n\nThe rent for a full plot is 64 pounds a year, for a half plot 36. Rent is due on 1 October.\n\n"
    "## Animals\n\nHens may be kept, up to twelve, but no cockerels. Rabbits are allowed. Bees need written permission "
    "from the committee.\n\n"
    "## Bonfires\n\nBonfires are allowed from 1 November to 31 March, and never on a Sunday.\n"
)
WORKSHOP = (
    "# Мастерская\n\n**Сколько стоит аренда верстака?** Час стоит 350 рублей, день 1800 рублей.\n\n"
    "**Можно ли прийти с ребёнком?** Да, с восьми лет и только со взрослым.\n"
)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sourcebook]:
    db = tmp_path_factory.mktemp("conversation") / "base.db"
    with Sourcebook(settings=Settings(db=str(db), chat_model="none")) as opened:
        opened.add_text(RULES, id="rules", title="Rules")
        opened.add_text(WORKSHOP, id="workshop", title="Мастерская")
        yield opened


@pytest.mark.parametrize(
    ("first", "next_one"),
    [
        ("How much is a half plot?", "Who is the chairman?"),
        ("How much is a half plot?", "Is there a toilet?"),
        ("Can I keep bees?", "What about pigs?"),
        ("When are bonfires allowed?", "Do you have a phone number?"),
        ("Сколько стоит верстак?", "Есть ли парковка?"),
        ("Сколько стоит верстак?", "Кто директор?"),
        ("Можно прийти с ребёнком?", "Is there a toilet?"),
    ],
)
def test_the_next_question_is_declined_if_nothing_answers_it(
    book: Sourcebook, first: str, next_one: str
) -> None:
    begun = book.ask(first)
    assert begun.tier is Tier.DOCUMENTS
    assert book.ask(next_one, session=begun.session_id).tier is Tier.NONE


@pytest.mark.parametrize(
    ("first", "next_one", "said"),
    [
        ("How much is a half plot?", "And a full one?", "64"),
        ("How much is a half plot?", "When is it due?", "1 October"),
        ("Can I keep bees?", "And rabbits?", "Rabbits are allowed"),
        ("When are bonfires allowed?", "On Sundays?", "never on a Sunday"),
        ("Сколько стоит верстак?", "А на день?", "1800"),
    ],
)
def test_a_question_that_points_back_is_answered(
    book: Sourcebook, first: str, next_one: str, said: str
) -> None:
    begun = book.ask(first)
    answer = book.ask(next_one, session=begun.session_id)
    assert said in answer.answer


def test_a_follow_up_that_waits_is_not_answered_by_what_answered_the_question_before(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "rules.md").write_text(RULES, encoding="utf-8")
    with Sourcebook(settings=Settings(db=str(tmp_path / "base.db"), chat_model="none")) as book:
        book.add(notes)
        begun = book.ask("How much is a half plot?")
        book.ask("What is the capital of Mongolia?", session=begun.session_id)
        (notes / "van.md").write_text("The van has a spare wheel.\n", encoding="utf-8")
        book.add(notes)
        waiting = book.moderation.get_pending_moderation_items(kind=DraftKind.DECLINED)
        assert [draft.question for draft in waiting] == ["What is the capital of Mongolia?"]
        (notes / "world.md").write_text("The capital of Mongolia is Ulaanbaatar.\n", encoding="utf-8")
        book.add(notes)
        assert not book.moderation.get_pending_moderation_items(kind=DraftKind.DECLINED)


def test_what_was_approved_for_a_follow_up_answers_the_same_conversation_and_no_other(tmp_path: Path) -> None:
    with Sourcebook(settings=Settings(db=str(tmp_path / "base.db"), chat_model="none")) as book:
        book.add_text(RULES, id="rules", title="Rules")
        begun = book.ask("How much is a half plot?")
        followed = book.ask("And a full one?", session=begun.session_id)
        draft = int(str(followed.details["draft_id"]))
        entry = book.moderation.approve_moderation_item(draft, 1)
        assert entry.question == "How much is a half plot? And a full one?"
        again = book.ask("And a full one?", session=book.ask("How much is a half plot?").session_id)
        assert again.tier is Tier.CURATED
        other = book.ask("And a full one?", session=book.ask("Can I keep bees?").session_id)
        assert other.tier is not Tier.CURATED


def test_a_question_to_some_documents_is_not_closed_by_others(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "rules.md").write_text("---\nkind: rules\n---\n" + RULES, encoding="utf-8")
    with Sourcebook(settings=Settings(db=str(tmp_path / "base.db"), chat_model="none")) as book:
        book.add(notes)
        asked = book.ask("What is the capital of Mongolia?", filter=Equals("kind", "rules"))
        assert asked.tier is Tier.NONE
        (notes / "world.md").write_text("The capital of Mongolia is Ulaanbaatar.\n", encoding="utf-8")
        book.add(notes)
        assert len(book.moderation.get_pending_moderation_items(kind=DraftKind.DECLINED)) == 1
