from __future__ import annotations

import time
import unicodedata

import pytest

from sourcebook.text.analysis import analyse, analyse_question, words
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.stopwords import asking_words, stop_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Обрезка малины — осенью!", ["обрезка", "малины", "осенью"]),
        ("Ещё ёлка, ЁЖ", ["еще", "елка", "еж"]),
        ("за\u0301мок и замо\u0301к", ["замок", "и", "замок"]),
        ("don't, l'été; сине-зелёный", ["don", "t", "l", "été", "сине", "зеленый"]),
        ("my_function(x2) 3.5", ["my", "function", "x2", "3", "5"]),
        ("об\u00adрез\u00adка", ["обрезка"]),
        ("con\ufb01g ＡＰＩ İzmir", ["config", "api", "izmir"]),
        ("poda não é colheita", ["poda", "não", "é", "colheita"]),
        ("", []),
        ("«…» — !", []),
    ],
)
def test_words_are_what_a_reader_sees(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize("text", ["Йод и чай, ёлка", "não é maçã", "Größe", "tiếng Việt", "ΐσως"])
def test_composition_and_case_make_no_difference(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(text)
    assert words(text.upper()) == words(text.lower())


def test_short_i_is_not_taken_for_an_accented_i() -> None:
    assert words("чай") == ["чай"]
    assert words("чай") != words("чаи")


def test_vowel_signs_do_not_tear_a_word() -> None:
    assert words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_scripts_without_spaces_are_found_by_a_part_of_a_run() -> None:
    assert set(words("文書")) <= set(words("この文書を読む"))
    assert set(words("茶")) <= set(words("喝茶很好"))
    assert set(words("ไทย")) <= set(words("ภาษาไทยดี"))
    assert words("API文書") == ["api", "文書", "文", "書"]


def test_a_long_run_without_spaces_loses_nothing() -> None:
    text = "".join(chr(0x4E00 + offset) for offset in range(500))
    assert set(text) <= set(words(text))


def test_a_long_word_is_cut_and_its_rest_is_no_word() -> None:
    assert words("а" * 1000 + " б") == ["а" * 64, "б"]


@pytest.mark.parametrize(
    ("language", "question", "document"),
    [
        ("ru", "обрезка малины", "Обрезку малин"),
        ("en", "pruning raspberries", "prune the raspberry"),
        ("pt", "podas de framboesa", "a poda das framboesas"),
    ],
)
def test_a_document_and_a_question_meet_in_their_stems(language: str, question: str, document: str) -> None:
    assert set(analyse_question(question, [language]).terms) == set(analyse(document, language))


def test_stop_words_are_dropped_by_the_language_of_the_text() -> None:
    assert analyse("the garden of the king", "en") == ["garden", "king"]
    assert "the" in analyse("the garden of the king", None)


def test_a_text_of_stop_words_alone_is_still_findable() -> None:
    assert analyse("To be, or not to be", "en")
    assert set(analyse_question("to be or not to be", ["en"]).terms) == set(
        analyse("To be, or not to be", "en")
    )


def test_stop_words_are_written_as_the_analyser_sees_them() -> None:
    for language in ("en", "ru", "pt", "es"):
        listed = stop_words(language)
        assert 30 <= len(listed) <= 60
        assert all(words(word) == [word] for word in listed | asking_words(language))


def test_what_a_question_says_more_than_once_is_counted_by_words_not_by_stems() -> None:
    found = analyse_question("малины podas raspberries малины", ["ru", "en", "pt"])
    assert found.times[next(term for term in found.terms if term.startswith("малин"))] == 2
    assert not any(term.startswith("raspb") for term in found.times)
    assert found.emphasis("raspberri") == 1.0


def test_a_question_is_stemmed_in_every_language() -> None:
    found = analyse_question("малины podas raspberries малины", ["ru", "en", "pt"])
    assert found.terms == ("малин", "poda", "pod", "raspberri")
    assert found.prefixes == ()


@pytest.mark.parametrize(
    ("language", "question", "content"),
    [
        ("en", "when should raspberries be pruned", "raspberries pruned"),
        ("ru", "когда обрезают малину и чем", "обрезают малину"),
        ("pt", "quando e como podar", "podar"),
        ("es", "¿Cuándo podar?", "podar"),
    ],
)
def test_words_that_only_ask_are_not_looked_for(language: str, question: str, content: str) -> None:
    assert analyse_question(question, [language]).terms == analyse_question(content, [language]).terms
    # A text is indexed with them, so that they can be looked for.
    assert set(analyse("who когда quando cuándo", language)) >= set(stem_words(["who"], language))


@pytest.mark.parametrize(("question", "language"), [("Who?", "en"), ("Кто где когда?", "ru")])
def test_a_question_that_only_asks_looks_for_its_words(question: str, language: str) -> None:
    assert analyse_question(question, [language]).terms


def test_a_starred_word_that_asks_is_looked_for() -> None:
    assert "when" in analyse_question("when* pruned", ["en"]).terms


def test_without_languages_the_words_stay() -> None:
    assert analyse_question("Малины raspberries", []).terms == ("малины", "raspberries")


def test_stop_words_of_any_given_language_are_dropped() -> None:
    assert analyse_question("the обрезка и não poda", ["ru", "en", "pt"]).terms[0] == "обрезк"
    assert "the" not in analyse_question("the обрезка", ["ru", "en"]).terms


def test_a_star_makes_a_prefix_and_leaves_the_term() -> None:
    found = analyse_question("Обрез* малину", ["ru"])
    assert found.prefixes == ("обрез",)
    assert found.terms == ("обрез", "малин")


def test_a_starred_word_is_never_a_stop_word() -> None:
    found = analyse_question("the* garden", ["en"])
    assert found.prefixes == ("the",)
    assert "the" in found.terms


@pytest.mark.parametrize("question", ["a* x*", "**важно**", "a*b", "* * *", "2 * 3", "***"])
def test_other_stars_are_no_prefixes(question: str) -> None:
    assert analyse_question(question, ["ru"]).prefixes == ()


def test_nul_and_lone_surrogates_are_dropped_from_a_question() -> None:
    assert analyse_question("обре\x00зка \ud83dмалины", ["ru"]).terms == ("обрезк", "малин")


def test_a_question_without_words_looks_for_nothing() -> None:
    found = analyse_question("?! … *", ["ru", "en"])
    assert (found.terms, found.prefixes) == ((), ())


@pytest.mark.parametrize("piece", ["а", "слово ", "слово* ", "文", "\x00", "*", "e\u0301", "\ud800"])
def test_a_huge_question_costs_no_more_than_its_beginning(piece: str) -> None:
    question = piece * (1_000_000 // len(piece))
    analyse_question("разогрев", ["ru", "en", "pt"])

    def seconds() -> float:
        start = time.process_time()
        analyse_question(question, ["ru", "en", "pt"])
        return time.process_time() - start

    # Measured again only if it was slow: something else may have been at work.
    assert any(seconds() < 0.05 for _ in range(5))
    found = analyse_question(question, ["ru", "en", "pt"])
    assert len(found.terms) <= 64 * 3
    assert len(found.prefixes) <= 64


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("Where is the Wi-Fi password?", "Where is the wifi password?", "en"),
        ("Wi‑Fi and WI-FI and Wi Fi", "wifi and WiFi and WIFI", "en"),
        ("Send an e-mail; e-mails are kept", "Send an email; emails are kept", "en"),
        ("an on-line shop, off-line too", "an online shop, offline too", "en"),
        ("Co-operation and coordination", "Cooperation and co-ordination", "en"),
        ("Пароль от вай-фая, он-лайн", "Пароль от wifi, онлайн", "ru"),
        ("Qual é a senha do Wi-Fi? Mande um e-mail", "Qual é a senha do wifi? Mande um email", "pt"),
        ("La clave del wi-fi, en on-line", "La clave del wifi, en online", "es"),
    ],
)
def test_with_or_without_a_hyphen_it_is_one_word(one: str, other: str, language: str) -> None:
    assert analyse(one, language) == analyse(other, language)
    assert analyse_question(one, [language]).terms == analyse_question(other, [language]).terms


@pytest.mark.parametrize("text", ["long-term", "on line 5", "кто-то", "wi", "co-op", "t-shirt", "web-site"])
def test_parts_that_are_words_stay_apart(text: str) -> None:
    assert words(text) == text.replace("-", " ").split()
