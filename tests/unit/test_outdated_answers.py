"""Which words of the documents take the place of an approved answer whose source has changed."""

from __future__ import annotations

from sourcebook.consult.curated.outdated_answers import takes_its_place
from sourcebook.model.chat import SourceState
from sourcebook.model.curation import CuratedAnswer, CuratedSource
from sourcebook.testing.contract.chat import citation

WAS = "None of the gates is open after nine in the evening."
SOURCE = CuratedSource("c", "d", "yard.md", WAS, state=SourceState.CHANGED)
ENTRY = CuratedAnswer(1, "c", "yard", WAS, "Is a gate open after nine?", sources=[SOURCE])


def takes(question: str, quote: str) -> bool:
    now = citation(quote=quote, document_title=None, section=None)
    return takes_its_place(ENTRY, question, [now], "en")


def test_a_new_form_of_the_same_words_takes_the_place() -> None:
    assert takes("Is a gate open after nine?", "Each of the gates is open after nine in the evening.")


def test_words_about_something_else_do_not() -> None:
    assert not takes("Is a gate open after nine?", "The pool opens in June, and closes when it freezes.")


def test_a_source_without_a_title_has_no_words_of_one() -> None:
    untitled = CuratedSource("c", "d", "yard.md", "The gates close at nine.", state=SourceState.CHANGED)
    entry = CuratedAnswer(1, "c", "yard", "The gates close at nine.", sources=[untitled])
    now = citation(quote="The gates close at ten.", document_title=None, section=None)
    assert takes_its_place(entry, "Do none of the gates close early?", [now], "en")
