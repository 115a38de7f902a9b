"""What is read out of a DOCX, both as python-docx writes it and as Word does."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

from docx import Document
from tests.faults import hostile_files

from sourcebook.ingest.parsers.docx.document import parse_docx

if TYPE_CHECKING:
    from docx.document import Document as OpenDocument

    from sourcebook.ingest.parsers.parsed_text import ParsedText


def parsed(document: OpenDocument) -> ParsedText:
    stream = BytesIO()
    document.save(stream)
    return parse_docx(stream.getvalue())


def of_xml(body: str) -> str:
    return parse_docx(hostile_files.docx(body)).text


def run(words: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def test_headings_lists_and_tables_come_in_their_order() -> None:
    document = Document()
    document.add_heading("Малина", 1)
    document.add_paragraph("Первый абзац.")
    document.add_heading("Обрезка", 2)
    table = document.add_table(rows=2, cols=2)
    for cell, words in zip(
        (c for row in table.rows for c in row.cells), ("Сорт", "Срок", "Полка", "осень"), strict=True
    ):
        cell.text = words
    document.add_paragraph("После таблицы.")
    result = parsed(document)
    assert (
        result.text
        == "Малина\n\nПервый абзац.\n\nОбрезка\n\n| Сорт | Срок |\n| Полка | осень |\n\nПосле таблицы."
    )
    assert [(result.text[start:].split("\n")[0], path) for start, path in result.sections] == [
        ("Малина", "Малина"),
        ("Обрезка", "Малина > Обрезка"),
    ]


def test_items_of_lists_are_marked() -> None:
    def item(level: int, words: str) -> str:
        place = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>'
        return f"<w:p><w:pPr>{place}</w:pPr>{run(words)}</w:p>"

    assert of_xml(item(0, "a") + item(1, "b") + item(0, "c")) == "- a\n  - b\n- c"


def test_the_title_and_what_the_document_says_about_itself() -> None:
    document = Document()
    document.core_properties.title = "Said"
    document.core_properties.author = "A. Gardener"
    document.core_properties.created = datetime(2024, 5, 1)  # noqa: DTZ001 - as the library wants it
    document.add_heading("Title in the text", 0)
    result = parsed(document)
    assert result.title == "Said"
    assert result.metadata == {"author": "A. Gardener", "date": "2024-05-01"}
    document.core_properties.title = ""
    assert parsed(document).title == "Title in the text"


def test_a_level_of_the_outline_makes_a_heading_too() -> None:
    body = f'<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr>{run("Head")}</w:p><w:p>{run("text")}</w:p>'
    assert [section.path for section in parse_docx(hostile_files.docx(body)).sections] == ["Head"]


def test_tabs_breaks_and_hyphens_are_read() -> None:
    body = "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>C</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>"
    assert of_xml(body) == "a\tb\nC-d"


def test_insertions_links_and_content_controls_are_read_and_deletions_are_not() -> None:
    body = (
        f"<w:p><w:ins>{run('new ')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r>{run('old')}</w:del>"
        f"<w:hyperlink>{run('link ')}</w:hyperlink><w:sdt><w:sdtContent>{run('control')}</w:sdtContent></w:sdt></w:p>"
        f"<w:sdt><w:sdtContent><w:p>{run('block')}</w:p></w:sdtContent></w:sdt>"
    )
    assert of_xml(body) == "new link control\n\nblock"


def test_hidden_and_tiny_text_is_left_out() -> None:
    hidden = run("secret", "<w:vanish/>") + run("secret", '<w:sz w:val="2"/>')
    shown = run("shown", '<w:vanish w:val="false"/><w:sz w:val="20"/>')
    assert of_xml(f"<w:p>{hidden}{shown}</w:p>") == "shown"


def test_a_text_box_is_read_once() -> None:
    box = f"<w:txbxContent><w:p>{run('box')}</w:p></w:txbxContent>"
    namespace = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    both = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    drawing = f"<mc:AlternateContent {namespace}>{both}</mc:AlternateContent>"
    assert of_xml(f"<w:p>{run('before')}<w:r>{drawing}</w:r></w:p>") == "before\n\nbox"


def test_a_table_in_a_cell_is_a_part_of_it() -> None:
    inner = (
        f"<w:tbl><w:tr><w:tc><w:p>{run('x')}</w:p></w:tc><w:tc><w:p>{run('y')}</w:p></w:tc></w:tr></w:tbl>"
    )
    body = f"<w:tbl><w:tr><w:tc><w:p>{run('a')}</w:p>{inner}</w:tc><w:tc><w:p>{run('b')}</w:p></w:tc></w:tr></w:tbl>"
    assert of_xml(body) == "| a x y | b |"


def test_the_table_of_contents_is_left_out() -> None:
    document = Document()
    styles: Any = document.styles
    styles.add_style("TOC 1", 1)
    document.add_paragraph("Chapter ..... 5", style="TOC 1")
    document.add_paragraph("Text.")
    assert parsed(document).text == "Text."


def bold(words: str) -> str:
    return f"<w:p>{run(words, '<w:b/>')}</w:p>"


def plain(words: str) -> str:
    return f"<w:p>{run(words)}</w:p>"


PROSE = "Water them at dawn, and never at noon, because drops on the leaves burn them. " * 3


def sections(body: str) -> list[str]:
    return [section.path for section in parse_docx(hostile_files.docx(body)).sections]


def test_without_styles_larger_and_bold_lines_are_headings() -> None:
    large = "<w:p>" + run("Garden", '<w:sz w:val="40"/>') + "</w:p>"
    body = large + bold("1. Water") + plain(PROSE) + bold("2. Soil") + plain(PROSE)
    assert sections(body) == ["Garden", "Garden > 1. Water", "Garden > 2. Soil"]


def test_a_bold_sentence_and_a_line_that_is_bold_in_part_are_no_headings() -> None:
    part = f"<w:p>{run('Name: ', '<w:b/>')}{run('Anna')}</w:p>"
    assert sections(bold("Never at noon.") + plain(PROSE) + part + plain(PROSE)) == []


def test_bold_lines_below_headings_by_style_are_none() -> None:
    heading = '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr>' + run("Garden") + "</w:p>"
    assert sections(bold("Water") + heading + bold("Soil") + plain(PROSE)) == ["Garden"]


def test_where_all_is_bold_nothing_is_a_heading() -> None:
    assert sections("".join(bold(f"Line {number} of a poster") for number in range(9))) == []


def test_paragraphs_whose_break_was_deleted_are_one() -> None:
    first = f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{run('Give notice ')}</w:p>"
    assert of_xml(first + plain("in writing.")) == "Give notice in writing."
    table = f"<w:tbl><w:tr><w:tc>{plain('a')}</w:tc><w:tc>{plain('b')}</w:tc></w:tr></w:tbl>"
    assert of_xml(first + table + first) == "Give notice\n\n| a | b |\n\nGive notice"


def ends_deleted(inner: str) -> str:
    return f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{inner}</w:p>"


def box(inner: str) -> str:
    return f"<w:r><w:pict><w:txbxContent>{inner}</w:txbxContent></w:pict></w:r>"


def test_a_paragraph_of_a_box_does_not_go_on_outside_of_it() -> None:
    inside = ends_deleted(run("In the box."))
    body = f"<w:p>{run('Water.')}{box(inside)}{box(inside)}</w:p>{plain('Rest.')}"
    assert of_xml(body) == "Water.\n\nIn the box.\n\nIn the box.\n\nRest."


def test_a_box_stands_behind_the_whole_of_a_paragraph_whose_break_was_deleted() -> None:
    inside = ends_deleted(run("In ")) + plain("the box.")
    first = ends_deleted(run("Give notice ") + box(inside))
    assert of_xml(first + plain("in writing.")) == "Give notice in writing.\n\nIn the box."
    assert of_xml(first) == "Give notice\n\nIn the box."


def test_a_paragraph_of_a_cell_does_not_go_on_in_the_next() -> None:
    cells = "".join(
        f"<w:tr><w:tc>{plain(words)}{ends_deleted(run('Ask us.'))}</w:tc></w:tr>"
        for words in ("Water.", "Soil.")
    )
    assert of_xml(f"<w:tbl>{cells}</w:tbl>{plain('Rest.')}") == (
        "Water.\n\nAsk us.\n\nSoil.\n\nAsk us.\n\nRest."
    )


def test_a_deleted_row_of_a_table_is_left_out() -> None:
    def row(*cells: str, properties: str = "") -> str:
        return f"<w:tr>{properties}{''.join(f'<w:tc>{plain(cell)}</w:tc>' for cell in cells)}</w:tr>"

    deleted = row("c", "d", properties="<w:trPr><w:del/></w:trPr>")
    assert of_xml(f"<w:tbl>{row('a', 'b')}{deleted}{row('e', 'f')}</w:tbl>") == "| a | b |\n| e | f |"


def test_an_item_whose_end_was_deleted_is_still_an_item() -> None:
    listed = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    item = f"<w:p><w:pPr>{listed}</w:pPr>{run('Close the tap.')}</w:p>"
    merged = f"<w:p><w:pPr>{listed}<w:rPr><w:del/></w:rPr></w:pPr>{run('Leave ')}</w:p>{plain('the key.')}"
    assert of_xml(item + merged + plain("Thank you.")) == "- Close the tap.\n- Leave the key.\n\nThank you."
