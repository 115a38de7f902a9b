"""The page describes every setting in every language it speaks."""

from __future__ import annotations

import re

import pytest
from tests.offenders import assert_none

from sourcebook.locale import DEFAULT, LANGUAGES, setting_texts
from sourcebook.settings import Settings

TRANSLATED = [language for language in LANGUAGES if language != DEFAULT]


def codes(text: str) -> set[str]:
    return set(re.findall(r"`([^`]*)`", text))


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_setting_has_a_text_and_every_text_a_setting(language: str) -> None:
    texts = setting_texts(language)
    lacking = [f"no text: {name}" for name in Settings.model_fields if not texts.get(name, "").strip()]
    unknown = [f"no such setting: {name}" for name in texts if name not in Settings.model_fields]
    assert_none(lacking + unknown)


@pytest.mark.parametrize("language", TRANSLATED)
def test_values_and_commands_stay_as_they_are_written_in_a_file(language: str) -> None:
    texts = setting_texts(language)
    assert_none(
        f"{name}: {sorted(lost)}"
        for name, field in Settings.model_fields.items()
        if (lost := codes(field.description or "") - codes(texts.get(name, "")))
    )


def test_english_is_what_the_settings_say_themselves() -> None:
    assert setting_texts("en") == {}
    assert_none(name for name, field in Settings.model_fields.items() if not field.description)
