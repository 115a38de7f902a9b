"""Each mark of an answer leads to one quote, on the page where that stands."""

from __future__ import annotations

import pytest

from sourcebook.consult.answer.composer import ComposedAnswer, PassageSources, StreamedAnswer
from sourcebook.consult.citations.section_places import section_at
from sourcebook.faces.telegram.messages import answer_and_draft_texts
from sourcebook.locale import texts
from sourcebook.model.chat import SupportGrade
from sourcebook.model.documents import Chunk, Document
from sourcebook.model.search import ScoreBreakdown, SearchResult

PAGE_2 = "Gooseberries are pruned in February, before the buds swell. "
PAGE_3 = "The oldest four branches are sawn off at the ground. Blackcurrants are pruned after the harvest."
TEXT = PAGE_2 + PAGE_3
DOCUMENT = Document(
    "d", TEXT, layout={"pages": [[2, 0, len(PAGE_2)], [3, len(PAGE_2), len(TEXT)]]}, file_hash="h"
)
CHUNK = Chunk(id="c", document_id="d", content=TEXT, start_index=0, end_index=len(TEXT), page=2)
FEBRUARY, OLDEST, BLACK = (
    "Gooseberries are pruned in February, before the buds swell.",
    "The oldest four branches are sawn off at the ground.",
    "Blackcurrants are pruned after the harvest.",
)


def sources() -> PassageSources:
    passage = SearchResult(CHUNK, 1.0, ScoreBreakdown(), document_path="b.pdf", collection_id="default")
    return PassageSources([passage], {("default", "d"): DOCUMENT}, "en")


def composed(*pieces: str) -> ComposedAnswer:
    answer = StreamedAnswer(sources())
    for piece in pieces:
        answer.feed(piece)
        answer.new_citations()
    answer.close()
    answer.new_citations(is_last=True)
    return answer.composed()


WRITTEN = [
    "Prune gooseberries in February [1]. Saw off the oldest four branches at the ground [1].",
    "Prune gooseberries in February. [1] Saw off the oldest four branches at the ground. [1]",
    "[1] Prune gooseberries in February. [1] Saw off the oldest four branches at the ground.",
    "Gooseberries are pruned in February. The oldest four branches are sawn off at the ground.",
]


@pytest.mark.parametrize("written", WRITTEN)
def test_every_sentence_has_its_own_quote_and_page(written: str) -> None:
    answer = composed(written)
    assert [(c.number, c.page, c.quote) for c in answer.citations] == [(1, 2, FEBRUARY), (2, 3, OLDEST)]
    assert all(c.support is not SupportGrade.DOUBTFUL for c in answer.citations)
    assert [tuple(s.numbers) for s in answer.sentences] == [(1,), (2,)]
    assert "[1]" in answer.text
    assert "[2]" in answer.text


@pytest.mark.parametrize("written", WRITTEN)
def test_the_split_of_the_stream_changes_nothing(written: str) -> None:
    assert composed(*written) == composed(written)


@pytest.mark.parametrize("cut_off", [" [", " [ ", " 【", "[^", " [1", " [1, "])
def test_a_mark_that_is_never_closed_is_left_out(cut_off: str) -> None:
    answer = composed("Prune gooseberries in February", cut_off)
    assert answer.text == "Prune gooseberries in February [1]"
    assert composed(*f"Prune gooseberries in February{cut_off}") == answer


@pytest.mark.parametrize("bracket", ["[note", "[2026", "[1] (", "[-"])
def test_other_brackets_at_the_end_stay(bracket: str) -> None:
    assert bracket in composed(f"Prune gooseberries in February {bracket}").text


def test_two_sentences_on_the_same_words_share_a_number() -> None:
    answer = composed("Prune gooseberries in February [1]. Do it before the buds swell [1].")
    assert {(c.number, c.quote) for c in answer.citations} == {(1, FEBRUARY)}


def test_a_mark_in_the_middle_of_a_sentence_is_bound_when_the_sentence_has_ended() -> None:
    answer = composed("After the harvest [1], blackcurrants are pruned [1].")
    assert {(c.quote, c.verified) for c in answer.citations} == {(BLACK, True)}


