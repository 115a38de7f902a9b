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
        ["Kündbar zum 1. September oder am 31. Dezember.", "Es sind 12.", "Im September sind es mehr."],
        ["यह एक वाक्य है।", "यह दूसरा है।"],
    ],
)
def test_sentences_of_a_line(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["Грузия (груз. Сакартвело) лежит на юге.", "Столица — Тбилиси."],
        ["Город назван от фр. Montréal и лат. Mons Regius.", "Он стоит на острове."],
        ["Слово пришло из яп. Кайдзен.", "Оно значит улучшение."],
        ["ЮАР, африк. Suid-Afrika, англ. South Africa, — республика.", "Там три столицы."],
        ["Афины (др.-греч. Ἀθῆναι) основаны давно.", "Когда, неизвестно."],
        ["Высота ок. 800 метров.", "Длина ок. 3 км.", "Всё ок.", "Едем."],
        ["Оплата, т. е. Счёт, придёт позже.", "Ждите."],
        ["Это кит.", "Он большой.", "Мы купили тур.", "Порт закрыт."],
        ["Статья 12 (см. Приложение № 3. Таблица 2) действует.", "Прочие нет."],
        ["Он написал: «Приеду завтра. Встречай. Целую» и лёг спать.", "Утром уехал."],
        ["«Иди. Не стой.»", "Он ушёл."],
        ["The river (from Lat. Rhenus. See below) is long.", "It floods."],
        ["Use a cache, e.g. Redis.", "It helps, i.e. Requests are faster."],
        ["Dr. Brown and Prof. Lee met in St. Albans.", "See No. 5 and vol. 2.", "No.", "It is over."],
        ["He said “Stop. Wait. Go.” and left.", "Nobody followed."],
        ['The label says "Do not open. Keep dry." in red.', "Obey it."],
        ["The office (3rd floor. Ring twice!) is open.", "Come in."],
        ["Use um banco, p. ex. PostgreSQL.", "O Sr. Costa e a Sra. Lima sabem."],
        ["Veja a pág. 12, o art. 5 e o núm. 7.", "O templo é do séc. XVIII.", "Fica no centro."],
        ["O aviso (lat. Nota bene. Ver acima) é antigo.", "Leia."],
        ["El Sr. Pérez vive en la Avda. Mayor, núm. 4.", "La Dra. Ruiz también."],
        ["Un motor, p. ej. PostgreSQL, basta.", "En EE. UU. cuesta más."],
        ["¿Qué dice “No pasar. Obras.” en la puerta?", "¡Nada!"],
        ["A) Первый пункт :) готов.", "B) Второй пункт.", "Конец."],
        ['Размер 5" и 7".', "Других нет."],
        ["(Unclosed.", "Next one.", "Third."],
    ],
)
def test_abbreviations_and_brackets_do_not_end_a_sentence(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_a_long_bracket_swallows_no_page() -> None:
    inside = "Это предложение стоит в скобках. " * 40
    assert len(sentences(f"Начало ({inside}) и конец. Ещё одно.")) > 40
    assert max(map(len, sentences(f"“{inside}” ({inside})" * 5))) < 400


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
        "(",
        ")",
        "(. А",
        "[(",
        '(«"',
        "). ",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = "x" + piece * (400_000 // len(piece))
    start = time.process_time()
    sentence_spans(text)
    assert time.process_time() - start < 5
