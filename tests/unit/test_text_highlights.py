from __future__ import annotations

import pytest

from sourcebook.text.analysis import analyse_question
from sourcebook.text.highlights import highlights

PASSAGE = (
    "Малину сажают весной. Поливают её редко. Обрезку малины ведут осенью. Удобрения вносят после обрезки. "
    "Секатор точат заранее. Малина любит солнце."
)


def found(content: str, question: str, language: str, limit: int = 3) -> list[str]:
    wanted = analyse_question(question, [language])
    return highlights(content, wanted.terms, wanted.prefixes, language, limit)


def test_the_sentence_with_most_matches_is_chosen() -> None:
    assert found(PASSAGE, "обрезка малины", "ru", limit=1) == ["Обрезку малины ведут осенью."]


def test_sentences_come_in_the_order_of_the_text() -> None:
    assert found(PASSAGE, "обрезка малины", "ru") == [
        "Малину сажают весной.",
        "Обрезку малины ведут осенью.",
        "Удобрения вносят после обрезки.",
    ]


def test_a_prefix_matches_the_beginning_of_a_word() -> None:
    assert found(PASSAGE, "секат*", "ru") == ["Секатор точат заранее."]


@pytest.mark.parametrize(
    ("content", "question", "language", "expected"),
    [
        (
            "It rains. Raspberries are pruned late.",
            "pruning a raspberry",
            "en",
            ["Raspberries are pruned late."],
        ),
        ("Chove. As framboesas são podadas.", "podar framboesa", "pt", ["As framboesas são podadas."]),
        ("雨です。この文書を読む。", "文書", "ja", ["この文書を読む。"]),
    ],
)
def test_matches_are_found_in_any_language(
    content: str, question: str, language: str, expected: list[str]
) -> None:
    assert found(content, question, language) == expected


def test_nothing_matches_nothing() -> None:
    assert found(PASSAGE, "картофель", "ru") == []
    assert highlights(PASSAGE, (), (), "ru") == []
    assert found(PASSAGE, "малина", "ru", limit=0) == []


@pytest.mark.parametrize(("before", "after"), [(0, 200), (100, 100), (200, 0)])
def test_a_long_sentence_is_cut_around_its_match(before: int, after: int) -> None:
    [cut] = found("слово " * before + "обрезка" + " дело" * after, "обрезки", "ru")
    assert len(cut) <= 300
    assert "обрезка" in cut
    assert cut.startswith("…") == (before > 0)
    assert cut.endswith("…") == (after > 0)
    assert set(cut.strip("…").split()) <= {"слово", "обрезка", "дело"}


def test_a_long_run_without_spaces_is_cut_around_its_match() -> None:
    [cut] = found("あ" * 1000 + "文書" + "い" * 1000, "文書", "ja")
    assert len(cut) <= 300
    assert "文書" in cut
