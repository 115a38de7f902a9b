"""The numbers of a chart in an Office file, as the table that it was drawn from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import cleaned, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sourcebook.ingest.parsers.xml_element import Element
    from sourcebook.ingest.parsers.zip_and_xml import Package

CHART_NAMES = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_C = f"{{{CHART_NAMES}}}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_SERIES, _NAME, _TITLE = f"{_C}ser", f"{_C}tx", f"{_C}chart/{_C}title"
_LABELS, _VALUES = (f"{_C}cat", f"{_C}xVal"), (f"{_C}val", f"{_C}yVal")
_POINT, _VALUE = f"{_C}pt", f"{_C}v"
_MOST_ROWS, _MOST_SERIES = 500, 50
_NUMBER = re.compile(r"-?\d{1,15}\.\d{3,20}(?:[eE][+-]?\d{1,3})?", re.ASCII)


class Charts:
    """The charts of one file. Each is told once, where it is first referred to."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._told: set[str] = set()

    def tell(self, part: str) -> str:
        """The text of the chart in this part; nothing if it was told before or cannot be read."""
        if part in self._told:
            return ""
        self._told.add(part)
        chart = self._package.xml_if_intact(part)
        return chart_text(chart) if chart is not None else ""


def chart_text(chart: Element) -> str:
    """The title of a chart, and a row for each thing on its axis with the values of all series."""
    words = _title(chart)
    return "\n".join([*([words] if words else []), *_rows(list(chart.iter(_SERIES))[:_MOST_SERIES])])


def chart_names(chart: Element) -> str:
    """The title of a chart and the names of its series: `Sales of 2024: North, South`."""
    series = [_name(one) for one in list(chart.iter(_SERIES))[:_MOST_SERIES]]
    names = ", ".join(name for name in series if name)
    return ": ".join(words for words in (_title(chart), names) if words)


def _title(chart: Element) -> str:
    title = chart.find(_TITLE)
    return one_line(cleaned("".join(t.text or "" for t in title.iter(f"{_A}t")))) if title is not None else ""


def _rows(series: list[Element]) -> Iterator[str]:
    names = [_name(one) for one in series]
    labels = next((found for one in series if (found := _points(one, _LABELS))), dict[int, str]())
    values = [_points(one, _VALUES) for one in series]
    places = sorted({place for points in values for place in points})[:_MOST_ROWS]
    if not places:
        return
    if any(names):
        yield _row(["", *names])
    for place in places:
        yield _row([labels.get(place, ""), *(points.get(place, "") for points in values)])


def _name(series: Element) -> str:
    """What a series is called: by the cell that it refers to, or by itself."""
    referred = next(iter(_points(series, (_NAME,)).values()), "")
    own = series.find(f"{_NAME}/{_VALUE}")
    return referred or (one_line(cleaned(own.text or "")) if own is not None else "")


def _points(series: Element, tags: tuple[str, ...]) -> dict[int, str]:
    """What a series says at each place, as it was when the chart was saved."""
    found: dict[int, str] = {}
    for part in (part for tag in tags if (part := series.find(tag)) is not None):
        for point in part.iter(_POINT):
            index, value = point.get("idx", ""), point.find(_VALUE)
            if index.isdecimal() and len(index) <= len("1000000") and value is not None:
                found.setdefault(int(index), _shown(one_line(cleaned(value.text or ""))))
    return found


def _shown(value: str) -> str:
    """A number without digits that only a computation has left."""
    return f"{float(value):.6g}" if _NUMBER.fullmatch(value) else value


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
