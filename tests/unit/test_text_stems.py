from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from sourcebook.text.stems import stem_words


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("ru", ["малина", "малины", "малину", "малиной"]),
        ("en", ["prune", "pruned", "pruning", "prunes"]),
        ("pt", ["podar", "podada", "podamos"]),
        ("es", ["podar", "podada", "podando"]),
        ("de", ["himbeere", "himbeeren"]),
        ("no", ["bringebær", "bringebæret"]),
        ("nb", ["bringebær", "bringebæret"]),
    ],
)
def test_forms_of_a_word_share_a_stem(language: str, forms: list[str]) -> None:
    assert len(set(stem_words(forms, language))) == 1


@pytest.mark.parametrize("language", ["en", "pt", "es", "de", "fr", "pl", "ru", None])
@pytest.mark.parametrize("singular", ["dvd", "pdf", "cd", "pc", "tv", "url", "api", "id", "gpu", "ngo"])
def test_an_abbreviation_and_its_plural_share_a_stem(singular: str, language: str | None) -> None:
    assert stem_words([singular], language) == stem_words([f"{singular}s"], language)


@pytest.mark.parametrize("language", ["en", "pt", "es", "de", "ru", None])
@pytest.mark.parametrize("name", ["gps", "dns", "tls", "css", "sms", "https", "ftps", "rss"])
def test_an_abbreviation_that_ends_in_s_is_no_plural(name: str, language: str | None) -> None:
    assert stem_words([name], language) == [name]


def test_portuguese_takes_foreign_plurals_back_and_keeps_its_own() -> None:
    assert stem_words(["links", "chips", "faqs"], "pt") == ["link", "chip", "faq"]
    assert stem_words(["bens", "bem"], "pt") == ["bens", "bem"]


@pytest.mark.parametrize("language", ["vi", "xx", "русский"])
def test_words_of_a_language_without_a_stemmer_stay(language: str) -> None:
    assert stem_words(["raspberries", "été"], language) == ["raspberries", "été"]


@pytest.mark.parametrize("language", [None, ""])
def test_words_of_an_unknown_language_have_the_stems_of_their_letters(language: str | None) -> None:
    assert stem_words(["малины", "raspberries", "文書"], language) == ["малин", "raspberri", "文書"]


@pytest.mark.parametrize("language", ["ru", "uk", "ja", "el", "ar"])
def test_latin_words_in_another_script_are_taken_for_english(language: str) -> None:
    assert stem_words(["servers"], language) == stem_words(["server"], "en")


@pytest.mark.parametrize("language", ["en", "pt", "de", "uk", "ja", "xx"])
def test_cyrillic_words_in_another_language_are_taken_for_russian(language: str) -> None:
    assert stem_words(["малины"], language) == stem_words(["малина"], "ru")


def test_serbian_has_stems_of_its_own_in_both_its_scripts() -> None:
    assert stem_words(["малине"], "sr") == stem_words(["maline"], "sr")


@pytest.mark.parametrize(
    "forms",
    [
        ["поставка", "поставки", "поставок"],
        ["точка", "точек"],
        ["кубок", "кубка", "кубком"],
        ["конец", "конца", "концы"],
        ["человек", "человека", "человеком"],
    ],
)
def test_a_vowel_that_comes_and_goes_makes_no_other_word_in_russian(forms: list[str]) -> None:
    assert len(set(stem_words(forms, "ru"))) == 1


@pytest.mark.parametrize("word", ["сок", "век", "маяк", "наук"])
def test_short_words_and_vowels_that_stay_are_left_alone(word: str) -> None:
    assert stem_words([word], "ru") == [word]


@pytest.mark.parametrize(
    ("language", "written", "typed"),
    [("pt", "análise", "analise"), ("fr", "été", "ete"), ("es", "jardín", "jardin"), ("en", "café", "cafe")],
)
def test_accents_that_nobody_types_make_no_difference(language: str, written: str, typed: str) -> None:
    assert stem_words([written], language) == stem_words([typed], language)


def test_letters_that_only_look_like_accented_ones_stay() -> None:
    assert stem_words(["año"], "es") != stem_words(["ano"], "es")
    assert stem_words(["säker"], "sv") != stem_words(["saker"], "sv")


@pytest.mark.parametrize(("language", "word"), [("ar", "\u064c\u064f"), ("yi", "\u05c1")])
def test_a_word_that_is_all_ending_is_its_own_stem(language: str, word: str) -> None:
    assert stem_words([word, word], language) == [word, word]


def test_the_words_given_are_left_alone() -> None:
    given = ["малины", "raspberries"]
    for language in (None, "ru", "xx"):
        assert stem_words(given, language) is not given
    assert given == ["малины", "raspberries"]


def test_many_threads_get_the_same_stems() -> None:
    vocabulary = [
        f"{base}{ending}" for base in ("малин", "груш", "вишн") for ending in ("а", "ы", "ой", "ами")
    ]
    expected = stem_words(vocabulary, "ru")

    def stem_often(_: int) -> list[list[str]]:
        return [stem_words(vocabulary, "ru") for _ in range(200)]

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(stem_often, range(8)))
    assert all(stems == expected for result in results for stems in result)


def test_a_stem_is_the_same_after_very_many_other_words() -> None:
    words = ["анализы", "поставок", "servers", "análises"]
    for language in ("ru", "pt"):
        before = stem_words(words, language)
        stem_words(
            [f"слово{number}" if language == "ru" else f"word{number}" for number in range(25_000)], language
        )
        assert stem_words(words, language) == before
        assert [stem_words([word], language)[0] for word in words] == before
