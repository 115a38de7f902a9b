"""The page says the same things in every language, and says everything it has words for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from string import Formatter

import pytest

from sourcebook.faces import web
from sourcebook.locale import LANGUAGES, Entry, page_texts
from sourcebook.locale.plural_rules import PLURAL_FORM_OF

PAGE = Path(web.__file__).parent
BUILT = (
    "already_", "brought_", "compared_", "count_", "days_", "differs_", "disk_", "done_", "doubt_", "error_",
    "filter_", "finding_", "gap_", "group_", "hint_", "judged_", "kind_", "lang_", "late_", "leaf_", "may_",
    "mode_", "nav_", "op_", "role_", "secret_", "since_", "state_", "states_", "theme_", "thumb_",
    "upload_", "waits_", "wording_",
)  # fmt: skip


def names_in(entry: Entry) -> set[str]:
    forms = [entry] if isinstance(entry, str) else list(entry.values())
    return {name for form in forms for _, name, _, _ in Formatter().parse(form) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_sentences_with_the_same_names(language: str) -> None:
    english, other = page_texts("en").entries, page_texts(language).entries
    assert list(other) == list(english)
    assert {key: names_in(entry) for key, entry in other.items()} == {
        key: names_in(entry) for key, entry in english.items()
    }
    for key, entry in other.items():
        if isinstance(entry, Mapping):
            assert set(entry) == {PLURAL_FORM_OF[language](n) for n in range(25)}, key


def test_every_sentence_is_said_and_every_said_sentence_exists() -> None:
    files = [*PAGE.rglob("*.html"), *PAGE.rglob("*.py")]
    code = "\n".join(path.read_text("utf-8") for path in files)
    words = set(re.findall(r"""["']([a-z_0-9]+)["']""", code))
    entries = set(page_texts("en").entries)
    assert {key for key in entries - words if not key.startswith(BUILT)} == set()
    said = set(re.findall(r"""\bt(?:exts)?\(["']([a-z_0-9]+)["']\s*[,)]""", code))
    assert said - entries == set()
    assert {f"done_{name}" for name in re.findall(r"done=([a-z_]+)", code)} - entries == set()
