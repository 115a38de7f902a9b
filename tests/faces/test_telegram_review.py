"""Experts and admins in the bot: drafts, replies, terms, credit, files, payments."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faces.telegram_desk import ADMIN, QUESTION, UNKNOWN, Desk, opened

from sourcebook.faces.telegram.messages.button_data import Action, Press, encode
from sourcebook.faces.telegram.periodic_checks import Upkeep
from sourcebook.model.moderation import DraftKind, DraftStatus
from sourcebook.model.people import UserRole
from sourcebook.model.token_ledger import OperationType
from sourcebook.testing.telegram import Failure, Json, Person, Sent

pytestmark = pytest.mark.anyio


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk, None]:
    async with opened(str(tmp_path / "base.db"), telegram_stars=10) as made:
        yield made


async def drafted(desk: Desk, question: str = QUESTION) -> Sent:
    """A draft of somebody's question, as the admin sees it."""
    await desk.says(desk.person(7), question)
    return await desk.says(desk.person(ADMIN), "/moderate")


async def test_a_draft_is_shown_with_its_sources_and_approved_by_a_button(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    shown = await drafted(desk)
    assert QUESTION in shown.text
    assert "[1] Pruning" in shown.text
    assert list(shown.buttons) == ["Approve", "Edit", "Reject", "Next"]
    done = await desk.presses(admin, shown, "Approve")
    assert "approved. From now on, this answer comes first." in done.text
    assert desk.telegram.chats[ADMIN][0].buttons == {}
    (entry,) = await desk.book.kb_list()
    assert (entry.question, entry.approved_by) == (QUESTION, (await desk.user(admin)).id)
    assert (await desk.presses(admin, done, "Next")).text == "Nothing is waiting for review."


async def test_an_answer_whose_source_changed_is_shown_so_and_not_approved_unseen(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    await drafted(desk)
    document = await desk.book.library.get("pruning")
    assert document is not None
    await desk.book.add_text(document.content.replace("autumn", "spring"), id="pruning", title="Pruning")
    shown = await desk.says(admin, "/moderate")
    assert "Its source has changed since." in shown.text
    assert "It says now:" in shown.text
    refused = await desk.presses(admin, shown, "Approve")
    assert "the documents no longer say “Prune everbearing raspberries" in refused.text
    assert await desk.book.kb_list() == []
    await desk.presses(admin, refused, "Approve all the same")
    assert len(await desk.book.kb_list()) == 1


async def test_an_edit_is_what_the_admin_writes_next(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    shown = await drafted(desk)
    assert "Send the new text" in (await desk.presses(admin, shown, "Edit")).text
    await desk.says(admin, "/balance")
    assert "approved" in (await desk.says(admin, "Prune them in late autumn.")).text
    (entry,) = await desk.book.kb_list()
    assert entry.answer.startswith("Prune them in late autumn")
    assert [source.document_id for source in entry.sources] == ["pruning"]


async def test_a_reply_to_a_draft_is_an_edit_too(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    shown = await drafted(desk)
    await desk.feed(admin.replies(shown, "Prune them in late autumn."))
    (entry,) = await desk.book.kb_list()
    assert entry.answer.startswith("Prune them in late autumn")


async def test_a_rejected_draft_has_a_reason(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    shown = await drafted(desk)
    await desk.presses(admin, shown, "Reject")
    told = (await desk.says(admin, "Not what was asked.")).text
    assert told.endswith(
        "rejected. If it is asked again, it is declined until most of the quoted text changes."
    )
    (draft,) = await desk.book.moderation.items_of((await desk.user(desk.person(7))).id)
    assert (draft.status, draft.reason) == (DraftStatus.REJECTED, "Not what was asked.")
    assert await desk.book.kb_list() == []


async def test_the_reply_to_a_declined_question_reaches_the_asker_and_a_tap_keeps_it(desk: Desk) -> None:
    admin, anna = desk.person(ADMIN), desk.person(7, "pt")
    await desk.says(anna, UNKNOWN)
    await desk.deliver()
    told = desk.telegram.last(ADMIN)
    assert told.text.startswith("A question is waiting for an expert.")
    assert list(told.buttons) == ["Answer", "Reject", "Next"]
    await desk.presses(admin, told, "Answer")
    done = await desk.says(admin, "Any 75W-90 oil will do.")
    assert "on its way" in done.text
    await desk.deliver()
    answer = desk.telegram.last(7)
    assert answer.text.startswith("Um especialista responde à sua pergunta:")
    assert "Any 75W-90 oil will do." in answer.text
    assert answer.text.endswith("Do especialista, não dos documentos.")
    assert await desk.book.kb_list() == []
    kept = await desk.presses(admin, done, "Keep as an approved answer")
    assert "kept as an approved answer" in kept.text
    await desk.presses(admin, done, "Keep as an approved answer")
    (entry,) = await desk.book.kb_list()
    assert entry.question == UNKNOWN
    assert len(desk.telegram.chats[7]) == 2


async def test_a_reply_in_other_words_is_offered_its_sources_and_a_tap_binds_it(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    near = {"collection_id": "default", "document_id": "pruning", "document_path": "pruning.md"}
    await desk.book.moderation.call_human(UNKNOWN, details={"nearest": [{**near, "end_index": 40}]})
    asked = await desk.says(admin, "/moderate")
    await desk.presses(admin, asked, "Answer")
    done = await desk.says(admin, "None at all.")
    kept = await desk.presses(admin, done, "Keep as an approved answer")
    assert "nothing will tell you when it is out of date" in kept.text
    name = next(label for label in kept.buttons if label.startswith("From: "))
    bound = await desk.presses(admin, kept, name)
    assert "It comes back to you when this changes: " in bound.text
    (entry,) = await desk.book.kb_list()
    assert len(entry.sources) == 1


async def test_a_source_that_is_gone_is_refused_in_the_language_of_the_chat_and_the_buttons_stay(
    desk: Desk,
) -> None:
    admin = desk.person(ADMIN)
    near = {"collection_id": "default", "document_id": "pruning", "document_path": "pruning.md"}
    await desk.book.moderation.call_human(UNKNOWN, details={"nearest": [{**near, "end_index": 40}]})
    await desk.presses(admin, await desk.says(admin, "/moderate"), "Answer")
    kept = await desk.presses(admin, await desk.says(admin, "None at all."), "Keep as an approved answer")
    name = next(label for label in kept.buttons if label.startswith("From: "))
    assert await desk.book.library.remove("pruning")
    refused = await desk.presses(admin, kept, name)
    assert "Nothing was changed." in refused.text
    assert [sent for sent in desk.telegram.chats[ADMIN] if name in sent.buttons]


async def test_an_approved_answer_says_what_it_is_watched_against(desk: Desk) -> None:
    done = await desk.presses(desk.person(ADMIN), await drafted(desk), "Approve")
    assert "It comes back to you when this changes: Pruning" in done.text


async def test_a_rejected_question_is_told_to_its_asker_once_with_the_reason(desk: Desk) -> None:
    admin, anna = desk.person(ADMIN), desk.person(7, "pt")
    await desk.says(anna, UNKNOWN)
    await desk.deliver()
    told = desk.telegram.last(ADMIN)
    await desk.presses(admin, told, "Reject")
    assert (await desk.says(admin, "Not about <b>gardens</b>.")).text.endswith("rejected.")
    await desk.deliver()
    await desk.deliver()
    assert desk.telegram.said(7)[1:] == [
        f"{UNKNOWN}\n\nO especialista não pode responder à sua pergunta. Motivo: Not about <b>gardens</b>."
    ]


async def test_a_rejected_answer_is_nothing_to_its_asker(desk: Desk) -> None:
    shown = await drafted(desk)
    await desk.presses(desk.person(ADMIN), shown, "Reject")
    await desk.says(desk.person(ADMIN), "Not what was asked.")
    await desk.deliver()
    assert len(desk.telegram.chats[7]) == 1


async def test_experts_are_told_of_a_question_once_also_after_a_restart(tmp_path: Path) -> None:
    db = str(tmp_path / "base.db")
    async with opened(db) as desk:
        await desk.says(desk.person(7), UNKNOWN)
        await desk.deliver()
        async with opened(db, telegram=desk.telegram, notes={}) as again:
            await again.deliver()
            await again.deliver()
        assert len(desk.telegram.chats[ADMIN]) == 1


async def test_a_decision_is_made_once_by_whoever_comes_first(desk: Desk) -> None:
    boris = desk.person(2000)
    await desk.book.people.set_role((await desk.user(boris)).id, UserRole.EXPERT)
    shown = await drafted(desk)
    other = await desk.says(boris, "/moderate")
    admin = desk.person(ADMIN)
    approve = [admin.presses(shown, shown.buttons["Approve"]) for _ in range(5)]
    await desk.feed_at_once(*approve, *[boris.presses(other, other.buttons["Approve"]) for _ in range(5)])
    said = desk.telegram.said(ADMIN)[1:] + desk.telegram.said(2000)[1:]
    assert sum("this answer comes first" in text for text in said) == 1
    assert sum("was approved already" in text for text in said) == 9
    assert len(await desk.book.kb_list()) == 1


async def test_terms_are_listed_set_and_removed(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    assert "No words are set" in (await desk.says(admin, "/terms")).text
    assert (await desk.says(admin, "/terms bush = shrub")).text == "Done: bush."
    assert "bush → shrub" in (await desk.says(admin, "/terms")).text
    assert (await desk.says(admin, "/terms -bush")).text == "Done: bush."
    assert (await desk.says(admin, "/terms -bush")).text == "There is no such word: bush."


async def test_credit_is_given_once_by_id_or_name(desk: Desk) -> None:
    admin, anna = desk.person(ADMIN), desk.telegram.person(7, "Anna", "ru", "anna")
    await desk.says(anna, "/start")
    update = admin.says("/credit @Anna 5")
    await desk.feed(update, update)
    assert desk.telegram.last(ADMIN).text == "Anna got 5 tokens; the balance is 6 tokens."
    assert desk.telegram.last(7).text == "Вам начислено: 5 токенов. Ваш баланс: 6 токенов."
    assert await desk.balance(anna) == 6
    assert "/credit USER N" in (await desk.says(admin, "/credit 7 0")).text
    assert "I do not know nobody" in (await desk.says(admin, "/credit nobody 5")).text


async def test_stats_and_digest_give_figures(desk: Desk) -> None:
    await drafted(desk)
    stats = await desk.says(desk.person(ADMIN), "/stats")
    assert "Documents: 3" in stats.text
    assert "Waiting for review: 1" in stats.text
    digest = await desk.says(desk.person(ADMIN), "/digest")
    assert "Questions: 1\nFrom approved answers: 0\nFrom the documents: 1" in digest.text
    assert "For the staff" in (await desk.says(desk.person(ADMIN), "/help")).text


def file(admin: Person, name: str = "figs.md", **more: object) -> Json:
    found = {"file_id": name, "file_unique_id": "u", "file_name": name, "file_size": 100}
    return admin.sends(document=found | more)


async def test_a_file_of_an_admin_is_added_under_the_label_that_is_pressed(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    desk.telegram.files["figs.md"] = b"# Figs\n\nFigs are picked in September when they hang down."
    await desk.feed(file(admin))
    asked = desk.telegram.last(ADMIN)
    assert asked.text == "figs.md: what is it about?"
    assert "Blueberry" in asked.buttons
    done = await desk.presses(admin, asked, "Blueberry")
    assert done.text == "figs.md is in the library and can be searched now."
    details = await desk.book.find_document("figs.md")
    assert (details.document.category, details.document.subcategory) == ("berries", "blueberry")
    assert "September" in (await desk.says(desk.person(7), "When are figs picked?")).text
    await desk.feed(admin.presses(asked, asked.buttons["Blueberry"]))
    assert desk.notes()[-1] == "This button is out of date."


async def test_a_caption_is_the_label_of_a_file_and_a_file_that_fails_says_why(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    desk.telegram.files |= {"figs.md": b"Figs are picked in September.", "bad.pdf": b"%PDF-1.7 no"}
    update = file(admin)
    update["message"]["caption"] = "figs"
    await desk.feed(update)
    assert (await desk.book.find_document("figs.md")).document.subcategory == "figs"
    bad = file(admin, "bad.pdf")
    bad["message"]["caption"] = "figs"
    await desk.feed(bad)
    assert desk.telegram.last(ADMIN).text.startswith("bad.pdf could not be added: ")
    await desk.feed(file(admin, "huge.pdf", file_size=60_000_000))
    assert "larger than 50 MB" in desk.telegram.last(ADMIN).text
    lost = file(admin, "lost.md")
    lost["message"]["caption"] = "figs"
    await desk.feed(lost)
    assert desk.telegram.last(ADMIN).text == "I no longer have this file. Send it again."


async def test_a_file_of_anybody_else_is_a_question_not_a_document(desk: Desk) -> None:
    await desk.feed(file(desk.person(7)))
    assert "What do you want to know" in desk.telegram.last(7).text
    assert len(await desk.book.documents()) == 3


def payment(person: Person, payload: str, charge: str = "ch1") -> Json:
    return {
        "currency": "XTR",
        "total_amount": 50,
        "invoice_payload": payload,
        "telegram_payment_charge_id": charge,
        "provider_payment_charge_id": "p",
    }


async def bill(desk: Desk, person: Person) -> str:
    """The payload of a bill for five tokens."""
    await desk.presses(person, await desk.says(person, "/balance"), "Buy 5 tokens for 50 ⭐")
    sent = desk.telegram.called("sendInvoice")[-1]
    assert (sent["currency"], sent["prices"]) == ("XTR", [{"label": "5 tokens", "amount": 50}])
    return str(sent["payload"])


async def test_a_payment_counts_once_and_can_be_returned(desk: Desk) -> None:
    anna, admin = desk.person(7), desk.person(ADMIN)
    payload = await bill(desk, anna)
    query = {"id": "q", "from": anna.user, "currency": "XTR", "total_amount": 50, "invoice_payload": payload}
    await desk.feed(desk.telegram.update(pre_checkout_query=query))
    assert desk.telegram.called("answerPreCheckoutQuery")[-1]["ok"] == "true"
    paid = anna.sends(successful_payment=payment(anna, payload))
    await desk.feed_at_once(paid, paid, anna.sends(successful_payment=payment(anna, payload)))
    assert await desk.balance(anna) == 6
    await desk.feed(admin.says("/refund 7 ch1"), admin.says("/refund 7 ch1"))
    assert await desk.balance(anna) == 1
    assert desk.telegram.called("refundStarPayment")[0] == {
        "user_id": "7",
        "telegram_payment_charge_id": "ch1",
    }
    await desk.feed(anna.sends(refunded_payment=payment(anna, payload)))
    assert await desk.balance(anna) == 1


@pytest.mark.parametrize(
    "change",
    [{"total_amount": 1}, {"currency": "USD"}, {"invoice_payload": "tokens:999:1"}, {"invoice_payload": "x"}],
)
async def test_a_bill_that_was_tampered_with_is_refused(desk: Desk, change: Json) -> None:
    anna = desk.person(7)
    payload = await bill(desk, anna)
    query = {"id": "q", "from": anna.user, "currency": "XTR", "total_amount": 50, "invoice_payload": payload}
    await desk.feed(desk.telegram.update(pre_checkout_query=query | change))
    answer = desk.telegram.called("answerPreCheckoutQuery")[-1]
    assert answer["error_message"].startswith("This invoice is no longer valid")
    await desk.feed(anna.presses(desk.telegram.last(7), encode(Press(Action.BUY_TOKENS, 999_999))))
    assert desk.telegram.last(7).text.startswith("Tokens cannot be bought here")


async def test_a_refund_is_refused_when_the_tokens_are_spent(desk: Desk) -> None:
    anna, admin = desk.person(7), desk.person(ADMIN)
    payload = await bill(desk, anna)
    await desk.feed(anna.sends(successful_payment=payment(anna, payload)))
    user = await desk.user(anna)
    await desk.book.people.deduct_tokens(user.id, 6, OperationType.BUY_QUESTIONS)
    assert (await desk.says(admin, "/refund 7 ch1")).text.startswith("The payment could not be refunded")
    assert desk.telegram.called("refundStarPayment") == []


async def test_a_message_that_cannot_be_sent_stays_in_the_outbox(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    await desk.says(desk.person(7), UNKNOWN)
    (draft,) = await desk.book.moderation.get_pending_moderation_items(kind=DraftKind.DECLINED)
    await desk.book.moderation.answer_item(draft.id, (await desk.user(admin)).id, "Any will do.")
    desk.telegram.fail("sendMessage", Failure(429, "Too Many Requests", retry_after=999))
    assert await desk.outbox.send_one()
    assert "Any will do" not in desk.telegram.last(7).text
    assert not await desk.outbox.send_one()
    assert await desk.book.stores.jobs.overdue(-2000) == 1


async def test_work_that_piles_up_is_told_once_and_when_it_is_over(desk: Desk, tmp_path: Path) -> None:
    jobs = desk.book.stores.jobs
    watch = Upkeep(desk.ready.office, tmp_path)
    await watch.look()
    assert desk.telegram.chats[ADMIN] == []
    await jobs.enqueue("message", {"kind": "nothing"}, run_at=1)
    await watch.look()
    await watch.look()
    assert desk.telegram.said(ADMIN) == ["Work is piling up: 1 > 10 min."]
    await desk.deliver()
    await watch.look()
    assert desk.telegram.said(ADMIN)[1:] == ["Working again: the queue."]
