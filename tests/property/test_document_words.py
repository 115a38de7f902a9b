"""Words that are counted part by part are those that are counted text by text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook.storage.index.bm25 import WordCount
from sourcebook.storage.index.document_words import DocumentWords

PIECES = [
    *(
        "Wi",
        "Fi",
        "wi fi",
        "Wi-Fi",
        "вай",
        "фай",
        "Вай-фай",
        "офф-лайн",
        "e-mail",
        "co",
        "-operate",
        "on-line",
    ),
    *("the", "and", "of", "и", "в", "не", "o", "de", "Straße", "İstanbul", "ёлка", "за\u0301мок", "ﬁne"),
    *(
        "plants",
        "plant",
        "растения",
        "растений",
        "informações",
        "DVDs",
        "日本語",
        "１２３",
        "a" * 70,
        "snake_case",
    ),
    *(" ", " ", " ", "\n", "\u00a0", "\u3000", "\u00ad", "\u0301", "-", ".", "*"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@st.composite
def texts_and_spans(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    text = draw(TEXTS)
    places = st.integers(0, len(text))
    # Mostly between words, as passages are; sometimes anywhere.
    borders = [0, len(text), *(i for i in range(len(text)) if text[i].isspace() or text[i - 1 : i].isspace())]
    border = st.one_of(st.sampled_from(borders), places) if draw(st.booleans()) else st.sampled_from(borders)
    pairs = draw(st.lists(st.tuples(border, border), max_size=5))
    return text, [(min(pair), max(pair)) for pair in pairs]


@settings(max_examples=400, deadline=None)
@given(
    texts_and_spans(),
    st.sampled_from([None, "", "the", "Wi", "Растения в саду"]),
    st.sampled_from([None, "en", "ru", "pt", "ja"]),
)
def test_counted_part_by_part_as_text_by_text(
    given_text: tuple[str, list[tuple[int, int]]], title: str | None, language: str | None
):
    text, spans = given_text
    found = DocumentWords.of(text, title, language, spans)
    assert found.of_document == WordCount.of_document(text, title, language)
    assert found.of_passages == [WordCount.of_passage(text[a:b], title, language) for a, b in spans]
