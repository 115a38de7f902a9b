"""The loop with the sample library and the real embedder: ask, curate, change a source, and see it."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from pathlib import Path

import pytest
from fpdf import FPDF
from scripts import sample

from sourcebook import Answer, Settings, Sourcebook, SourceState, Tier
from sourcebook.model.answer_thresholds import Thresholds

QUESTIONS = {
    "en": ("When are everbearing raspberries pruned?", "raspberry"),
    "ru": ("Когда обрезают ремонтантную малину?", "малина"),
    "pt": ("Qual é o pH do solo para o mirtilo?", "mirtilo"),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some folders of the sample, in each of its languages."""
    folder = tmp_path_factory.mktemp("library") / "documents"
    for name in ("raspberry", "малина_ремонтантная", "mirtilo"):
        shutil.copytree(sample.DOCUMENTS / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def book(library: Path) -> Generator[Sourcebook]:
    with Sourcebook(settings=Settings(db=str(library.parent / "base.db"))) as opened:
        assert opened.add(library).failed == []
        yield opened


@pytest.mark.parametrize("language", sorted(QUESTIONS))
def test_an_answer_is_in_the_words_of_a_document_and_cites_it(book: Sourcebook, language: str) -> None:
    question, place = QUESTIONS[language]
    answer = book.ask(question)
    assert (answer.tier, answer.language) == (Tier.DOCUMENTS, language)
    assert place in answer.citations[0].document_path
    for citation in answer.citations:
        document = book.document(citation.document_id)
        assert document is not None
        assert document.content[citation.start : citation.end] == citation.quote
        assert citation.verified


def test_a_quote_is_cited_with_the_page_that_it_stands_on(tmp_path: Path) -> None:
    pdf = FPDF()
    pdf.set_font("helvetica", size=12)
    for text in ("Gooseberries want a sunny place.", "Gooseberries are pruned in February."):
        pdf.add_page()
        pdf.multi_cell(0, 8, text)
    with Sourcebook(settings=Settings(db=str(tmp_path / "base.db"))) as book:
        book.add_bytes("gooseberries.pdf", bytes(pdf.output()))
        (cited,) = book.ask("When are gooseberries pruned?").citations
        ((start, end),) = cited.highlight
        assert (cited.quote[start:end], cited.page) == ("Gooseberries are pruned in February.", 2)


@pytest.mark.parametrize(
    "question",
    [
        "What does a ticket from Lisbon to Porto cost?",
        "Кто выиграл чемпионат мира по хоккею?",
        "Como se troca o óleo da caixa de velocidades?",
    ],
)
def test_what_the_library_does_not_hold_is_declined(book: Sourcebook, question: str) -> None:
    answer = book.ask(question)
    assert (answer.tier, list(answer.citations)) == (Tier.NONE, [])


def test_a_curated_answer_comes_first_and_knows_when_its_source_changed(
    book: Sourcebook, library: Path
) -> None:
    """The loop: asked, approved, given first; the file changes, and the answer and the old citation say so."""
    note = library / "raspberry" / "tool-shed.md"
    note.write_text("# Tool shed\n\nThe loppers hang behind the third door.\n", "utf-8")
    book.add(library)
    question = "Where do the loppers hang?"
    first = book.ask(question)
    assert first.citations[0].document_title == "Tool shed"
    source = book.kb_source("tool-shed.md", supports="Behind the third door.")
    entry = book.kb_insert("Behind the third door.", category="tools", question=question, sources=[source])
    given = book.ask(question)
    assert (given.tier, given.curated_id, given.details["approved_by"]) == (Tier.CURATED, entry.id, 1)
    assert given.citations[0].state is SourceState.CURRENT

    note.write_text("# Tool shed\n\nThe loppers hang in the cellar.\n", "utf-8")
    book.add(library)
    now = book.ask(question)
    assert (now.tier, "in the cellar" in now.answer) == (Tier.DOCUMENTS, True)
    assert now.details["outdated"]["id"] == entry.id  # pyright: ignore[reportArgumentType, reportCallIssue, reportIndexIssue, reportOptionalSubscript]
    stored = book.session(first.session_id or "").messages[1]
    assert {citation.state for citation in stored.citations} == {SourceState.CHANGED}

    note.unlink()
    book.add(library)
    assert book.ask(question).citations[0].state is SourceState.REMOVED
    assert "the source was removed" in book.export_session(first.session_id or "")


def test_a_follow_up_is_understood_from_the_conversation(book: Sourcebook) -> None:
    first = book.ask(QUESTIONS["ru"][0])
    second = book.ask("А весной?", session=first.session_id)
    assert second.details["searched"] == f"{QUESTIONS['ru'][0]} А весной?"
    conversation = book.session(first.session_id or "")
    assert conversation.session.message_count == 4


def test_a_decline_quotes_what_came_closest_only_if_it_may_help(tmp_path: Path) -> None:
    question = "When are gooseberries pruned?"
    with Sourcebook(settings=Settings(db=str(tmp_path / "base.db"))) as book:
        book.add_text("Gooseberries are pruned in February.", id="gooseberries")

        def asked_of_a_base_that_needs(more: float) -> Answer:
            judged = book.ask(question).details["judgement"]
            assert isinstance(judged, dict)
            needed = float(str(judged["score"])) + more
            model = book.stores.vectors.get_collection("default").model.name
            book.stores.library.change_collection_settings(
                "default", {"thresholds": Thresholds(model, needed).as_settings()}
            )
            return book.ask(question)

        near, far = asked_of_a_base_that_needs(0.5), asked_of_a_base_that_needs(3.0)
    assert (near.tier, near.nearest_excerpt) == (Tier.NONE, "Gooseberries are pruned in February.")
    assert (far.tier, far.nearest_excerpt) == (Tier.NONE, None)
    assert [found.chunk.document_id for found in far.nearest] == ["gooseberries"]
