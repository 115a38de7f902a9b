"""Who asks which rows of a table fit a condition gets no row that does not."""

from __future__ import annotations

import pytest

from sourcebook.consult.excerpt.answer_without_model import extract
from sourcebook.consult.excerpt.excerpt_features import Asked
from sourcebook.consult.excerpt.row_choice import named_cells
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult
from sourcebook.text.analysis import analyse_question

ROWS = [
    "Product: Rye bread; Gluten: yes; Milk: no; Price: 4.2",
    "Product: Cheese straw; Gluten: yes; Milk: yes; Price: 1.6",
    "Product: Buckwheat loaf; Gluten: no; Milk: no; Price: 5.8",
    "Product: Macaroon; Gluten: no; Milk: yes; Price: 1.7",
]
SHEET = "\n\n".join(ROWS)
TABLE = (
    "| Product | Gluten | Price |\n|---|---|---|\n| Rye bread | yes | 4.2 |\n| Buckwheat loaf | no | 5.8 |\n"
)
PRODUTOS = "Produto: Pão; Glúten: sim; Leite: não\n\nProduto: Broa; Glúten: não; Leite: sim"
ТОВАРЫ = "Товар: Хлеб; Глютен: да; Молоко: нет\n\nТовар: Пирог; Глютен: нет; Молоко: да"


def shown(question: str, text: str, language: str = "en", length: int | None = None) -> str:
    # Another collection may have a document of the same id.
    lengths = None if length is None else {("", "d"): length, ("other", "d"): 1}
    weights = dict.fromkeys(analyse_question(question, [language]).terms, 1.0)
    passage = SearchResult(Chunk("c", "d", text, end_index=len(text)), 1.0)
    return "\n".join(
        one.excerpt.text for one in extract(Asked(question, weights, language, language), [passage], lengths)
    )


@pytest.mark.parametrize(
    ("question", "products"),
    [
        ("Which of your products are gluten free?", ["Buckwheat loaf", "Macaroon"]),
        ("Which products contain gluten?", ["Rye bread", "Cheese straw"]),
        ("Which products are without gluten and milk?", ["Buckwheat loaf"]),
        ("Which products contain gluten and milk?", ["Cheese straw"]),
        ("Do you have products without gluten?", ["Buckwheat loaf", "Macaroon"]),
    ],
)
def test_only_rows_that_fit_are_shown(question: str, products: list[str]) -> None:
    fitting = [f"- {row}" for row in ROWS if any(product in row for product in products)]
    assert shown(question, SHEET) == "\n".join([*fitting, "- …"])


@pytest.mark.parametrize(
    ("question", "text", "language", "row"),
    [
        ("Quais produtos são sem glúten?", PRODUTOS, "pt", "Broa"),
        ("Quais produtos no catálogo contêm glúten?", PRODUTOS, "pt", "Pão"),
        ("Какие товары без глютена?", ТОВАРЫ, "ru", "Пирог"),
        ("Какие товары содержат глютен?", ТОВАРЫ, "ru", "Хлеб"),
    ],
)
def test_conditions_are_read_in_other_languages(question: str, text: str, language: str, row: str) -> None:
    (line,) = [line for line in shown(question, text, language).splitlines() if line != "- …"]
    assert row in line


def test_a_column_that_says_free_itself_is_wanted_with_yes() -> None:
    sheet = SHEET.replace("Gluten: yes", "Gluten free: NO").replace("Gluten: no", "Gluten free: yes")
    text = shown("Which products are gluten free?", sheet)
    assert "Macaroon" in text
    assert "Rye bread" not in text


def test_rows_of_a_markdown_table_are_chosen_too() -> None:
    assert shown("Which loaf products are gluten free?", TABLE) == (
        "- Product: Buckwheat loaf · Gluten: no · Price: 5.8\n- …"
    )


@pytest.mark.parametrize(
    "question",
    [
        "Which products contain gluten but no milk?",
        "Which products contain gluten or milk?",
        "Which products are not gluten free?",
        "Which products are kosher?",
    ],
)
def test_nothing_is_quoted_if_it_cannot_be_told_which_rows_fit(question: str) -> None:
    assert shown(question, SHEET) == ""


