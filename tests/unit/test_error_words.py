"""The page tells of errors in its own words, in every language."""

from __future__ import annotations

import pytest

from sourcebook.errors import BaseTooNew, DamagedFile, FileOverLimit, SourcebookError
from sourcebook.faces.web.error_words import Said, words_for, words_of
from sourcebook.locale import LANGUAGES, error_texts, page_texts


def codes(kind: type[SourcebookError] = SourcebookError) -> set[str]:
    return {kind.code}.union(*(codes(below) for below in kind.__subclasses__()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_words_for_the_same_codes(language: str) -> None:
    texts = error_texts(language)
    assert list(texts) == list(error_texts("en"))
    assert set(texts) <= codes()
    assert all(entry["said"] and entry["hint"] for entry in texts.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_has_words(language: str) -> None:
    for code in codes():
        words = words_of(page_texts(language), code)
        assert words.said
        assert "sourcebook " not in f"{words.said} {words.hint}"


def test_a_code_without_words_of_its_own_is_told_as_its_branch_is() -> None:
    texts = page_texts("ru")
    assert words_for(texts, BaseTooNew()).said == error_texts("ru")["storage"]["said"]
    assert words_of(texts, "no_such_code").said == error_texts("ru")["error"]["said"]


def test_what_an_error_names_beyond_its_kind_is_kept() -> None:
    texts = page_texts("pt")
    assert words_for(texts, DamagedFile()).detail == ""
    assert words_for(texts, FileOverLimit("The file is larger than 50 MB.")).detail.endswith("50 MB.")
    assert words_for(texts, DamagedFile("Run `sourcebook doctor`.")).detail == ""


def test_what_a_view_says_itself_is_shown_as_it_stands() -> None:
    words = words_for(page_texts("ru"), Said("Так нельзя."))
    assert (words.said, words.hint) == ("Так нельзя.", "")
