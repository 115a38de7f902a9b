"""Text in shapes and boxes of an ODT is read wherever they hang."""

from __future__ import annotations

from tests.faults.hostile_files import packed

from sourcebook.ingest.parsers.office.opendocument import parse_odt

_NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"))
)
_SHAPE = "<draw:custom-shape><text:p>{}</text:p></draw:custom-shape>"
_BOX = "<draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"


def read(body: str) -> str:
    content = (
        f"<office:document-content {_NAMES}><office:body><office:text>{body}</office:text></office:body>"
        "</office:document-content>"
    )
    kind = b"application/vnd.oasis.opendocument.text"
    return parse_odt(packed({"mimetype": kind, "content.xml": content.encode()})).text


def of_table(*cells: str) -> str:
    row = "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in cells)
    rows = f"<table:table-row>{row}</table:table-row>" * 2
    return read(f"<table:table>{rows}</table:table>").partition("\n")[0]


def test_a_shape_stands_behind_its_paragraph() -> None:
    assert read(f"<text:p>Beds{_SHAPE.format('Water')}</text:p>") == "Beds\n\nWater"


def test_a_shape_or_box_in_a_cell_is_a_part_of_it() -> None:
    assert (
        of_table(f"Bed{_SHAPE.format('Water')}", f"10{_BOX.format('litres')}") == "| Bed Water | 10 litres |"
    )


def test_shapes_of_a_group_in_a_cell_are_read_once() -> None:
    group = f"<draw:g>{_SHAPE.format('Water')}{_BOX.format('daily')}</draw:g>"
    assert of_table(f"Bed{group}", "10") == "| Bed Water daily | 10 |"
