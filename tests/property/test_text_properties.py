from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook.text.analysis import analyse, analyse_question, words
from sourcebook.text.case_and_accents import normal_form, storable
from sourcebook.text.highlights import highlights
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.stems import stem_words

WRITTEN = "малина ёлка не т. д. г. А. С. Dr. e.g. p. ex. 3.5 1. # - * | ** . .. ! ? … » ) ] « _ 文書 。 ไทย हिन्दी não İ"
UNSEEN = [" ", "\n", "\r\n", "\n\n", "\f", "\u0301", "\u0345", "\x00", "\ud800"]
PIECES = [*WRITTEN.split(), *UNSEEN]
ANY_TEXT = st.text(st.characters(codec=None)) | st.lists(st.sampled_from(PIECES)).map("".join)
LANGUAGES = "xx ru en pt es de tr ar fi hi el sr hy ta yi pl fa st ne"
ANY_LANGUAGE = st.sampled_from([None, "", *LANGUAGES.split()])
ANY_WORDS = st.lists(ANY_TEXT).map(lambda texts: [word for text in texts for word in words(text)])


@given(ANY_TEXT)
def test_words_are_short_and_hold_no_gaps(text: str) -> None:
    for word in words(text):
        assert 1 <= len(word) <= 64
        assert storable(word)
        assert not any(character.isspace() or character == "_" for character in word)


@given(ANY_TEXT, ANY_LANGUAGE)
def test_analysis_gives_the_same_terms_every_time(text: str, language: str | None) -> None:
    terms = analyse(text, language)
    assert terms == analyse(text, language)
    assert all(terms)
    assert bool(terms) == bool(words(text))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_composition_makes_no_difference_to_words(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


@given(ANY_WORDS, ANY_LANGUAGE)
def test_every_word_has_one_stem(vocabulary: list[str], language: str | None) -> None:
    stems = stem_words(vocabulary, language)
    assert len(stems) == len(vocabulary)
    assert stems == [stem_words([word], language)[0] for word in vocabulary]


@given(ANY_TEXT, st.lists(st.sampled_from(["ru", "en", "pt", "xx", "ja"]), unique=True))
def test_any_question_is_safe_and_bounded(text: str, languages: list[str]) -> None:
    found = analyse_question(text, languages)
    assert len(found.terms) <= 64 * max(1, len(languages))
    assert len(set(found.terms)) == len(found.terms)
    assert all(len(prefix) >= 2 for prefix in found.prefixes)
    assert all(map(storable, found.terms + found.prefixes))


@given(st.lists(st.text("абвгдежз", min_size=3, max_size=9), min_size=65, max_size=90))
def test_a_question_ends_after_64_words(vocabulary: list[str]) -> None:
    assert set(analyse_question(" ".join(vocabulary), []).terms) <= set(vocabulary[:64])


@given(ANY_TEXT)
def test_sentences_cover_the_text_in_order_and_are_trimmed(text: str) -> None:
    end = 0
    for start, stop in sentence_spans(text):
        assert end <= start < stop
        assert not text[end:start].strip()
        assert text[start:stop] == text[start:stop].strip()
        end = stop
    assert not text[end:].strip()


@given(ANY_TEXT, st.lists(st.sampled_from(["малин", "文書", "е"])), st.lists(st.sampled_from(["ма", "не"])))
def test_highlights_are_few_and_short(content: str, terms: list[str], prefixes: list[str]) -> None:
    chosen = highlights(content * 9, terms, prefixes, "ru", limit=2)
    assert len(chosen) <= 2
    assert all(0 < len(sentence) <= 300 for sentence in chosen)


@settings(deadline=None)  # the first call loads the model
@given(ANY_TEXT)
def test_any_text_has_a_language_or_none(text: str) -> None:
    language = detect_language(text)
    assert language == detect_language(text)
    assert language is None or (len(language) == 2 and language.isalpha())


@given(ANY_TEXT)
def test_the_normal_form_of_a_normal_form_is_itself(value: str) -> None:
    assert normal_form(normal_form(value)) == normal_form(value)
