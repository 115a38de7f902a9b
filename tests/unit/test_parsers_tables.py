"""What is read out of CSV, JSON and lines of JSON."""

from __future__ import annotations

import pytest

from sourcebook.ingest.parsers.office.number_formats import number_format, shown_number
from sourcebook.ingest.parsers.table_rows import Row, blocks_of, is_number
from sourcebook.ingest.parsers.text.csv import parse_csv
from sourcebook.ingest.parsers.text.json_records import parse_json, parse_json_lines


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_rows_name_their_columns(delimiter: str) -> None:
    source = "Сорт,Урожай\nПолка,3 кг\nГеракл,\n".replace(",", delimiter)
    assert parse_csv(source.encode()).text == "Сорт: Полка; Урожай: 3 кг\n\nСорт: Геракл"


def test_quotes_and_lines_inside_cells_are_kept() -> None:
    assert parse_csv(b'a,b\n"x, ""y""","1\n2"\n').text == 'a: x, "y"\nb: 1\n2'


def test_a_comma_inside_numbers_does_not_part_columns() -> None:
    assert (
        parse_csv("Имя;Цена\nА;1,5\nБ;2,5\n".encode("cp1251")).text
        == "Имя: А; Цена: 1,5\n\nИмя: Б; Цена: 2,5"
    )


def test_what_the_first_line_says_decides() -> None:
    assert parse_csv(b"sep=;\na,x;b\n1;2\n").text == "a,x: 1; b: 2"


def test_rows_without_a_header_are_lines() -> None:
    assert parse_csv(b"1,2\n3,4\n").text == "1 | 2\n3 | 4"
    assert parse_csv(b"only\none\ncolumn\n").text == "only\none\ncolumn"


def test_a_row_that_is_too_long_or_too_short_is_kept() -> None:
    assert parse_csv(b"a,b\n1\n1,2,3\n").text == "a: 1\n\na: 1; b: 2; 3"


def test_records_are_lines_and_their_titles_sections() -> None:
    parsed = parse_json(
        '[{"title": "Малина", "pH": 5.50}, {"title": "Голубика", "pH": 4, "wet": true}]'.encode()
    )
    assert parsed.text == "title: Малина\npH: 5.50\n\ntitle: Голубика\npH: 4\nwet: true"
    assert [(parsed.text[start:][:15], path) for start, path in parsed.sections] == [
        ("title: Малина\np", "Малина"),
        ("title: Голубика", "Голубика"),
    ]
    assert parsed.title is None


def test_one_object_gives_the_title() -> None:
    parsed = parse_json(
        b'{"name": "Guide", "tags": ["a", "b"], "parts": [{"x": 1, "y": {"z": null, "w": ""}}, 2]}'
    )
    assert parsed.title == "Guide"
    assert parsed.text == "name: Guide\ntags: a, b\nparts:\n  - x: 1\n    y:\n  - 2"


def test_a_list_in_a_single_key_is_a_list_of_records() -> None:
    parsed = parse_json(b'{"items": [{"name": "a"}, {"name": "b"}]}')
    assert parsed.text == "name: a\n\nname: b"
    assert [section.path for section in parsed.sections] == ["a", "b"]


def test_lines_of_json_are_records() -> None:
    parsed = parse_json_lines(b'{"title": "a", "text": "x"}\n\n{"title": "b"}\n')
    assert parsed.text == "title: a\ntext: x\n\ntitle: b"
    assert parsed.kind == "application/jsonl"


@pytest.mark.parametrize("source", [b'{"a": 1,}', b"// comment\n{}", b'{"a": 1} tail', b"[" * 5000])
def test_what_is_not_json_after_all_is_text(source: bytes) -> None:
    parsed = parse_json(source)
    assert parsed.text == source.decode()
    assert parsed.kind == "text/plain"


def test_a_file_inside_a_record_is_left_out() -> None:
    parsed = parse_json(b'{"name": "a", "picture": "' + b"iVBORw0KGgo" * 500 + b'"}')
    assert parsed.text == "name: a\npicture: …"


def test_numbers_stay_as_they_are_written() -> None:
    assert parse_json(b'{"a": 1.10, "b": 1e400, "c": ' + b"9" * 900 + b"}").text.startswith(
        "a: 1.10\nb: 1e400\nc: 99"
    )


def test_a_long_row_has_a_line_for_each_cell() -> None:
    long = "word " * 60
    assert parse_csv(f"name,text\nA,{long}\n".encode()).text == f"name: A\ntext: {long.strip()}"


def test_titles_stand_above_the_header_and_a_second_table_has_its_own() -> None:
    rows = [
        Row(1, {0: "Prices 2024"}),
        Row(3, {0: "Name", 1: "Price"}),
        Row(4, {0: "Spade", 1: "12"}),
        Row(6, {0: "Bed", 1: "Litres"}),
        Row(7, {0: "B1", 1: "10"}),
        Row(9, {0: "Rake", 1: "Iron"}),
    ]
    assert [block.text for block in blocks_of(rows)] == [
        "Prices 2024",
        "Name: Spade; Price: 12",
        "Bed: B1; Litres: 10",
        "Bed: Rake; Litres: Iron",
    ]


