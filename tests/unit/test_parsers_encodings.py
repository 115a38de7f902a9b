"""In which encoding a text is read when nothing says it."""

from __future__ import annotations

import pytest

from sourcebook.errors import UnsupportedFile
from sourcebook.ingest.parsers.text.decoding import decode

RUSSIAN = [
    "Малина",
    "Привет, мир!",
    "Когда обрезать малину",
    "клубника и земляника",
    "Ёж — колючий, а уж — нет.",
    "Полив: 10 л на куст раз в неделю, в жару — два раза.",
    "В 2015 г. собрали 3 т. ягод с 0,5 га; это рекорд.",
    "Статья о настройке Apache и nginx на сервере Debian",
]


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "utf-8", "utf-16"])
@pytest.mark.parametrize("text", RUSSIAN)
def test_a_few_words_of_russian_are_enough(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding, errors="replace")) == text.encode(encoding, errors="replace").decode(
        encoding
    )


@pytest.mark.parametrize("encoding", ["cp866", "iso8859-5", "mac-cyrillic"])
def test_older_encodings_of_russian_are_known_too(encoding: str) -> None:
    text = " ".join(RUSSIAN[:4])
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Їжак їсть яблука, а ґава співає.", "koi8-u"),
        ("Їжак їсть яблука, а ґава співає.", "cp1251"),
        ("A poda da framboesa não é difícil.", "cp1252"),
        ("São três ações: podar, regar, colher.", "iso8859-1"),
        ("Größe, Maß und Übermut", "cp1252"),
        ("«Ça va?» — “Très bien”, l’été…", "cp1252"),
        ("Truskawki lubią słońce i wodę, źle znoszą mróz.", "cp1250"),
        ("いちごは太陽と水が好きです。水をたくさんください。", "shift_jis"),
        ("草莓喜欢阳光和水分，秋天要修剪枝条。", "gb18030"),
        ("Οι φράουλες αγαπούν τον ήλιο και το νερό κάθε μέρα", "cp1253"),
    ],
)
def test_other_languages(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_utf_16_without_a_mark_is_recognised() -> None:
    text = "Малина любит солнце. Raspberries want sun.\n" * 5
    assert decode(text.encode("utf-16-le")) == text
    assert decode(text.encode("utf-16-be")) == text


def test_what_a_file_declares_helps_where_letters_do_not() -> None:
    assert decode("№ 5 — Ю.".encode("koi8-r", "ignore"), "koi8-r") == "№ 5 — Ю.".encode(
        "koi8-r", "ignore"
    ).decode("koi8-r")


@pytest.mark.parametrize("declared", ["hex", "unicode_escape", "undefined", "idna", "", "x" * 500, "utf-7"])
def test_a_declared_encoding_that_is_none_does_no_harm(declared: str) -> None:
    assert decode("Малина любит солнце".encode("cp1251"), declared) == "Малина любит солнце"


def test_a_text_that_was_cut_in_the_midst_of_a_letter_is_still_utf_8() -> None:
    text = "Малина любит солнце и влагу. " * 20
    assert decode(text.encode()[:-3]).startswith(text[:-4])


def test_noise_is_no_text_in_any_encoding() -> None:
    with pytest.raises(UnsupportedFile):
        decode(bytes(index * 7919 % 256 for index in range(5000)))
