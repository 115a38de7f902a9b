"""What is read out of an RTF that Word has written."""

from __future__ import annotations

from sourcebook.ingest.parsers.text.rtf import parse_rtf


def of(body: str) -> str:
    return parse_rtf(b"{\\rtf1\\ansi " + body.encode("ascii") + b"}").text


def test_items_in_items_are_indented() -> None:
    inner = r"{\listtext a)\tab}\ilvl1 two\par"
    bullet = r"\pard{\listtext o\tab}\ilvl1 three\par"
    assert (
        of(rf"\pard{{\listtext 1.\tab}}\ilvl0 one\par\pard{inner}{bullet}") == "1. one\n  a) two\n  - three"
    )


def test_a_table_in_a_cell_is_a_part_of_it() -> None:
    inner = r"\pard\intbl\itap2 x\nestcell y\nestcell{\*\nesttableprops\nestrow}{\nonesttables\par other}"
    assert of(rf"\trowd\pard\intbl a {inner}\pard\intbl\cell b\cell\row") == "| a x y | b |"


def test_what_describes_a_text_box_is_no_text() -> None:
    box = r"{\shp{\*\shpinst{\sp{\sn shapeType}{\sv 202}}{\shptxt In the box.\par}}}"
    assert of(rf"{box}\pard Text.\par") == "In the box.\n\nText."


def test_cells_of_a_table_that_breaks_off_are_kept() -> None:
    assert of(r"\trowd\pard\intbl one\cell two\cell") == "| one | two |"


def test_a_note_stands_in_brackets_without_the_space_that_begins_it() -> None:
    assert of(r"\pard Water at dawn.{\footnote \pard  Not at noon.} Then rest.\par") == (
        "Water at dawn. [Not at noon.] Then rest."
    )


def test_a_text_box_stands_behind_the_paragraph_that_it_hangs_on() -> None:
    box = r"{\shp{\*\shpinst{\shptxt\pard In the box.\par It is small.\par}}}"
    assert of(rf"\pard Water at {box}dawn.\par Then rest.\par") == (
        "Water at dawn.\n\nIn the box.\n\nIt is small.\n\nThen rest."
    )


def test_an_empty_line_parts_two_tables() -> None:
    one = r"\trowd\cellx1000\cellx3000\pard\intbl a\cell b\cell\row"
    other = r"\trowd\cellx2000\cellx3000\pard\intbl c\cell d\cell\row"
    assert of(rf"{one}\pard\par{other}") == "| a | b |\n\n| c | d |"


def test_marks_that_were_typed_are_items_indented_as_on_the_page() -> None:
    items = (
        r"{\pard\li360\fi-360 1.\tab one\par}{\pard\li720\fi-360 \endash\tab two\par}"
        r"{\pard\li360\fi-360 2.\tab three\par}{\pard 3. is no item.\par}"
    )
    assert of(items) == "1. one\n  - two\n2. three\n\n3. is no item."


def test_a_number_before_a_bold_name_may_be_plain() -> None:
    text = " ".join(["Water them at dawn, and never at noon."] * 5)
    body = rf"\pard 1. {{\b Water}}:\par\pard\fs24 {text}\par\pard 2. {{\b Soil}}\par\pard {text}\par"
    parsed = parse_rtf(b"{\\rtf1\\ansi " + body.encode("ascii") + b"}")
    assert [section.path for section in parsed.sections] == ["2. Soil"]


def test_one_space_is_left_where_a_text_box_stood_between_two() -> None:
    box = r"{\shp{\*\shpinst{\shptxt\pard In the box.\par}}}"
    assert of(rf"\pard Water {box} at dawn,  not {box}at noon.\par") == (
        "Water at dawn,  not at noon.\n\nIn the box.\n\nIn the box."
    )


def test_items_are_indented_no_deeper_than_lists_go() -> None:
    lines = of("".join(rf"\pard\li{indent}\fi-1 1. x\par" for indent in range(1, 41))).split("\n")
    assert lines == [f"{'  ' * min(depth, 9)}1. x" for depth in range(40)]


def test_the_words_of_a_link_are_read_where_it_is_marked_as_optional() -> None:
    link = r'{\field{\*\fldinst HYPERLINK "https://example.org"}{\*\fldrslt the rota}}'
    assert of(rf"\pard See {link} for names.\par") == "See the rota for names."


def test_an_item_without_a_mark_of_its_own_is_an_item() -> None:
    assert of(r"{\listtext \tab}\pard\ilvl0 one\par{\listtext \tab}\pard\ilvl1 two\par") == "- one\n  - two"
