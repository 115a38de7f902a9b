"""Objects in OpenDocument that lie in the package as documents of their own: formulas and charts."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.errors import DamagedFile, FileOverLimit
from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.office.formulas import formula_text
from sourcebook.ingest.parsers.zip_and_xml import joined, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sourcebook.ingest.parsers.xml_element import Element
    from sourcebook.ingest.parsers.zip_and_xml import Package

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
_CHART, _TABLE, _TEXT = (f"{{{_NS}{name}:1.0}}" for name in ("chart", "table", "text"))
_ROW, _HEAD, _PARAGRAPH = f"{_TABLE}table-row", f"{_TABLE}table-header-rows", f"{_TEXT}p"
_CONTENT = "content.xml"
_MOST_OF_OBJECTS = 1_000_000
"""What all objects of a document may say: more than a book of formulas, and little beside the longest text."""
_MOST_ROWS, _MOST_SERIES = 500, 50


class EmbeddedObject(NamedTuple):
    """What an object says: a formula in the middle of a sentence, or a chart with title, series and numbers."""

    formula: str = ""
    title: str = ""
    series: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()

    @property
    def chart(self) -> str:
        """The chart as the table that it was drawn from."""
        head = f"|  | {' | '.join(self.series)} |" if any(self.series) else ""
        return "\n".join(line for line in (self.title, head, *self.rows) if line)

    @property
    def chart_names(self) -> str:
        """The title of the chart and the names of its series: `Sales of 2024: North, South`."""
        names = ", ".join(name for name in self.series if name)
        return ": ".join(words for words in (self.title, names) if words)


_NOTHING = EmbeddedObject()


class EmbeddedObjects:
    """The objects of one package. Each is read once, however often it is shown."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._read: dict[str, EmbeddedObject] = {}
        self._length = 0

    def formula_at(self, place: str) -> str:
        """The formula that lies at a place of the package; nothing if it is something else or cannot be read."""
        return self._counted(self._at(place).formula)

    def chart_at(self, place: str) -> str:
        """The chart at a place, as the table that it was drawn from."""
        return self._counted(self._at(place).chart)

    def chart_names_at(self, place: str) -> str:
        """The title of the chart at a place, and the names of its series."""
        return self._counted(self._at(place).chart_names)

    def _at(self, place: str) -> EmbeddedObject:
        part = joined("", f"{place.rstrip('/')}/{_CONTENT}") if place else ""
        if part not in self._read:
            self._read[part] = self._object(part)
        return self._read[part]

    def _counted(self, text: str) -> str:
        self._length += len(text)
        if self._length > _MOST_OF_OBJECTS:
            raise FileOverLimit(f"The formulas and charts contain more than {_MOST_OF_OBJECTS:,} characters.")
        return text

    def _object(self, part: str) -> EmbeddedObject:
        # The text around an object that is damaged or no real one is worth having without it.
        with suppress(DamagedFile, FileOverLimit), reading("object"):
            root = self._package.xml_if_there(part)
            if root is not None and str(root.tag).endswith("}math"):
                return EmbeddedObject(formula_text(root))
            chart = next(root.iter(f"{_CHART}chart"), None) if root is not None else None
            if chart is not None:
                return _chart(chart)
        return _NOTHING


def _chart(chart: Element) -> EmbeddedObject:
    titles = (chart.find(f"{_CHART}{name}") for name in ("title", "subtitle"))
    title = " – ".join(words for found in titles if found is not None and (words := _words(found)))
    rows = [(row, [_words(cell) for cell in row]) for row in chart.iter(_ROW)]
    head = next((cells for row, cells in rows if _is_head(row)), list[str]())
    lines = (cells for row, cells in rows if not _is_head(row) and any(cells))
    shown = tuple(
        f"| {' | '.join(cells[: _MOST_SERIES + 1])} |"
        for cells, _ in zip(lines, range(_MOST_ROWS), strict=False)
    )
    return EmbeddedObject(title=title, series=tuple(head[1 : _MOST_SERIES + 1]), rows=shown)


def _is_head(row: Element) -> bool:
    return next(row.iterancestors(_HEAD), None) is not None


def _words(element: Element) -> str:
    return one_line(cleaned(" ".join("".join(_texts(paragraph)) for paragraph in element.iter(_PARAGRAPH))))


def _texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield from _texts(child)
        yield child.tail or ""
