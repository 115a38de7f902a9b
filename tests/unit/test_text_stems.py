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


@pytest.mark.parametrize("language", [None, "", "xx", "ja", "русский"])
def test_words_of_a_language_without_a_stemmer_stay(language: str | None) -> None:
    assert stem_words(["малины", "raspberries"], language) == ["малины", "raspberries"]


@pytest.mark.parametrize(("language", "word"), [("ar", "\u064c\u064f"), ("yi", "\u05c1")])
def test_a_word_that_is_all_ending_is_its_own_stem(language: str, word: str) -> None:
    assert stem_words([word, word], language) == [word, word]


def test_the_words_given_are_left_alone() -> None:
    given = ["малины"]
    assert stem_words(given, None) is not given
    stem_words(given, "ru")
    assert given == ["малины"]


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