def test_a_number_that_was_not_given_keeps_its_number_and_leads_nowhere() -> None:
    answer = composed("Prune gooseberries in February [1]. Eat them [7]. Freeze them [7].")
    assert [tuple(s.numbers) for s in answer.sentences] == [(1,), (7,), (7,)]
    assert [c.number for c in answer.citations] == [1]


def test_a_number_that_was_not_given_leads_nowhere_even_if_sources_have_reached_it() -> None:
    written = (
        "Gooseberries are pruned in February [1]. Eat them [2]. "
        "The oldest four branches are sawn off at the ground [1]. Freeze them [3]."
    )
    answer = composed(written)
    assert [tuple(s.numbers) for s in answer.sentences] == [(1,), (2,), (3,), (4,)]
    assert [c.number for c in answer.citations] == [1, 3]


def test_people_see_each_place_once_with_its_numbers() -> None:
    written = (
        "Saw off the oldest four branches [1]. Blackcurrants are pruned after the harvest [1]. "
        "Gooseberries are pruned in February [1]."
    )
    shown = answer_and_draft_texts.source_list(texts("en"), composed(written).citations).text
    assert shown.splitlines()[1:] == ["[1][2] b.pdf, p. 3", "[3] b.pdf, p. 2"]


def test_a_citation_names_the_heading_above_its_words_and_not_the_one_its_passage_began_with() -> None:
    text = "Thirty days.\n\n## Dogs\n\nOn Fridays only.\n\n### Cats\n\nNever."
    chunk = Chunk("c", "d", text, section="Handbook > Holidays")
    assert section_at(chunk, 0) == "Handbook > Holidays"
    assert section_at(chunk, text.index("On Fridays")) == "Handbook > Dogs"
    assert section_at(chunk, text.index("Never")) == "Handbook > Dogs > Cats"
    assert section_at(Chunk("c", "d", "No heading."), 3) is None


def test_a_heading_that_leaves_out_a_level_is_named_once() -> None:
    text = "### May I bring friends?\n\nWith a ticket.\n\n### May I sell?\n\nNever."
    chunk = Chunk("c", "d", text, section="Questions > May I sell?")
    assert section_at(chunk, text.index("Never")) == "Questions > May I sell?"
    first = Chunk("c", "d", text, section="Questions > May I bring friends?")
    assert section_at(first, text.index("Never")) == "Questions > May I sell?"


LISTED = """Some of the tools that you can use are:

* Traefik
    * It renews certificates by itself.
* Caddy
    * It renews certificates by itself.
* Nginx
    * With another component such as Certbot.

The port is 8000."""


def of_list(written: str) -> ComposedAnswer:
    chunk = Chunk(id="l", document_id="d", content=LISTED, start_index=0, end_index=len(LISTED))
    passage = SearchResult(chunk, 1.0, ScoreBreakdown(), document_path="l.md", collection_id="default")
    answer = StreamedAnswer(PassageSources([passage], {}, "en"))
    answer.feed(written)
    answer.close()
    answer.new_citations(is_last=True)
    return answer.composed()


def test_words_that_stand_in_the_lines_of_a_list_get_the_list_as_their_source() -> None:
    answer = of_list("Traefik, Caddy, Nginx")
    [citation] = answer.citations
    assert (citation.support, citation.verified) == (SupportGrade.CLOSE, False)
    assert all(name in citation.quote for name in ("Traefik", "Caddy", "Nginx"))
    assert "8000" not in citation.quote
    assert answer.text == "Traefik, Caddy, Nginx [1]"


@pytest.mark.parametrize(
    "written", ["Traefik, Caddy, Apache", "8000", "Yes.", "It never renews certificates."]
)
def test_what_the_lines_do_not_say_gets_no_source(written: str) -> None:
    answer = of_list(written)
    assert all(sentence.is_doubtful or sentence.verified for sentence in answer.sentences)
    assert not any(citation.support is SupportGrade.CLOSE for citation in answer.citations)
