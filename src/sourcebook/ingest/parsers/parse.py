"""A file becomes text: its kind is found, and the parser of that kind reads it.

Parsers are loaded when the first file of their kind comes, so that a process that reads only text starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from sourcebook.errors import EmptyFile
from sourcebook.ingest.parsers.file_kinds import FileKind, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcebook.ingest.parsers.parsed import ParsedText

_PARSERS = {
    FileKind.PDF: ("pdf.document", "parse_pdf"),
    FileKind.DOCX: ("docx.document", "parse_docx"),
    FileKind.HTML: ("web.html", "parse_html"),
    FileKind.MARKDOWN: ("text.markdown", "parse_markdown"),
    FileKind.CSV: ("text.csv", "parse_csv"),
    FileKind.TSV: ("text.csv", "parse_csv"),
    FileKind.JSON: ("text.json_records", "parse_json"),
    FileKind.JSONL: ("text.json_records", "parse_json_lines"),
    FileKind.SOURCE: ("text.plain", "parse_source"),
    FileKind.PLAIN: ("text.plain", "parse_plain"),
}


def parse(data: bytes, name: str) -> ParsedText:
    """The text of a file. Every error but a lack of memory is a BadFile."""
    parsed = parser_of(kind_of(data, name))(data)
    if not parsed.text.strip():
        raise EmptyFile
    return parsed


def parser_of(kind: FileKind) -> Callable[[bytes], ParsedText]:
    """What reads files of this kind."""
    module, function = _PARSERS[kind]
    found = getattr(import_module(f"sourcebook.ingest.parsers.{module}"), function)
    return cast("Callable[[bytes], ParsedText]", found)