@pytest.mark.parametrize("beside", [{0: "Item"}, {}])
def test_a_group_beside_a_single_name_is_no_pair(beside: dict[int, str]) -> None:
    rows = [
        Row(1, {**beside, 1: "Price"}, {1: 2}),
        Row(2, {0: "Item", 1: "spring", 2: "autumn"}),
        Row(3, {0: "Spade", 1: "12", 2: "10"}),
        Row(4, {0: "Rake", 1: "9", 2: "8"}),
    ]
    assert [block.text for block in blocks_of(rows)] == [
        "Item: Spade; Price, spring: 12; Price, autumn: 10",
        "Item: Rake; Price, spring: 9; Price, autumn: 8",
    ]


def test_a_hidden_row_below_a_header_is_no_gap() -> None:
    rows = [
        Row(1, {0: "Item", 1: "Place"}),
        Row(2, {}, is_hidden=True),
        Row(3, {0: "Rake", 1: "Barn"}),
        Row(4, {0: "Hoe", 1: "Attic"}),
        Row(9, {}, is_hidden=True),
    ]
    assert [(block.row.number, block.text) for block in blocks_of(rows)] == [
        (3, "Item: Rake; Place: Barn"),
        (4, "Item: Hoe; Place: Attic"),
    ]


@pytest.mark.parametrize("first", ["No.", "Nr.", "Id."])
def test_an_abbreviation_names_a_column(first: str) -> None:
    rows = [Row(1, {0: first, 1: "Item"}), Row(2, {0: "1", 1: "Spade"})]
    assert [block.text for block in blocks_of(rows)] == [f"{first}: 1; Item: Spade"]


@pytest.mark.parametrize("mark", ["1.", "12)", "a)", "iv."])
def test_the_mark_of_an_item_names_no_column(mark: str) -> None:
    rows = [Row(1, {0: mark, 1: "Dig"}), Row(2, {0: "next", 1: "Water"})]
    assert [block.text for block in blocks_of(rows)] == [f"{mark} | Dig", "next | Water"]


def test_what_stands_beside_two_tables_further_down_is_kept() -> None:
    head = Row(1, {0: "Name", 1: "Price", 3: "City", 4: "Count"})
    both = [Row(n, {0: f"n{n}", 1: str(n), 3: f"c{n}", 4: str(n)}) for n in range(2, 30)]
    last = Row(30, {0: "n30", 1: "30", 2: "sold out", 6: "see the yard"})
    assert [block.text for block in blocks_of([head, *both, last])][-3:] == [
        "City: c29; Count: 29",
        "Name: n30; Price: 30",
        "sold out | see the yard",
    ]


def test_a_very_long_cell_of_digits_is_no_number_and_takes_no_time() -> None:
    rows = [Row(1, {0: "Name", 1: "Key"}), Row(2, {0: "a", 1: "-" * 5_000 + "7" * 5_000 + "x"})]
    assert len(list(blocks_of(rows))) == 1


@pytest.mark.parametrize(
    ("value", "number", "code", "shown"),
    [
        ("45413", 14, None, "2024-05-01"),
        ("45413.5", 22, None, "2024-05-01 12:00"),
        ("0.75", 20, None, "18:00"),
        ("0.125", 10, None, "12.50%"),
        ("1234.5", 4, None, "1,234.50"),
        ("1234.5", 164, '#,##0.00 "₽"', "1,234.50 ₽"),
        ("12", 165, "[$€-407]0.00", "€12.00"),
        ("0.30000000000000004", 0, None, "0.3"),
        ("45413", 166, "dd.mm.yyyy", "01.05.2024"),
        ("45413", 167, '[$-416]d "de" mmmm "de" yyyy', "1 de maio de 2024"),
        ("45413", 168, "mmm-yy", "May-2024"),
        ("45413.5", 169, "dddd, h:mm AM/PM", "Wednesday, 12:00 PM"),
        ("1.5", 46, None, "36:00:00"),
        ("0.025", 9, None, "3%"),
        ("-5", 170, '"$"#,##0.00_);("$"#,##0.00)', "($5.00)"),
        ("0", 171, '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)', "$-"),
        ("19.99", 172, '0 "dollars and" .00 "cents"', "19 dollars and .99 cents"),
        ("1234567", 173, '#,##0.0,," M"', "1.2 M"),
        ("50", 174, "[<100]0.0;0", "50.0"),
        ("1234567890123450", 0, None, "1234567890123450"),
        ("2.5", 12, None, "2 1/2"),
        ("7", 175, "00000", "00007"),
        ("1.5", 176, "0.##", "1.5"),
        ("5", 177, ";;;", ""),
        ("-1", 14, None, "-1"),
        ("862345678901234", 1, None, "862345678901234"),
        ("4111111111111111", 1, None, "4111111111111111"),
        ("9999999999999.99", 2, None, "9999999999999.99"),
        ("1.005", 2, None, "1.01"),
        ("0.285", 9, None, "29%"),
        ("1.5", 178, "# ?/4", "1 2/4"),
        ("0.3", 179, "# ??/16", "5/16"),
        ("2.25", 180, "# ??/100", "2 25/100"),
        ("45413.5", 181, "h:mm:ss.00", "12:00:00"),
        ("5", 182, '0\\;"a;b"', "5;a;b"),
        ("2958465.9999999", 183, "yyyy", "2958465.9999999"),
        ("1.7e308", 179, "# ?/?%", "inf%"),
    ],
)
def test_numbers_of_a_sheet_are_told_as_they_are_shown(
    value: str, number: int, code: str | None, shown: str
) -> None:
    assert shown_number(value, number_format(number, code), from_1904=False) == shown


