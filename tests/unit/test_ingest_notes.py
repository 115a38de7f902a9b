"""Texts that never were files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sourcebook.errors import BadMetadata, BadText
from sourcebook.model.documents import WriteOutcome, WriteReport

if TYPE_CHECKING:
    from tests.unit.desk import Desk


pytestmark = pytest.mark.anyio


async def test_a_note_is_added_replaced_and_recognised(desk: Desk) -> None:
    note: dict[str, Any] = {"id": "n", "title": "T", "metadata": {"a": 1}}
    assert await desk.add_text("Text.", **note) == WriteReport(WriteOutcome.WRITTEN, "n")
    assert (await desk.add_text("Text.", **note)).outcome is WriteOutcome.UNCHANGED
    assert (await desk.add_text("Text.", **note | {"metadata": {"a": 2}})).outcome is WriteOutcome.WRITTEN
    assert (await desk.only()).metadata == {"a": 2}
    await desk.require_sound()


async def test_the_same_note_takes_a_new_label(desk: Desk) -> None:
    metadata = {"category": "a field of the caller"}
    await desk.add_text("Text.", id="n", metadata=metadata)
    assert await desk.add_text("Text.", id="n", metadata=metadata, category="given") == WriteReport(
        WriteOutcome.WRITTEN, "n"
    )
    assert (await desk.only()).category == "given"


async def test_a_note_says_all_of_its_labels(desk: Desk) -> None:
    given = {"id": "n", "category": "a", "subcategory": "b"}
    await desk.add_text("Text.", **given)
    assert (await desk.add_text("Text.", **given)).outcome is WriteOutcome.UNCHANGED
    assert (await desk.add_text("Text.", id="n", category="a")).outcome is WriteOutcome.WRITTEN
    assert (await desk.only()).subcategory is None


async def test_a_note_that_another_document_holds_is_reported_under_its_id(desk: Desk) -> None:
    await desk.add_text("Text.", id="first")
    assert await desk.add_text("Text.", id="second") == WriteReport(WriteOutcome.DUPLICATE, "first")


async def test_a_note_without_an_id_is_known_by_what_it_says(desk: Desk) -> None:
    first = await desk.add_text("Text.")
    assert await desk.add_text("Text.") == WriteReport(WriteOutcome.UNCHANGED, first.document_id)
    assert (await desk.add_text("Other.")).document_id != first.document_id


async def test_a_note_that_no_base_can_hold_is_refused(desk: Desk) -> None:
    with pytest.raises(BadText):
        await desk.add_text("\ud800")
    with pytest.raises(BadMetadata):
        await desk.add_text("a", metadata={"x": float("nan")})
    with pytest.raises(BadMetadata):
        await desk.add_text("a", metadata={"x": object()})
