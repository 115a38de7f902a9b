"""The numbers of charts, as Office keeps them beside the picture."""

from __future__ import annotations

from sourcebook.ingest.parsers.office.charts import chart_text
from sourcebook.ingest.parsers.zip_and_xml import xml_of

_NAMES = (
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


def points(tag: str, *values: str) -> str:
    inner = "".join(f'<c:pt idx="{i}"><c:v>{value}</c:v></c:pt>' for i, value in enumerate(values) if value)
    return f"<c:{tag}><c:strRef><c:strCache>{inner}</c:strCache></c:strRef></c:{tag}>"


def chart(*series: str, title: str = "") -> str:
    head = f"<c:title><c:tx><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:tx></c:title>" if title else ""
    drawn = "".join(f"<c:ser>{one}</c:ser>" for one in series)
    return chart_text(
        xml_of(f"<c:chartSpace {_NAMES}><c:chart>{head}{drawn}</c:chart></c:chartSpace>".encode())
    )


def test_a_chart_is_the_table_that_it_was_drawn_from() -> None:
    years = points("cat", "2024", "2025")
    peas = points("tx", "Peas") + years + points("val", "12", "15.000000000000002")
    beans = points("tx", "Beans") + years + points("val", "", "7")
    assert chart(peas, beans, title="Harvest, kg") == (
        "Harvest, kg\n|  | Peas | Beans |\n| 2024 | 12 |  |\n| 2025 | 15 | 7 |"
    )


def test_a_chart_without_numbers_says_nothing() -> None:
    assert chart(points("tx", "Peas")) == ""