def test_a_day_behind_the_last_year_is_left_as_it_is() -> None:
    assert shown_number("2957500", number_format(14, None), from_1904=True) == "2957500"
    assert shown_number("2957003", number_format(14, None), from_1904=True) == "9999-12-31"


def test_thousands_of_digits_are_no_number() -> None:
    # To look for where they end would take hours.
    assert not is_number("1" * 1_000_000 + "x")
    assert is_number("1,234.50 €")


def test_a_cell_over_several_columns_says_all_their_names() -> None:
    head = Row(1, {1: "Monday", 2: "Tuesday", 3: "Wednesday"})
    swim = Row(2, {0: "09:00", 1: "School swim", 3: "Closed"}, {1: 2})
    other = Row(3, {0: "17:00", 1: "Kids", 2: "Polo", 3: "Kids"})
    assert [block.text for block in blocks_of([head, swim, other])] == [
        "09:00; Monday, Tuesday: School swim; Wednesday: Closed",
        "17:00; Monday: Kids; Tuesday: Polo; Wednesday: Kids",
    ]


def test_a_cell_that_begins_its_row_names_no_further_columns() -> None:
    rows = [Row(1, {0: "No.", 1: "Item", 2: "Sum"}), Row(2, {0: "1", 1: "Spade", 2: "9"})]
    total = Row(3, {0: "Total", 2: "9"}, {0: 2})
    assert [block.text for block in blocks_of([*rows, total])][-1] == "No.: Total; Sum: 9"


def test_a_remark_behind_an_empty_row_is_no_row_of_the_table() -> None:
    rows = [Row(1, {0: "Item", 1: "Sum"}), Row(2, {0: "Spade", 1: "9"})]
    remark, more = Row(4, {0: "Approved in May"}), Row(6, {0: "Rake", 1: "7"})
    assert [block.text for block in blocks_of([*rows, remark, more])] == [
        "Item: Spade; Sum: 9",
        "Approved in May",
        "Item: Rake; Sum: 7",
    ]


def rows_of(*rows: str) -> list[Row]:
    """Rows from texts, with `|` between cells. An empty text is an empty row."""
    return [
        Row(number, {column: cell for column, cell in enumerate(text.split("|")) if cell})
        for number, text in enumerate(rows, start=1)
    ]


def told(*rows: str) -> list[str]:
    return [block.text for block in blocks_of(rows_of(*rows))]


def test_a_column_may_be_named_by_a_sign() -> None:
    assert told("№|Breed|Seen on", "1|Carnica|2025-05-01") == ["№: 1; Breed: Carnica; Seen on: 2025-05-01"]


def test_two_pairs_below_a_title_are_no_table() -> None:
    assert told("Harvest 2025", "Prepared by|Rui", "Checked on|03.11.2025") == [
        "Harvest 2025",
        "Prepared by | Rui",
        "Checked on | 03.11.2025",
    ]


def test_a_small_table_below_a_wide_one_has_its_own_header() -> None:
    wide = ("Day|Soup|Main|Price", "Monday|Leek|Pasta|3.20", "Tuesday|Pea|Fish|3.90")
    assert told(*wide, "", "Allergen|Letter", "gluten|G", "fish|F")[2:] == [
        "Allergen: gluten; Letter: G",
        "Allergen: fish; Letter: F",
    ]
    assert told(*wide, "", "Phone|none")[2:] == ["Phone | none"]


def test_tables_beside_each_other_may_name_their_columns_by_years() -> None:
    found = told(
        "Crop|2023|2024|||Device|Bought", "Apples|11.8|9.4|||Pump A|2019", "Pears|2.9|3.3|||Pump B|2021"
    )
    assert found[:2] == ["Crop: Apples; 2023: 11.8; 2024: 9.4", "Device: Pump A; Bought: 2019"]
