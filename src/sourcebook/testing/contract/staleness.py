"""What becomes of a curated answer when the words that bear it out change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest

from sourcebook.model.chat import SourceState
from sourcebook.model.documents import Collection
from sourcebook.model.moderation import DraftStatus
from sourcebook.testing.contract.chat import LOCAL, QUOTE
from sourcebook.testing.contract.drafts import (
    EMBEDDED,
    MODEL,
    OTHERS,
    SOURCE,
    approved,
    entry_of,
    new_draft,
    put,
    revision,
    stale_drafts,
)

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.testing.fakes import FixedClock

SATURDAY = "| Saturday | 10:00 – 18:00 | 10:00 – 17:00 |"
HOURS = f"""When we are open:

| Day | Studio | Shop |
|---|---|---|
| Monday | closed | closed |
| Friday | 9:00 – 18:00 | 11:00 – 17:00 |
{SATURDAY}
"""


@pytest.mark.anyio
class StalenessContract:
    """Also needs a fixture `clock`: the `FixedClock` that the base was opened with."""

    async def test_a_change_elsewhere_in_the_document_leaves_the_answer_alone(self, base: OpenBase) -> None:
        await put(base, OTHERS + QUOTE, "b")
        made = await approved(base)
        await put(base, f"Water in the evening.\n\n{QUOTE.replace(' in ', chr(10) + 'in ')}\n\nNew.", "c")
        entry = await entry_of(base, made)
        assert (entry.stale_since, entry.sources[0].state) == (None, SourceState.CURRENT)
        assert await stale_drafts(base) == []

    async def test_what_stands_around_the_quote_is_watched_too(self, base: OpenBase) -> None:
        await put(base, OTHERS + QUOTE, "b", title="Pruning")
        made = await approved(base)
        await put(base, f"Water in the evening. {QUOTE} More.", "c", title="Care")
        entry = await entry_of(base, made)
        assert (entry.stale_since, entry.has_changed_context) == (None, True)
        assert [(c.part, c.before, c.after) for c in entry.sources[0].context_changes] == [
            ("title", "Pruning", "Care"),
            ("sentence_before", "Water in the morning.", "Water in the evening."),
        ]
        await put(base, f"Water at noon. {QUOTE} More.", "d", title="Pruning")
        (left,) = (await entry_of(base, made)).sources[0].context_changes
        assert (left.part, left.before, left.after) == (
            "sentence_before",
            "Water in the morning.",
            "Water at noon.",
        )
        await put(base, f"{OTHERS} {QUOTE} Less.", "e", title="Pruning")
        assert not (await entry_of(base, made)).has_changed_context
        assert await stale_drafts(base) == []

    async def test_a_row_of_a_table_is_watched_without_the_others(self, base: OpenBase) -> None:
        await put(base, HOURS, "b")
        row = replace(SOURCE, quote=SATURDAY, start=None, end=None)
        made = await approved(base, answer="Day: Saturday · Shop: 10:00 – 17:00 [1]", sources=(row,))
        await put(base, HOURS.replace("| Friday | 9:00", "| Friday | 8:00").replace("Monday", "Mon"), "c")
        entry = await entry_of(base, made)
        assert (entry.stale_since, entry.has_changed_context) == (None, False)
        # A name of a column that the answer does not say is only what stands around the row.
        await put(base, HOURS.replace("Studio", "Workshop"), "d")
        entry = await entry_of(base, made)
        (change,) = entry.sources[0].context_changes
        assert (entry.stale_since, change.part) == (None, "columns")
        assert (change.before, change.after) == ("Day · Studio · Shop", "Day · Workshop · Shop")
        await put(base, HOURS.replace("10:00 – 17:00", "closed"), "e")
        assert (await entry_of(base, made)).stale_reason == "a source has changed: notes.md"

    async def test_a_row_under_other_names_is_not_what_the_answer_says(self, base: OpenBase) -> None:
        await put(base, HOURS, "b")
        row = replace(SOURCE, quote=SATURDAY, start=None, end=None)
        made = await approved(base, answer="Day: Saturday · Shop: 10:00 – 17:00 [1]", sources=(row,))
        await put(base, HOURS.replace("Studio | Shop", "Shop | Studio"), "c")
        assert (await entry_of(base, made)).stale_reason == "a source has changed: notes.md"

    async def test_a_row_of_another_document_may_have_other_names(self, base: OpenBase) -> None:
        german = "Offen:\n\n| Tag | Laden |\n|---|---|\n| Samstag | 10:00 – 17:00 |\n"
        await put(base, HOURS, "b")
        await put(base, german, "f", document_id="other")
        rows = (
            replace(SOURCE, quote=SATURDAY, start=None, end=None),
            replace(SOURCE, document_id="other", quote="| Samstag | 10:00 – 17:00 |", start=None, end=None),
        )
        said = "- Day: Saturday · Shop: 10:00 – 17:00 [1]\n- Tag: Samstag · Laden: 10:00 – 17:00 [2]"
        made = await approved(base, answer=said, sources=rows)
        await put(base, HOURS.replace("Monday", "Mon"), "c")
        assert (await entry_of(base, made)).stale_since is None

    async def test_a_document_without_text_has_lost_what_was_quoted(self, base: OpenBase) -> None:
        await put(base, OTHERS + QUOTE, "b")
        made = await approved(base)
        await put(base, "", "c")
        entry = await entry_of(base, made)
        assert (entry.stale_reason, entry.sources[0].state) == (
            "a source has changed: notes.md",
            SourceState.CHANGED,
        )

    async def test_a_change_of_the_quoted_words_makes_the_answer_stale_and_a_draft(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        await put(base, OTHERS + QUOTE, "b")
        made = await approved(base)
        clock.wait(5)
        await put(base, OTHERS + QUOTE.replace("October", "March"), "c")
        entry = await entry_of(base, made)
        assert (entry.stale_since, entry.stale_reason) == (clock.now(), "a source has changed: notes.md")
        assert entry.sources[0].state is SourceState.CHANGED
        (draft,) = await stale_drafts(base)
        assert (draft.stale_kb_id, draft.answer, draft.question) == (made.id, made.answer, made.question)
        assert draft.citations[0].state is SourceState.CURRENT
        assert (draft.asked, draft.people) == (0, 0), "it came back by itself"
        await put(base, "Nothing of it.", "d")
        assert await stale_drafts(base) == [draft]

    async def test_a_word_put_into_the_quoted_sentence_is_a_change(self, base: OpenBase) -> None:
        await put(base, f"{OTHERS}In cold places {QUOTE}", "b")
        part = replace(SOURCE, quote="Canes are cut in October")
        made = await approved(base, sources=(part,))
        assert made.sources[0].state is SourceState.CURRENT
        await put(base, f"{OTHERS}More water. In cold places {QUOTE}", "c")
        assert (await entry_of(base, made)).stale_since is None
        await put(base, f"{OTHERS}In cold places it is wrong that {QUOTE}", "d")
        assert (await entry_of(base, made)).stale_since is not None

    async def test_hiding_removing_and_bringing_back(self, base: OpenBase) -> None:
        await put(base, QUOTE, "b")
        made = await approved(base)
        await base.stores.writer.set_active("c", "d", active=False)
        hidden = await entry_of(base, made)
        assert (hidden.stale_reason, hidden.sources[0].state) == (
            "a source was removed: notes.md",
            SourceState.REMOVED,
        )
        assert len(await stale_drafts(base)) == 1
        await base.stores.writer.set_active("c", "d", active=True)
        assert await entry_of(base, made) == made
        assert await stale_drafts(base) == []
        await base.stores.writer.remove_document("c", "d")
        assert (await entry_of(base, made)).sources[0].state is SourceState.REMOVED
        assert len(await stale_drafts(base)) == 1

    async def test_a_source_that_came_back_otherwise_is_no_longer_said_to_be_removed(
        self, base: OpenBase
    ) -> None:
        await put(base, QUOTE, "b")
        made = await approved(base)
        await base.stores.writer.remove_document("c", "d")
        assert (await entry_of(base, made)).stale_reason == "a source was removed: notes.md"
        await put(base, "Something else.", "c")
        entry = await entry_of(base, made)
        assert (entry.stale_reason, entry.sources[0].state) == (
            "a source has changed: notes.md",
            SourceState.CHANGED,
        )
        (draft,) = await stale_drafts(base)
        assert draft.details["reason"] == entry.stale_reason
        await put(base, QUOTE, "b")
        assert (await entry_of(base, made)).stale_since is None

    async def test_what_waits_about_an_answer_gives_the_reason_that_holds_now(self, base: OpenBase) -> None:
        await put(base, QUOTE, "b")
        made = await approved(base)

        async def reasons() -> list[object]:
            entry, waiting = await entry_of(base, made), await stale_drafts(base)
            return [entry.stale_reason, *(draft.details.get("reason") for draft in waiting)]

        await base.stores.moderation.propose(made.id, LOCAL, revision(answer="Better."))
        assert await reasons() == [None, None]
        await put(base, "Something else.", "c")
        assert await reasons() == ["a source has changed: notes.md"] * 2
        await base.stores.writer.remove_document("c", "d")
        assert await reasons() == ["a source was removed: notes.md"] * 2
        await put(base, QUOTE, "b")
        assert await reasons() == [None, None]

    async def test_a_title_that_the_answer_leans_on_may_not_change(self, base: OpenBase) -> None:
        await put(base, QUOTE, "b", title="Notes on Raspberry")
        made = await approved(base, answer="Raspberry canes are cut in October.", language="en")
        await put(base, QUOTE, "c", title="All about Raspberry")
        assert (await entry_of(base, made)).stale_since is None
        await put(base, QUOTE, "d", title="All about blackcurrants")
        assert (await entry_of(base, made)).stale_since is None  # enough of the words stand in the quote

    async def test_approving_a_stale_draft_renews_the_answer_its_sources_and_hashes(
        self, base: OpenBase, clock: FixedClock
    ) -> None:
        await put(base, QUOTE, "b")
        made = await approved(base)
        spring = QUOTE.replace("October", "March")
        await put(base, spring, "c")
        (draft,) = await stale_drafts(base)
        clock.wait(60)
        renewed = await base.stores.moderation.approve(
            draft.id, LOCAL, revision(answer=spring, sources=(replace(SOURCE, quote=spring),)), EMBEDDED
        )
        assert (renewed.id, renewed.revision, renewed.stale_since) == (made.id, 2, None)
        assert (renewed.answer, renewed.approved_at) == (spring, clock.now())
        (source,) = renewed.sources
        assert (source.quote, source.file_hash, source.state) == (spring, "c" * 64, SourceState.CURRENT)
        assert await stale_drafts(base) == []
        await put(base, "Gone.", "d")
        assert len(await stale_drafts(base)) == 1

    async def test_an_answer_approved_on_words_that_are_gone_is_stale_at_once(self, base: OpenBase) -> None:
        await put(base, QUOTE, "b")
        draft = await base.stores.moderation.add(new_draft())
        await put(base, "Something else.", "c")
        entry = await base.stores.moderation.approve(draft.id, LOCAL, revision(), EMBEDDED)
        assert entry.stale_since is not None
        assert len(await stale_drafts(base)) == 1

    async def test_a_source_that_changes_while_an_answer_is_approved_is_not_missed(
        self, base: OpenBase
    ) -> None:
        for number in range(6):
            await put(base, QUOTE, "b")
            draft = await base.stores.moderation.add(new_draft(question=f"{number}?", group_key=None))
            async with anyio.create_task_group() as both:
                both.start_soon(put, base, f"Something else {number}.", "c")
                both.start_soon(base.stores.moderation.approve, draft.id, LOCAL, revision(), EMBEDDED)
            (entry,) = await base.stores.curated.kb_list("c")
            assert entry.stale_since is not None
            assert len(await stale_drafts(base)) == 1
            await base.stores.curated.kb_remove(entry.id)

    async def test_rejecting_a_stale_draft_retires_the_answer(self, base: OpenBase) -> None:
        await put(base, QUOTE, "b")
        made = await approved(base)
        await put(base, "Something else.", "c")
        (draft,) = await stale_drafts(base)
        await base.stores.moderation.reject(draft.id, LOCAL, "no longer true")
        assert not (await entry_of(base, made)).is_active
        assert await base.stores.curated.kb_search(None, [1.0, 0.0], collection_id="c") == []
        await base.stores.writer.remove_document("c", "d")
        assert await stale_drafts(base) == []

    async def test_only_the_approved_words_are_given_while_an_edit_waits(self, base: OpenBase) -> None:
        await put(base, QUOTE, "b")
        made = await approved(base)
        queue = base.stores.moderation
        first = await queue.propose(made.id, LOCAL, revision(answer="Poison."))
        again = await queue.propose(made.id, LOCAL, revision(answer="More poison."))
        assert (again.id, again.answer, again.status) == (first.id, "More poison.", DraftStatus.PENDING)
        (match,) = await base.stores.curated.kb_search(None, [1.0, 0.0], collection_id="c")
        assert match.entry == made
        await queue.reject(again.id, LOCAL, "no")
        assert await entry_of(base, made) == made
        edit = await queue.propose(made.id, LOCAL, revision(answer="Better."))
        changed = await queue.approve(edit.id, LOCAL, revision(answer="Better."), EMBEDDED)
        assert (changed.answer, changed.revision) == ("Better.", 2)

    async def test_a_collection_that_goes_takes_its_words_from_answers_elsewhere(
        self, base: OpenBase
    ) -> None:
        await put(base, QUOTE, "b")
        await base.stores.vectors.create_collection(Collection("other", 2, model=MODEL))
        draft = await base.stores.moderation.add(new_draft())
        made = await base.stores.moderation.approve(
            draft.id, LOCAL, revision(collection_id="other"), EMBEDDED
        )
        await put(base, "Something else.", "c")
        assert (await entry_of(base, made)).stale_reason == "a source has changed: notes.md"
        await base.stores.vectors.delete_collection("c")
        entry = await entry_of(base, made)
        assert (entry.stale_reason, entry.sources[0].state) == (
            "a source was removed: notes.md",
            SourceState.REMOVED,
        )
        assert [(draft.stale_kb_id, draft.details["reason"]) for draft in await stale_drafts(base)] == [
            (made.id, entry.stale_reason)
        ]
