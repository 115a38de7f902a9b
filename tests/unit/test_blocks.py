"""What the lines of a text are, read from the text alone."""

from __future__ import annotations

import time

import pytest

from sourcebook.text.layout.blocks import BlockKind, blocks

TEXT, ITEM, CODE, ROW, RECORD, HEADING, DEBRIS = BlockKind


def read(text: str) -> list[tuple[BlockKind, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks(text)]


def kinds(text: str) -> list[BlockKind]:
    return [kind for kind, _ in read(text)]


def test_markdown_is_read_block_by_block() -> None:
    text = "## Keys { #keys }\n\nUse the command:\n\n```console\n$ openssl rand\n```\n\n* One\n  goes on\n* Two\n"
    assert read(text) == [
        (HEADING, "## Keys { #keys }"),
        (TEXT, "Use the command:"),
        (CODE, "```console\n$ openssl rand\n```"),
        (ITEM, "* One\n  goes on"),
        (ITEM, "* Two"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{* ../../docs_src/settings/app.py hl[1] *}",
        "/// details | Technical details",
        "<div class='termynal'>",
        "![A picture](picture.png)",
        "== Contents of the chapter ==",
        "ГАРАНТ: См. комментарии к статье 5",
        "|---|:---:|",
        "1.1.7 Como abandonar a linha de comandos … 3",
        "Introduction . . . . . . . . 12",
    ],
)
def test_what_nobody_reads_is_debris(line: str) -> None:
    assert kinds(f"Something is said here.\n\n{line}\n\nAnd something there.") == [TEXT, DEBRIS, TEXT]


def test_a_table_keeps_its_rows() -> None:
    assert kinds("| Name | Size |\n|---|---|\n| a | 1 |\n| b | 2 |") == [ROW, DEBRIS, ROW, ROW]


def test_short_lines_that_end_before_the_next_word_would_not_fit_are_rows() -> None:
    table = "name port secure port\nwww (http) 80 https 443\nimap2 143 imaps 993\nldap 389 ldaps 636"
    assert kinds(table) == [ROW] * 4


def test_prose_that_was_wrapped_is_one_block() -> None:
    wrapped = (
        "The old name of sulphur is brimstone, and it was burnt in\n"
        "churches long before anybody knew what it does to a soil\n"
        "that is too sweet for blueberries and the like of them."
    )
    assert kinds(wrapped) == [TEXT]


def test_prose_that_was_wrapped_by_hand_is_no_table() -> None:
    wrapped = (
        "If the fire alarm sounds, leave by the nearest stairs and meet at the chestnut tree in Sluice\n"
        "Lane. Do not use the lift. The alarm is tested every first Tuesday of the month at 11:00; you need not\n"
        "leave then."
    )
    assert kinds(wrapped) == [TEXT]


def test_a_command_needs_no_fence() -> None:
    text = "Switch the system off with the following.\n\n# shutdown -h now\n\nIt takes a while."
    assert read(text)[1] == (CODE, "# shutdown -h now")
    assert read("Then do:\n\nadduser person group\n\nNothing else is needed.")[1] == (
        CODE,
        "adduser person group",
    )


def test_a_passage_that_begins_inside_a_listing_is_read_from_there() -> None:
    text = "    return 1\n```\n\nThat was all of it."
    assert read(text) == [(CODE, "    return 1\n```"), (TEXT, "That was all of it.")]


@pytest.mark.parametrize(
    "text",
    [
        "How much sulphur\nElemental sulphur is turned into acid by the soil.",
        "How much sulphur?\n\nElemental sulphur is turned into acid by the soil.",
        "Sulphur for the soil\n- It is turned into acid.",
    ],
)
def test_a_label_and_a_question_over_what_answers_it_are_headings(text: str) -> None:
    assert kinds(text)[0] is HEADING


@pytest.mark.parametrize("text", ["", "\n\n", "```", "|", "#", "- ", "." * 100_000, "` " * 50_000])
def test_every_line_that_is_not_empty_belongs_to_one_block(text: str) -> None:
    assert "".join(said for _, said in read(text)).split() == text.split()


def test_facts_under_their_names_are_read_one_by_one_and_lines_of_a_table_as_a_whole() -> None:
    assert read("Old Mill\nAddress: Mill Lane 3\nPhone: 020 55 01") == [
        (HEADING, "Old Mill"),
        (RECORD, "Address: Mill Lane 3"),
        (RECORD, "Phone: 020 55 01"),
    ]
    assert read("Item: pan\nPrice: 9 €\n\nItem: pot\nPrice: 7 €") == [
        (RECORD, "Item: pan\nPrice: 9 €"),
        (RECORD, "Item: pot\nPrice: 7 €"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Q: Can I bring my dog?\nA: Only guide dogs are allowed.",
        "One thing is sure: it rains\nand it rains.",
        "host: example\nport: 80",
    ],
)
def test_questions_prose_and_settings_are_no_facts_under_names(text: str) -> None:
    assert RECORD not in kinds(text)


@pytest.mark.parametrize(
    "marks",
    [
        ("1.", "2."),
        ("1 -", "2 -"),
        ("№1", "№2"),
        ("Шаг 1.", "Шаг 2."),
        ("§ 1.", "§ 2."),
        ("a.", "b."),
        ("I.", "II."),
        ("99.", "100."),
        ("1/", "2/"),
    ],
)
def test_lines_that_count_are_items_however_their_numbers_are_written(marks: tuple[str, str]) -> None:
    first, second = (f"{mark} Close the tap of the tank." for mark in marks)
    assert read(f"{first}\n{second}") == [(ITEM, first), (ITEM, second)]


@pytest.mark.parametrize(
    "text",
    [
        "Room 1 12 m2\nRoom 2 14 m2\nRoom 3 9 m2",
        "8:30 the gate opens for all\n9:30 the first group goes in",
        "Cranes fly far.[1][2]\n[1] To Africa.\n[2] Not all of them.",
    ],
)
def test_values_times_and_notes_do_not_count(text: str) -> None:
    assert ITEM not in kinds(text)


def test_a_line_behind_a_list_is_no_part_of_its_last_item() -> None:
    text = "1) Close the tap below the tank and wait.\n2) Open the valve.\nPhone of the plumber is 555 0101."
    assert kinds(text) == [ITEM, ITEM, TEXT]
    wrapped = (
        "1) Close the tap below the tank and wait.\n2) Open the valve on the left. The\nplumber has a key."
    )
    assert kinds(wrapped) == [ITEM, ITEM]


def test_a_numbered_line_alone_in_capital_letters_is_a_heading() -> None:
    assert kinds("3. PRICE OF THE CONTRACT\n\n3.1. The price is fixed.") == [HEADING, ITEM]
    assert kinds("3. The price is fixed.") == [ITEM]


def test_a_clause_as_long_as_a_paragraph_is_no_heading() -> None:
    assert HEADING not in kinds("3.1 The price of the work " + "and of all the things " * 10 + "is fixed")


def test_a_dash_may_touch_the_first_word_of_an_item() -> None:
    assert kinds("Сроки работ:\n-начало: в мае;\n-окончание: в июне.")[1:] == [ITEM, ITEM]


def test_a_long_list_is_read_in_linear_time() -> None:
    start = time.process_time()
    assert len(blocks("1. Sow it.\n" * 20_000)) == 20_000
    assert time.process_time() - start < 5


def test_rows_of_a_sheet_in_one_line_are_records() -> None:
    rows = ["item: Honey; price: 6.40; from: Bees & Co. of York", "item: Salt; from: Coast"]
    assert read("\n\n".join(rows)) == [(RECORD, row) for row in rows]
    assert kinds("Day: Sunday; Service: Mass; Time: 10:00") == [RECORD]


def test_sentences_with_colons_are_no_rows() -> None:
    assert kinds("Note: bread is baked at night; we sell it at noon: come early.") == [TEXT]
    assert kinds("Bread: baked at night; sold at noon: come.\n\nMilk: it is fresh; sold cold: come.") == [
        TEXT,
        TEXT,
    ]


@pytest.mark.parametrize(
    "text",
    [
        "**How much is a bench?** An hour costs 5 euros.",
        "Q: How much is a bench?\nA: An hour costs 5 euros.",
        "**Сколько стоит верстак?**\nЧас стоит 350 рублей. День дешевле.",
        "P: Quanto custa o banco?\nR: Cinco euros por hora.",
    ],
)
def test_a_marked_question_is_the_heading_of_its_answer(text: str) -> None:
    assert kinds(text) == [HEADING, TEXT]


def test_questions_that_follow_each_other_are_headings_and_rhetoric_is_not() -> None:
    asked = "When are you open? From nine to five.\n\nMay I bring a dog? Yes, on a lead."
    assert [said for kind, said in read(asked) if kind is HEADING] == [
        "When are you open?",
        "May I bring a dog?",
    ]
    assert kinds("Who has never lost a key? Everybody has.\n\nSo we keep a spare one.") == [TEXT, TEXT]


def test_a_marked_heading_may_hold_sentences() -> None:
    assert kinds("## Lost the key. And now?\nTell the office at once.") == [HEADING, TEXT]
    assert kinds("# install the tool. Then run it\nNothing else.")[0] is not HEADING


def test_a_short_numbered_line_above_a_sentence_is_a_heading() -> None:
    assert kinds("2. Glazing\nLeave the foot of the pot free of glaze.") == [HEADING, TEXT]
    assert kinds("1. Mix the flour\n2. Add water") == [ITEM, ITEM]
    assert kinds("1. Mix the flour\n   Then let it rest for an hour.") == [ITEM]
