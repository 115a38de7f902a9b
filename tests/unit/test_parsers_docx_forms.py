"""What forms and contracts of Word hold beside plain paragraphs: controls, counted clauses, set line breaks."""

from __future__ import annotations

import pytest
from tests.faults import hostile_files

from sourcebook.ingest.parsers.docx.document import parse_docx
from sourcebook.ingest.parsers.parse import parse

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def of_xml(body: str, **parts: str) -> str:
    """The text of a document with this body, and with further parts by their names."""
    related = "".join(
        f'<Relationship Id="{name}" Type="{_RELATIONS}/{name}" Target="{name}.xml"/>' for name in parts
    )
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    more = {"word/_rels/document.xml.rels": f'<Relationships xmlns="{package}">{related}</Relationships>'}
    more |= {f"word/{name}.xml": content for name, content in parts.items()}
    return parse_docx(
        hostile_files.docx(body, more={name: content.encode() for name, content in more.items()})
    ).text


def paragraph(words: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"


def cell(inner: str) -> str:
    return f"<w:tc>{inner}</w:tc>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def control(inner: str) -> str:
    return f"<w:sdt><w:sdtPr/><w:sdtContent>{inner}</w:sdtContent></w:sdt>"


def test_the_fields_of_a_form_are_read_wherever_a_control_wraps_them() -> None:
    name = cell(paragraph("Name")) + control(cell(paragraph("Anna")))
    bed = cell(paragraph("Bed")) + cell(control(paragraph("27")))
    row = control(f"<w:tr>{cell(paragraph('Key'))}{cell(paragraph('yes'))}</w:tr>")
    assert (
        of_xml(f"<w:tbl><w:tr>{name}</w:tr><w:tr>{bed}</w:tr>{row}</w:tbl>")
        == "| Name | Anna |\n| Bed | 27 |\n| Key | yes |"
    )


def test_a_text_box_in_a_cell_is_read_once() -> None:
    box = f"<w:txbxContent>{paragraph('box')}</w:txbxContent>"
    namespace = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    both = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    drawing = f"<w:p><w:r><mc:AlternateContent {namespace}>{both}</mc:AlternateContent></w:r></w:p>"
    assert of_xml(table(cell(paragraph("a") + drawing) + cell(paragraph("b")))) == "| a box | b |"


def test_a_table_that_only_arranges_keeps_the_headings_in_it() -> None:
    heading = paragraph("Fees", '<w:outlineLvl w:val="0"/>')
    assert (
        of_xml(table(cell(heading + paragraph("Due in March.")) + cell(paragraph("Page 1"))))
        == "Fees\n\nDue in March.\n\nPage 1"
    )
    assert of_xml(table(cell(heading) + cell(paragraph("Due")))) == "| Fees | Due |"


def numbering(levels: str, numbers: str) -> str:
    return (
        f'<w:numbering xmlns:w="{_WORD}"><w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>{numbers}'
        "</w:numbering>"
    )


def level(depth: int, form: str, text: str, start: int = 1) -> str:
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def number(name: int, override: str = "") -> str:
    return f'<w:num w:numId="{name}"><w:abstractNumId w:val="7"/>{override}</w:num>'


def item(words: str, name: int, depth: int = 0) -> str:
    return paragraph(words, f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{name}"/></w:numPr>')


def test_lists_of_one_format_count_on_unless_one_begins_anew() -> None:
    anew = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    lists = numbering(level(0, "decimal", "%1)"), number(1) + number(2) + number(3, anew))
    body = item("a", 1) + item("b", 2) + item("c", 3) + item("d", 3)
    assert of_xml(body, numbering=lists) == "1) a\n2) b\n5) c\n6) d"


@pytest.mark.parametrize(
    ("form", "text", "shown"),
    [
        ("decimal", "Article %1.", "Article 1."),
        ("russianLower", "%1)", "а)"),
        ("upperRoman", "%1.", "I."),
        ("decimalZero", "%1.", "01."),
        ("bullet", "", "-"),
    ],
)
def test_items_are_marked_as_word_shows_them(form: str, text: str, shown: str) -> None:
    lists = numbering(level(0, form, text), number(1))
    assert of_xml(item("words", 1), numbering=lists) == f"{shown} words"


def test_a_clause_names_the_one_above_it_also_if_that_was_passed_over() -> None:
    lists = numbering(level(0, "decimal", "%1.") + level(1, "decimal", "%1.%2."), number(1))
    body = item("a", 1) + item("b", 1, 1) + item("c", 1, 1) + item("d", 1)
    assert of_xml(body, numbering=lists) == "1. a\n1.1. b\n1.2. c\n2. d"
    assert of_xml(item("b", 1, 1), numbering=lists) == "1.1. b"


def test_a_style_may_make_items_of_its_paragraphs_and_a_paragraph_may_refuse() -> None:
    lists = numbering(level(0, "decimal", "%1."), number(1))
    styles = (
        f'<w:styles xmlns:w="{_WORD}"><w:style w:styleId="S"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
        '</w:style><w:style w:styleId="T"><w:basedOn w:val="S"/></w:style></w:styles>'
    )
    named = '<w:pStyle w:val="T"/>'
    refused = f'{named}<w:numPr><w:numId w:val="0"/></w:numPr>'
    body = paragraph("a", named) + paragraph("b", refused) + paragraph("c", named)
    assert of_xml(body, numbering=lists, styles=styles) == "1. a\n\nb\n2. c"


def test_a_row_that_begins_in_the_second_column_stays_there() -> None:
    head = cell(paragraph("Plant")) + cell(paragraph("Price"))
    row = f'<w:trPr><w:gridBefore w:val="1"/></w:trPr>{cell(paragraph("2.50"))}'
    assert of_xml(table(head, row)) == "| Plant | Price |\n|  | 2.50 |"


def test_a_large_first_letter_belongs_to_its_word() -> None:
    initial = paragraph("D", '<w:framePr w:dropCap="drop"/>')
    assert of_xml(initial + paragraph("rop it.")) == "Drop it."


def test_a_line_break_in_the_middle_of_a_sentence_is_a_space() -> None:
    broken = "<w:p><w:r><w:t>The price is fixed</w:t><w:br/><w:t>for a year.</w:t><w:br/><w:t>Note</w:t></w:r></w:p>"
    assert of_xml(broken) == "The price is fixed for a year.\nNote"
    address = "<w:p><w:r><w:t>Garden club</w:t><w:br/><w:t>Main road 5</w:t></w:r></w:p>"
    assert of_xml(address) == "Garden club\nMain road 5"


def test_comments_headers_and_footers_are_no_text_of_the_document() -> None:
    reference = '<w:r><w:commentReference w:id="0"/></w:r>'
    comment = (
        f'<w:comments xmlns:w="{_WORD}"><w:comment w:id="0">{paragraph("Really?")}</w:comment></w:comments>'
    )
    header = f'<w:hdr xmlns:w="{_WORD}">{paragraph("Page head")}</w:hdr>'
    body = f"<w:p><w:r><w:t>Text.</w:t></w:r>{reference}</w:p>"
    assert of_xml(body, comments=comment, header=header) == "Text."


def test_a_note_stands_below_the_whole_of_a_paragraph_whose_break_was_deleted() -> None:
    mark = '<w:r><w:t>Give notice</w:t><w:footnoteReference w:id="2"/><w:t xml:space="preserve"> </w:t></w:r>'
    first = f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{mark}</w:p>"
    note = f'<w:footnotes xmlns:w="{_WORD}"><w:footnote w:id="2">{paragraph("By post.")}</w:footnote></w:footnotes>'
    assert (
        of_xml(first + paragraph("in writing."), footnotes=note) == "Give notice[1] in writing.\n[1] By post."
    )
    assert of_xml(first, footnotes=note) == "Give notice[1]\n[1] By post."


def test_the_main_part_may_have_another_name() -> None:
    parts = {
        "[Content_Types].xml": hostile_files.content_types().replace(b"document.xml", b"document2.xml"),
        "_rels/.rels": hostile_files.RELATIONSHIPS.replace(b"document.xml", b"document2.xml"),
        "word/document2.xml": hostile_files.document_xml(paragraph("Text.")),
    }
    assert parse(hostile_files.packed(parts), "a.docx").text == "Text."


def test_a_file_that_was_saved_as_strict_is_read() -> None:
    strict = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
    parts = {
        "[Content_Types].xml": hostile_files.content_types(),
        "_rels/.rels": hostile_files.RELATIONSHIPS,
        "word/document.xml": hostile_files.document_xml(paragraph("Text.")).replace(_WORD.encode(), strict),
    }
    assert parse(hostile_files.packed(parts), "a.docx").text == "Text."


def test_tables_in_tables_in_cells_are_read_once_however_deep_they_are() -> None:
    inner = paragraph("deep")
    for depth in range(30):
        inner = table(cell(paragraph(f"a{depth}")) + cell(inner))
    words = of_xml(inner).replace("|", " ").split()
    assert words == [*(f"a{depth}" for depth in reversed(range(30))), "deep"]


@pytest.mark.parametrize("text", ["p" * 5000 + "%1", "%1" * 5000, "%1" * 20, "&#10;&#10;# &#10;"])
def test_a_label_that_is_longer_than_labels_are_or_forges_a_heading_is_a_bullet(text: str) -> None:
    lists = numbering(level(0, "decimal", text, start=100_000), number(1))
    assert of_xml(item("a", 1) + item("b", 1), numbering=lists) == "- a\n- b"
