"""The page tells of errors in its own words, in every language."""

from __future__ import annotations

import io
import re
import traceback
import zipfile
from pathlib import Path

import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.errors import (
    BaseTooNew,
    CollectionNotFound,
    DamagedFile,
    FileOverLimit,
    PathNotFound,
    SourcebookError,
    SupportLost,
)
from sourcebook.faces.http.app import create_app
from sourcebook.faces.http.responses.hints import hint_of
from sourcebook.faces.web.error_words import Said, words_for, words_of
from sourcebook.ingest.parsers.zip_and_xml import MOST_ENTRIES, Package
from sourcebook.locale import LANGUAGES, error_texts, page_texts


def every_kind(kind: type[SourcebookError] = SourcebookError) -> list[type[SourcebookError]]:
    return [kind, *(each for below in kind.__subclasses__() for each in every_kind(below))]


def codes(kind: type[SourcebookError] = SourcebookError) -> set[str]:
    return {kind.code}.union(*(codes(below) for below in kind.__subclasses__()))


@pytest.mark.parametrize("said", ["The disk is full", "The disk is full.", "The disk is full\n"])
def test_a_message_ends_with_a_full_stop(said: str) -> None:
    assert SourcebookError(said).message == "The disk is full."


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


OF_THE_SERVER = {
    "bad_setting", "bad_bundle", "bad_answer_file", "model_not_found", "account_not_found", "key_not_found",
    "reindex_overrun", "account_exists", "embedding_size_mismatch", "not_a_sourcebook", "not_signed_in",
    "wrong_password", "nobody_may_enter",
}  # fmt: skip
"""What only whoever runs the server meets, or can do something about, at its command line."""


def test_a_client_over_http_is_sent_to_routes_and_not_to_commands() -> None:
    kinds = [kind for kind in every_kind() if kind is not Said]
    named = {kind.code for kind in kinds if "`sourcebook " in hint_of(kind())}
    assert named == OF_THE_SERVER
    assert "POST /api/documents" in hint_of(CollectionNotFound("there is no collection 'x'"))
    assert hint_of(CollectionNotFound("no", hint="Ask an administrator.")) == "Ask an administrator."
    renew = SupportLost("no", hint="Take the new words of the documents with `--new-words`.")
    assert hint_of(renew) == hint_of(SupportLost())
    assert "`in_new_words`" in hint_of(renew)


def test_the_routes_in_hints_exist(tmp_path: Path) -> None:
    book = AsyncSourcebook(tmp_path / "base.db")
    known = {
        f"{method.upper()} {path}"
        for path, methods in create_app(book, Settings()).openapi()["paths"].items()
        for method in methods
    }
    said = {route for kind in every_kind() for route in re.findall(r"`([A-Z]+ /[^`]*)`", hint_of(kind()))}
    assert said
    assert said <= known


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


def test_a_traceback_ends_with_the_next_step() -> None:
    error = PathNotFound("There is no file or folder 'docs'.")
    last = "".join(traceback.format_exception(error)).splitlines()[-1]
    assert last == error.hint == "Check the spelling and the current folder."


def test_a_file_over_the_limit_is_split_or_the_limit_raised_and_only_a_bomb_is_suspected() -> None:
    usual = FileOverLimit("The file is larger than 1 MB.").hint
    assert "max_file_mb" in usual
    assert "malicious" not in usual
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(MOST_ENTRIES + 1):
            archive.writestr(str(number), b"")
    with pytest.raises(FileOverLimit) as caught:
        Package(packed.getvalue(), "document")
    assert "malicious" in caught.value.hint


def test_a_base_without_its_default_collection_is_called_empty() -> None:
    assert "no documents yet" in CollectionNotFound.named("default").message
    assert "no documents yet" not in CollectionNotFound.named("rules").message
