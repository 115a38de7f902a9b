"""Formulas of an ODT lie beside its text, and the text shows them by their place."""

from __future__ import annotations

import io
import zipfile

import pytest

from sourcebook.errors import FileOverLimit
from sourcebook.ingest.parsers.office import opendocument_objects
from sourcebook.ingest.parsers.office.opendocument import parse_odt
from sourcebook.ingest.parsers.zip_and_xml import Package

_NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("text", "text"), ("draw", "drawing"))
)
MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML">{}</math>'


def odt(body: str, formula: str) -> bytes:
    """A text that may show the formula `F`."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        package.writestr(
            "content.xml",
            f'<office:document-content {_NAMES} xmlns:xlink="http://www.w3.org/1999/xlink"><office:body>'
            f"<office:text><text:p>{body}</text:p></office:text></office:body></office:document-content>",
        )
        package.writestr("F/content.xml", formula)
    return target.getvalue()


def shown(place: str = "./F") -> str:
    return f'<draw:frame><draw:object xlink:href="{place}"/></draw:frame>'


def test_a_formula_that_is_shown_often_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[str]()
    whole = Package.read

    def counted(self: Package, name: str) -> bytes:
        read.append(name)
        return whole(self, name)

    monkeypatch.setattr(Package, "read", counted)
    places = ("./F", "F", "./F/")
    text = parse_odt(odt("; ".join(map(shown, places * 10)), MATH.format("<mi>x</mi>"))).text
    assert text == "; ".join(["x"] * 30)
    assert read.count("F/content.xml") == 1


def test_a_small_file_does_not_become_a_long_text_by_its_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opendocument_objects, "_MOST_OF_OBJECTS", 1_000)
    formula = MATH.format("<mi>x</mi>" * 100)
    assert len(parse_odt(odt(shown() * 10, formula)).text) == 1_000
    with pytest.raises(FileOverLimit, match="formulas and charts contain more than 1,000 characters"):
        parse_odt(odt(shown() * 11, formula))


@pytest.mark.parametrize("formula", ["<math><mi>x", "", "\x00\x01", "<other/>", "<m>" * 1_000])
def test_a_formula_that_cannot_be_read_is_left_out_of_its_text(formula: str) -> None:
    assert parse_odt(odt(f"Before {shown()}after.", formula)).text == "Before after."
