"""Notebooks (ipynb): their cells in order; text as Markdown, code as code, and the beginning of what it printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from sourcebook.errors import DamagedFile
from sourcebook.ingest.parsers.clean_text import cleaned
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import PARAGRAPH, Heading, sections_of
from sourcebook.ingest.parsers.text.decoding import decode
from sourcebook.ingest.parsers.text.markdown import headings_of, visible

OUTPUT_LINES = 20
OUTPUT_LENGTH = 1_000
"""What a cell printed is kept up to here: tables and logs of any length are no text to read."""
_PICTURE = re.compile(r"<(?:Figure size|Axes|AxesSubplot|matplotlib\.|IPython\.|PIL\.)[^<>\n]{0,200}>")
"""What stands for a picture that a cell has drawn."""


def parse_notebook(data: bytes) -> ParsedText:
    """The cells. Pictures and rich output are left out; errors are named."""
    try:
        loaded: Any = json.loads(decode(data))
    except (ValueError, RecursionError):
        raise DamagedFile("The file is not an intact notebook.") from None
    book = _dict(loaded)
    # Before version 4, cells lay on sheets.
    sheets = [_dict(sheet) for sheet in _list(book.get("worksheets"))]
    cells = _list(book.get("cells")) or [cell for sheet in sheets for cell in _list(sheet.get("cells"))]
    language = _language(book)
    pieces: list[str] = []
    headings: list[Heading] = []
    length = 0
    for cell in map(_dict, cells):
        source, is_markdown = _source(cell), cell.get("cell_type") == "markdown"
        for block in (visible(source),) if is_markdown else _code(cell, source, language):
            text = cleaned(block).strip("\n")
            if not text.strip():
                continue
            if is_markdown:
                headings += [Heading(length + h.start, h.level, h.name) for h in headings_of(text)]
            pieces.append(text)
            length += len(text) + len(PARAGRAPH)
    title = next((heading.name for heading in headings if heading.level == 1), None)
    return ParsedText(
        PARAGRAPH.join(pieces), title, sections=sections_of(headings), kind="application/x-ipynb+json"
    )


def _code(cell: dict[str, Any], source: str, language: str) -> Iterator[str]:
    if cell.get("cell_type") == "raw":
        yield source
        return
    if source.strip():
        yield f"```{language}\n{source}\n```"
    for output in map(_dict, _list(cell.get("outputs"))):
        if text := _short(_output(output)):
            yield f"```\n{text}\n```"


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    shown = _dict(output.get("data"))
    said = _text(output.get("text")) or _text(shown.get("text/plain"))
    return "" if _PICTURE.fullmatch(said.strip()) else said


def _short(text: str) -> str:
    lines = text.strip("\n").split("\n")
    cut = "\n".join(lines[:OUTPUT_LINES])[:OUTPUT_LENGTH]
    return cut if cut == text.strip("\n") else f"{cut}\n…"


def _source(cell: dict[str, Any]) -> str:
    return _text(cell.get("source")) or _text(cell.get("input"))


def _language(book: dict[str, Any]) -> str:
    metadata = _dict(book.get("metadata"))
    info, kernel = _dict(metadata.get("language_info")), _dict(metadata.get("kernelspec"))
    name = _text(info.get("name")) or _text(kernel.get("language")) or "python"
    return name if name.isalnum() else ""


def _dict(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _text(value: object) -> str:
    """Text is written whole, or as a list of its lines."""
    if isinstance(value, list):
        return "".join(line for line in cast("list[object]", value) if isinstance(line, str))
    return value if isinstance(value, str) else ""
