from __future__ import annotations

import time

import pytest

from sourcebook.text.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Обрежьте малину.", "Это важно!", "Правда?!", "Да…", "Конец..."],
        ["Prune in autumn.", "Is it late?", "Then wait!"],
        ["Pode no outono.", "É tarde?", "Então espere."],
        ["«Обрежьте.»", "(Так надо.)", "“Right.”", "[Done!]", "Конец."],
        ["«Пора!» — сказал сосед.", "— Когда? — спросил я.", "Ушёл."],
        ["Удобряйте, т. е. вносите золу, навоз и т. д.", "Потом полейте."],
        ["Родился в г. Москве в 1799 г.", "Писал стихи.", "См. рис. 5 и табл. Б, стр. 7."],
        ["А. С. Пушкин и Л.Н. Толстой писали.", "J. R. R. Tolkien did too."],
        ["Dr. Smith paid 3.5 dollars, e.g. Yesterday.", "He left at 5 p.m.", "It rained."],
        ["O Sr. Silva e a Dra. Souza vieram.", "Use adubo, p. ex. Esterco.", "Fim."],
        ["1. Срежьте побеги.", "Сожгите их.", "2. Полейте."],
        ["Внесите 10 г.", "Затем полейте.", "Ждите 3.5 часа."],
        ["The fact is known.[1]", "The rest is not.[2][3]", "End."],
        ["**Важно.**", "Сайт example.com работает.", "Версия 1.2.3 вышла."],
        ["lower case only.", "nobody types capitals.", "fine"],
        ["यह एक वाक्य है।", "यह दूसरा है।"],
    ],
)
def test_sentences_of_a_line(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_sentences_without_spaces() -> None:
    assert sentences("これは文です。次の文！「はい。」終わり") == [
        "これは文です。",
        "次の文！",
        "「はい。」",
        "終わり",
    ]


def test_a_wrapped_line_does_not_end_a_sentence() -> None:
    assert sentences("Обрежьте\nмалину осенью. Полейте\r\nеё.") == [
        "Обрежьте\nмалину осенью.",
        "Полейте\r\nеё.",
    ]


def test_markdown_borders_end_sentences() -> None:
    text = "# Малина. Уход\nТекст без точки\n- один\n* два\n 1. три\n| а | б |\n| в | г |\n\nконец"
    assert sentences(text) == [
        "# Малина. Уход",
        "Текст без точки",
        "- один",
        "* два",
        "1. три",
        "| а | б |",
        "| в | г |",
        "конец",
    ]


def test_blank_lines_and_pages_end_sentences() -> None:
    assert sentences("раз\n\nдва\r\n \r\nтри\fчетыре") == ["раз", "два", "три", "четыре"]


@pytest.mark.parametrize("text", ["", " ", "\n\n\t", "\u3000"])
def test_white_space_has_no_sentences(text: str) -> None:
    assert sentence_spans(text) == []


@pytest.mark.parametrize(
    "piece",
    [
        ".",
        ". ",
        "а",
        "А. ",
        "\n",
        "\n ",
        " ",
        ".)",
        ".[1]",
        "# ",
        "\n# x",
        "\n1",
        "! - ",
        "。",
        ". - ",
        "т. д. ",
        "1. ",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = "x" + piece * (400_000 // len(piece))
    start = time.process_time()
    sentence_spans(text)
    assert time.process_time() - start < 5
