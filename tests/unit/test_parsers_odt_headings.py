"""An ODT without styles for headings has those that its letters make."""

from __future__ import annotations

from tests.faults.hostile_files import packed

from sourcebook.ingest.parsers.office.opendocument import parse_odt

_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_NAMES = " ".join(f'xmlns:{name}="{_ODF}:{name}:1.0"' for name in ("office", "text", "style"))
PROSE = (
    "<text:p>" + "Water them at dawn, and never at noon, because drops burn the leaves. " * 3 + "</text:p>"
)


def style(name: str, *said: str, parent: str = "") -> str:
    letters = " ".join(f"fo:{words}" for words in said)
    above = f' style:parent-style-name="{parent}"' if parent else ""
    return f'<style:style style:name="{name}"{above}><style:text-properties {letters}/></style:style>'


STYLES = (
    style("Big", 'font-size="20pt"')
    + style("Bigger", 'font-size="150%"', parent="Big")
    + style("Bold", 'font-weight="bold"')
    + style("Thin", 'font-weight="normal"', parent="Bold")
)


def sections(*paragraphs: str) -> list[str]:
    content = (
        f'<office:document-content {_NAMES} xmlns:fo="{_ODF}:xsl-fo-compatible:1.0"><office:automatic-styles>{STYLES}'
        f"</office:automatic-styles><office:body><office:text>{''.join(paragraphs)}</office:text></office:body>"
        "</office:document-content>"
    )
    kind = b"application/vnd.oasis.opendocument.text"
    data = packed({"mimetype": kind, "content.xml": content.encode()})
    return [section.path for section in parse_odt(data).sections]


def p(words: str, name: str = "") -> str:
    return f'<text:p text:style-name="{name}">{words}</text:p>'


def span(words: str, name: str) -> str:
    return f'<text:span text:style-name="{name}">{words}</text:span>'


def test_larger_and_bold_lines_are_headings() -> None:
    bold = p(f"2. {span('Soil', 'Bold')}")
    assert sections(p("Garden", "Bigger"), p("Care", "Big"), p("Water", "Bold"), PROSE, bold, PROSE) == [
        "Garden",
        "Garden > Care",
        "Garden > Care > Water",
        "Garden > Care > 2. Soil",
    ]


def test_a_line_that_is_bold_in_part_and_a_sentence_are_none() -> None:
    part = p(f"Name {span('Anna', 'Bold')}")
    assert sections(part, PROSE, p("Never at noon.", "Bold"), PROSE, p("Light", "Thin"), PROSE) == []


def test_bold_lines_beside_headings_are_none() -> None:
    heading = '<text:h text:outline-level="1">Garden</text:h>'
    assert sections(p("Water", "Bold"), heading, p("Soil", "Bold"), PROSE) == ["Garden"]
