from __future__ import annotations

from sourcebook.consult.evidence.same_text import (
    holds_copy,
    is_same_text,
    is_translation,
    without_translations,
)
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult

ENGLISH = "The museum is open from Tuesday to Sunday and a ticket for the whole day costs nine pounds."
RUSSIAN = "Музей открыт со вторника по воскресенье, а билет на целый день стоит девять фунтов."


def passage(text: str, path: str) -> SearchResult:
    return SearchResult(Chunk(path, path, text, end_index=len(text)), 1.0, document_path=path)


def test_a_copy_in_another_file_says_the_same() -> None:
    assert is_same_text(passage(ENGLISH, "a.html"), passage(f"Welcome! {ENGLISH}", "a.pdf"))
    assert holds_copy(passage(ENGLISH, "a.html"), "a ticket for the whole day")
    assert not is_same_text(passage(ENGLISH, "a.html"), passage(ENGLISH, "a.html"))


def test_another_text_about_the_same_does_not() -> None:
    other = "The castle is open from Monday to Friday and a guide through its rooms costs nothing at all."
    assert not is_same_text(passage(ENGLISH, "a.md"), passage(other, "b.md"))


def test_a_translation_is_known_by_the_names_of_the_files() -> None:
    english = passage(ENGLISH, "docs/visit.en.md")
    assert is_translation(english, passage(RUSSIAN, "docs/visit.ru.md"))
    assert is_translation(passage(ENGLISH, "docs/en/visit.md"), passage(RUSSIAN, "docs/ru/visit.pdf"))
    assert is_translation(
        passage(ENGLISH, "club-en-2026/visit.md"), passage(RUSSIAN, "club-ru-2026/visit.md")
    )
    assert not is_translation(passage(ENGLISH, "rent-it/visit.md"), passage(RUSSIAN, "rental/visit.md"))
    assert not is_translation(english, passage(RUSSIAN, "docs/history.ru.md"))
    assert not is_translation(english, passage(ENGLISH, "docs/visit.ru.md"))


def test_translations_are_left_out_and_the_other_language_of_the_same_file_is_not() -> None:
    own = passage(ENGLISH, "docs/visit.en.md")
    same_file, history = passage(RUSSIAN, "docs/visit.en.md"), passage(RUSSIAN, "docs/history.ru.md")
    found = [passage(RUSSIAN, "docs/visit.ru.md"), own, same_file, history]
    assert without_translations(found, [own]) == [own, same_file, history]
    assert without_translations(found, []) == found
