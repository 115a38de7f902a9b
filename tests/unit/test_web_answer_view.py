"""An answer on the page: which of its words belong to a source, and who vouches for them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from markupsafe import Markup

from sourcebook.faces.web.answer_view import Given, answer_view
from sourcebook.locale import page_texts
from sourcebook.model.chat import Citation, SourceState, Tier

FIRST = "The blue zone costs 0.80 EUR."
KEY = "The green zone costs 0.40 EUR."
LAST = "On Sundays it is free."
QUOTE = f"{FIRST} {KEY} {LAST}"


def told(highlight: tuple[tuple[int, int], ...]) -> Given:
    """What reached somebody who waited, with a source of which these words are marked."""
    citation = Citation(
        number=1,
        text="",
        collection_id="default",
        document_id="d",
        document_path="parking.md",
        document_title="Parking",
        chunk_id="",
        page=None,
        start=0,
        end=len(QUOTE),
        quote=QUOTE,
        verified=True,
        highlight=highlight,
    )
    return Given(f"{QUOTE} [1]", None, [citation], {}, "s", "m")


@pytest.mark.parametrize(
    ("highlight", "belongs", "seal"),
    [(((len(FIRST) + 1, len(FIRST) + 1 + len(KEY)),), FIRST, "checked"), ((), LAST, "approved")],
    ids=["the documents answered", "an expert wrote"],
)
def test_an_excerpt_belongs_to_its_source_as_a_whole_also_for_who_waited(
    highlight: tuple[tuple[int, int], ...], belongs: str, seal: str
) -> None:
    view = answer_view(page_texts("en"), told(highlight))
    behind_the_number = str(view.html).partition('data-numbers="1"')[2]
    assert behind_the_number.partition(">")[2].startswith(belongs)
    assert (view.seal.kind, view.is_excerpt) == (seal, bool(highlight))


def test_every_sentence_that_an_approved_answer_has_from_its_source_belongs_to_the_one_mark_behind_them() -> (
    None
):
    own = "Ask at the gate."
    given = replace(told(()), text=f"{own} {FIRST} {KEY} {LAST} [1]", tier=Tier.CURATED)
    html = str(answer_view(page_texts("en"), given).html)
    belong = re.findall(r'data-numbers="1"[^>]*>([^<]*)', html)
    assert [text.strip() for text in belong] == [FIRST, KEY, LAST]
    assert re.search(rf'data-numbers=""[^>]*>{re.escape(own)}', html)


def test_an_experts_reply_whose_source_has_changed_is_sealed_so_and_not_marked_as_confirmed() -> None:
    given = told(())
    changed = replace(given, citations=[replace(given.citations[0], state=SourceState.CHANGED)])
    view = answer_view(page_texts("en"), changed, says_now={0: Markup("now <ins>0.50</ins>")})
    assert (view.seal.kind, view.seal.words) == ("changed", "A source has changed")
    assert 'class="s gone" data-numbers="1"' in view.html
    assert [each.says_now for each in view.changed] == ["now <ins>0.50</ins>"]
    assert "gone" not in answer_view(page_texts("en"), given).html


@pytest.mark.parametrize(
    ("excerpts", "words"),
    [
        ((None, "It opens at seven."), "seal_unsure"),
        (("At seven.", None), "seal_unsure"),
        ((None, None), "seal_none"),
    ],
)
def test_the_seal_of_a_decline_says_not_in_the_base_only_if_nothing_is_quoted(
    excerpts: tuple[str | None, ...], words: str
) -> None:
    details = {"nearest": [{"excerpt": each} for each in excerpts], "nearest_excerpt": excerpts[0]}
    declined = Given("No.", Tier.NONE, (), details, "s", "m")  # pyright: ignore[reportArgumentType]
    assert answer_view(page_texts("en"), declined).seal.words == page_texts("en")(words)
