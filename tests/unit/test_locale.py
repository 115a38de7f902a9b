"""Sourcebook says the same things in every language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from string import Formatter

import pytest

from sourcebook import locale
from sourcebook.locale import LANGUAGES, NAMES, Entry, known, texts
from sourcebook.locale.plural_rules import PLURAL_FORM_OF

SOURCE = Path(locale.__file__).parents[1]
SPEAKING = tuple(SOURCE / place for place in ("faces/telegram", "faces/cli", "faces/http", "consult"))


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def names_in(entry: Entry) -> set[str]:
    return (
        placeholders(entry)
        if isinstance(entry, str)
        else set[str]().union(*map(placeholders, entry.values()))
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things_with_the_same_names(language: str) -> None:
    english, other = texts("en").entries, texts(language).entries
    assert list(other) == list(english), "the same keys in the same order"
    assert {key: names_in(entry) for key, entry in other.items()} == {
        key: names_in(entry) for key, entry in english.items()
    }
    assert {key for key in other if isinstance(other[key], Mapping)} == {
        key for key in english if isinstance(english[key], Mapping)
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_forms_are_complete(language: str) -> None:
    for key, entry in texts(language).entries.items():
        if not isinstance(entry, str):
            assert set(entry) == {PLURAL_FORM_OF[language](n) for n in range(25)}, key
            assert all("n" in placeholders(form) for form in entry.values()), key


@pytest.mark.parametrize(
    ("n", "said"), [(0, "0 токенов"), (1, "1 токен"), (3, "3 токена"), (11, "11 токенов"), (22, "22 токена")]
)
def test_a_russian_number_has_its_own_form(n: int, said: str) -> None:
    assert texts("ru")("tokens", n=n) == said


@pytest.mark.parametrize(
    ("code", "language"),
    [("pt-BR", "pt"), ("ru", "ru"), ("RU_ru", "ru"), ("de", "en"), ("", "en"), (None, "en")],
)
def test_a_language_is_known_by_the_code_of_a_program(code: str | None, language: str) -> None:
    assert known(code) == language
    assert texts(code).language == language
    assert language in NAMES


def test_what_is_put_into_a_sentence_stays_as_it_is() -> None:
    assert texts("en")("terms_changed", term="{n} {} <b>") == "Done: {n} {} <b>."


def test_every_sentence_is_said_somewhere() -> None:
    files = [*(SOURCE / "faces").glob("*.py"), *(path for room in SPEAKING for path in room.rglob("*.py"))]
    code = "\n".join(path.read_text("utf-8") for path in files)
    said = set(re.findall(r"""["']([a-z_]+)["']""", code))
    beginnings = ("again_", "decided_", "doubt_", "draft_", "terminal_outdated", "trouble_", "what_")
    built = {key for key in texts("en").entries if key.startswith(beginnings)}
    assert set(texts("en").entries) - said - built == set()
