"""The numbers of charts, as Office keeps them beside the picture."""

from __future__ import annotations

import pytest
from tests.faults.hostile_files import docx, packed

from sourcebook.ingest.parsers.docx.document import parse_docx
from sourcebook.ingest.parsers.office.charts import chart_names, chart_text
from sourcebook.ingest.parsers.office.pptx import parse_pptx
from sourcebook.ingest.parsers.zip_and_xml import xml_of

_NAMES = (
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_BROKEN = b"<c:chartSpace"


def points(tag: str, *values: str) -> str:
    inner = "".join(f'<c:pt idx="{i}"><c:v>{value}</c:v></c:pt>' for i, value in enumerate(values) if value)
    return f"<c:{tag}><c:strRef><c:strCache>{inner}</c:strCache></c:strRef></c:{tag}>"


def chart(*series: str, title: str = "") -> str:
    return chart_text(xml_of(chart_part(*series, title=title)))


def chart_part(*series: str, title: str = "") -> bytes:
    head = f"<c:title><c:tx><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:tx></c:title>" if title else ""
    drawn = "".join(f"<c:ser>{one}</c:ser>" for one in series)
    return f"<c:chartSpace {_NAMES}><c:chart>{head}{drawn}</c:chart></c:chartSpace>".encode()


def test_a_chart_is_the_table_that_it_was_drawn_from() -> None:
    years = points("cat", "2024", "2025")
    peas = points("tx", "Peas") + years + points("val", "12", "15.000000000000002")
    beans = points("tx", "Beans") + years + points("val", "", "7")
    assert chart(peas, beans, title="Harvest, kg") == (
        "Harvest, kg\n|  | Peas | Beans |\n| 2024 | 12 |  |\n| 2025 | 15 | 7 |"
    )


def test_a_chart_without_numbers_says_nothing() -> None:
    assert chart(points("tx", "Peas")) == ""


def related(**parts: str) -> bytes:
    """What a part refers to, by the kind."""
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    named = "".join(
        f'<Relationship Id="r1" Type="{_OFFICE}/{kind}" Target="{part}"/>' for kind, part in parts.items()
    )
    return f'<Relationships xmlns="{package}">{named}</Relationships>'.encode()


def in_document(body: str, part: bytes) -> str:
    """The text of a document that shows a chart in its body."""
    more = {"word/_rels/document.xml.rels": related(chart="chart.xml"), "word/chart.xml": part}
    return parse_docx(docx(body, more=more)).text


SHOWN = f'<c:chart {_NAMES} xmlns:r="{_OFFICE}" r:id="r1"/>'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"<w:p><w:r><w:t>a</w:t>{SHOWN * 2}</w:r></w:p>", "a\n\n|  | 42 |"),
        (
            f"<w:p><w:r><w:t>a</w:t><w:txbxContent><w:p><w:r><w:t>in</w:t>{SHOWN}</w:r></w:p></w:txbxContent></w:r></w:p>",
            "a\n\nin\n\n|  | 42 |",
        ),
        (f"<w:p><w:r><w:t>a</w:t></w:r><w:del><w:r>{SHOWN}</w:r></w:del></w:p>", "a"),
        (
            f"<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t>{SHOWN}</w:r></w:p></w:tc></w:tr></w:tbl>",
            "| a |\n\n|  | 42 |",
        ),
    ],
    ids=["twice", "in a box", "deleted", "in a cell"],
)
def test_a_chart_of_a_document_is_told_once_where_it_is_shown(body: str, text: str) -> None:
    assert in_document(body, chart_part(points("val", "42"))) == text


def test_a_broken_chart_is_left_out_of_a_document() -> None:
    assert in_document(f"<w:p><w:r><w:t>a</w:t>{SHOWN}</w:r></w:p>", _BROKEN) == "a"


@pytest.mark.parametrize("kind", ["chart", "diagramData"])
def test_a_broken_chart_or_diagram_is_left_out_of_a_slide(kind: str) -> None:
    names = (
        f'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" {_NAMES} xmlns:r="{_OFFICE}"'
    )
    shape = "<p:sp><p:txBody><a:p><a:r><a:t>Words</a:t></a:r></a:p></p:txBody></p:sp>"
    parts = {
        "ppt/presentation.xml": f'<p:presentation {names}><p:sldId id="1" r:id="r1"/></p:presentation>'.encode(),
        "ppt/_rels/presentation.xml.rels": related(slide="slide.xml"),
        "ppt/slide.xml": f"<p:sld {names}><p:cSld><p:spTree>{shape}</p:spTree></p:cSld></p:sld>".encode(),
        "ppt/_rels/slide.xml.rels": related(**{kind: "chart.xml"}),
        "ppt/chart.xml": _BROKEN,
    }
    assert parse_pptx(packed(parts)).text == "Words"


def test_a_series_may_be_named_by_itself() -> None:
    own = "<c:tx><c:v>Crates</c:v></c:tx>" + points("cat", "North") + points("val", "132")
    assert chart(own) == "|  | Crates |\n| North | 132 |"
    assert chart_names(xml_of(chart_part(own, title="By plot"))) == "By plot: Crates"


def test_a_chart_stands_between_the_texts_of_its_slide() -> None:
    names = (
        f'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" {_NAMES} xmlns:r="{_OFFICE}"'
    )

    def place(top: int) -> str:
        return f'<a:off x="0" y="{top}"/><a:ext cx="900" cy="90"/>'

    def shape(top: int, words: str) -> str:
        text = f"<p:txBody><a:p><a:r><a:t>{words}</a:t></a:r></a:p></p:txBody>"
        return f"<p:sp><p:spPr><a:xfrm>{place(top)}</a:xfrm></p:spPr>{text}</p:sp>"

    frame = f"<p:graphicFrame><p:xfrm>{place(200)}</p:xfrm><a:graphic>{SHOWN}</a:graphic></p:graphicFrame>"
    drawn = shape(400, "Below") + shape(0, "Above") + frame
    parts = {
        "ppt/presentation.xml": f'<p:presentation {names}><p:sldId id="1" r:id="r1"/></p:presentation>'.encode(),
        "ppt/_rels/presentation.xml.rels": related(slide="slide.xml"),
        "ppt/slide.xml": f"<p:sld {names}><p:cSld><p:spTree>{drawn}</p:spTree></p:cSld></p:sld>".encode(),
        "ppt/_rels/slide.xml.rels": related(chart="chart.xml"),
        "ppt/chart.xml": chart_part(points("val", "42")),
    }
    assert parse_pptx(packed(parts)).text == "Above\n\n|  | 42 |\n\nBelow"
