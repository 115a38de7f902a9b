"""Settings and optional parts are described in the language of the page. No browser is needed to see that."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from tests.faces.browser_desk import Desk, desk, fill
from tests.faces.test_web_guard import send

from sourcebook.faces.web.views.health import state_of_part
from sourcebook.locale import page_texts, setting_texts
from sourcebook.settings import Settings
from sourcebook.storage.maintenance.installed_extras import examined


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("descriptions")
    fill(folder)
    with desk(folder) as made:
        yield made


def shown(at: Desk, place: str, language: str) -> str:
    _, _, html = send(at, place, None, **{"Accept-Language": language})
    return html


def the_base_only(_: str) -> dict[str, str]:
    return {"db": "База."}


def nowhere(_: str) -> None:
    return None


@pytest.mark.parametrize("language", ["ru", "pt"])
def test_settings_are_described_in_the_language_of_the_page(served: Desk, language: str) -> None:
    html = shown(served, "/settings", language)
    text = setting_texts(language)["welcome_tokens"]
    assert f'<small lang="{language}">{text}</small>' in html
    assert '<small lang="en">' not in html


def test_settings_are_described_in_english_by_their_own_descriptions(served: Desk) -> None:
    html = shown(served, "/settings", "en")
    text = Settings.model_fields["welcome_tokens"].description
    assert f'<small lang="en">{text}</small>' in html


def test_a_setting_without_a_text_keeps_its_english_one(
    served: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sourcebook.faces.web.views.settings.setting_texts", the_base_only)
    html = shown(served, "/settings", "ru")
    assert '<small lang="ru">База.</small>' in html
    assert f'<small lang="en">{Settings.model_fields["welcome_tokens"].description}</small>' in html


def test_what_an_optional_part_lacks_is_said_in_the_language_of_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", nowhere)
    parts = examined({"ocr": ["no-such-package"], "small": ["pytest"]})
    command = "`pip install 'sourcebook[ocr]'`"
    said = {
        language: [state_of_part(page_texts(language), part) for part in parts]
        for language in ("en", "ru", "pt")
    }
    assert said == {
        "en": [f"needs {command}, the program tesseract", "installed"],
        "ru": [f"нужно: {command}, программа tesseract", "установлено"],
        "pt": [f"falta: {command}, o programa tesseract", "instalado"],
    }


def test_a_part_that_nothing_uses_is_not_asked_for() -> None:
    (html,) = examined({"html": ["no-such-package"]})
    assert html.state == "not needed, everything works without it"
    (postgres,) = examined({"postgres": ["no-such-package"]})
    assert postgres.state == "needs pip install 'sourcebook[postgres]', for bases on PostgreSQL"


def test_health_names_the_optional_parts_in_russian(served: Desk) -> None:
    html = shown(served, "/health", "ru")
    assert "<td>установлено</td>" in html or "<td>нужно: " in html
    assert "<td>installed</td>" not in html
    assert "<td>needs " not in html


def test_health_leaves_out_what_nobody_needs(served: Desk) -> None:
    html = shown(served, "/health", "en")
    assert "<td>postgres</td>" in html
    assert "<td>eval</td>" not in html