def test_a_row_that_is_named_is_quoted_whatever_it_says() -> None:
    assert "Rye bread; Gluten: yes" in shown("Is the rye bread free of gluten?", SHEET)
    assert "Price: 5.8" in shown("How much is the buckwheat loaf?", SHEET)


def test_prose_has_no_cells() -> None:
    assert named_cells("Note: bread is baked; we sell it at noon.") == {}
    assert named_cells("Product: Rye bread · Gluten: yes") == {"Product": "Rye bread", "Gluten": "yes"}


SERVICES = [
    f"Day: {day}; Service: {service}; Time: {time}"
    for day, service, time in (
        ("Sunday", "Holy communion", "08:00"),
        ("Wednesday", "Morning prayer", "07:30"),
        ("Sunday", "Evensong", "18:30"),
        ("Saturday", "Choir practice", "16:00"),
    )
]


def test_rows_that_hold_what_was_asked_for_come_together_without_those_between() -> None:
    text = shown("Which services are on Sunday?", "\n\n".join(SERVICES))
    assert text == f"- {SERVICES[0]}\n- {SERVICES[2]}\n- …"


def test_the_only_row_that_is_named_comes_alone() -> None:
    assert shown("When is evensong?", "\n\n".join(SERVICES)) == SERVICES[2]


def test_a_row_is_named_by_a_cell_that_is_a_number_of_the_question() -> None:
    plots = "| Plot | Rent per year |\n|---|---|\n| 1 | 60 EUR |\n| 3 | 100 EUR |\n| 4 | 45 EUR |\n"
    assert shown("What does plot 3 cost per year?", plots) == "Plot: 3 · Rent per year: 100 EUR"


@pytest.mark.parametrize(("more", "sign"), [(0, ""), (500, "\n- …")])
def test_rows_of_a_table_that_was_read_to_its_end_are_all_there_are(more: int, sign: str) -> None:
    text = "\n\n".join(SERVICES)
    shown_rows = shown("Which services are on Sunday?", text, length=len(text) + more)
    assert shown_rows == f"- {SERVICES[0]}\n- {SERVICES[2]}{sign}"


def test_a_table_ends_where_other_text_follows() -> None:
    text = f"{TABLE}\nWe bake on weekdays only, and sell what is left on Saturday."
    assert "…" not in shown("Which loaf products are gluten free?", text)


def test_the_number_of_a_row_is_not_a_part_of_another_number() -> None:
    rows = "Flat: 3; Rent: 330; Heating: 4 100\n\nFlat: 4; Rent: 310; Heating: 3 900"
    assert shown("What is the rent of flat 4?", rows) == "Flat: 4; Rent: 310; Heating: 3 900"


PRINTERS = "Printer: Otter; Where: stairs; Colour: no\n\nPrinter: Heron; Where: copy room; Colour: yes"


def test_a_thing_is_one_whose_column_says_yes() -> None:
    text = shown("Where is the colour printer?", PRINTERS, length=len(PRINTERS))
    assert text == "Printer: Heron; Where: copy room; Colour: yes"


def test_where_no_row_says_yes_the_table_is_still_quoted() -> None:
    assert "Otter" in shown("Where is the colour printer?", PRINTERS.replace("yes", "no"))


def test_a_cell_that_is_the_name_beats_those_that_only_have_it() -> None:
    rows = [
        "Show: Baba Yaga's hut; Minutes: 55",
        "Show: Baba Yaga; Minutes: 40",
        "Show: The Snow Queen; Minutes: 60",
    ]
    said = shown("How long is Baba Yaga?", "\n\n".join(rows))
    assert "40" in said
    assert "55" not in said


FLATS = (
    "Type of flat: 1 room; Places: none; Fee: 540\n\nType of flat: 2 rooms; Places: 1; Fee: 780"
    "\n\nType of flat: 3 rooms; Places: 2; Fee: 1040"
)


@pytest.mark.parametrize(("rooms", "fee"), [("1 room", "540"), ("2 rooms", "780"), ("3 rooms", "1040")])
def test_a_number_counts_what_stands_behind_it(rooms: str, fee: str) -> None:
    assert shown(f"What is the fee of a flat with {rooms}?", FLATS).endswith(f"Fee: {fee}")
