"""What is drawn on a sheet of Excel and says something: text boxes, and the titles and series of charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.office.charts import chart_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sourcebook.ingest.parsers.xml_element import Element
    from sourcebook.ingest.parsers.zip_and_xml import Package

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_SHAPE, _BODY, _PARAGRAPH, _TEXT = f"{_XDR}sp", f"{_XDR}txBody", f"{_A}p", f"{_A}t"
_PROPERTIES = f"{_XDR}nvSpPr/{_XDR}cNvPr"


class SheetDrawings:
    """The drawings of one workbook."""

    def __init__(self, package: Package) -> None:
        self._package = package

    def beside(self, sheet: str) -> Iterator[str]:
        """The texts that stand beside the cells of a sheet, given by its part. The numbers of charts are its cells."""
        for part in self._related(sheet, "drawing"):
            drawing = self._package.xml_if_intact(part)
            if drawing is not None:
                yield from (text for shape in drawing.iter(_SHAPE) if (text := _text(shape)))
            for inner in self._related(part, "chart"):
                chart = self._package.xml_if_intact(inner)
                if chart is not None:
                    yield chart_names(chart)

    def _related(self, part: str, kind: str) -> list[str]:
        return list(
            dict.fromkeys(found for said, found in self._package.relations(part).values() if said == kind)
        )


def _text(shape: Element) -> str:
    properties, body = shape.find(_PROPERTIES), shape.find(_BODY)
    if body is None or (properties is not None and properties.get("hidden", "0") in ("1", "true")):
        return ""
    lines = (
        "".join(text.text or "" for text in paragraph.iter(_TEXT)) for paragraph in body.iter(_PARAGRAPH)
    )
    return "\n".join(line for words in lines if (line := one_line(cleaned(words))))
