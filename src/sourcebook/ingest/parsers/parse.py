"""A file becomes text: its kind is found, and the parser of that kind reads it.

Parsers are loaded when the first file of their kind comes, so that a process that reads only text starts at once.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, cast

from sourcebook.errors import BadFile, EmptyFile, NeedsOcr, NeedsTranscription, UnsupportedFile
from sourcebook.ingest.parsers.file_kinds import FileKind, kind_of, unlike_its_name

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import ParsedText

_PARSERS = {
    FileKind.PDF: ("pdf.document", "parse_pdf"),
    FileKind.DOCX: ("docx.document", "parse_docx"),
    FileKind.XLSX: ("office.xlsx", "parse_xlsx"),
    FileKind.PPTX: ("office.pptx", "parse_pptx"),
    FileKind.ODT: ("office.opendocument", "parse_odt"),
    FileKind.ODS: ("office.opendocument", "parse_ods"),
    FileKind.ODP: ("office.opendocument", "parse_odp"),
    FileKind.RTF: ("text.rtf", "parse_rtf"),
    FileKind.EPUB: ("web.epub", "parse_epub"),
    FileKind.EML: ("mail.mailbox", "parse_eml"),
    FileKind.MBOX: ("mail.mailbox", "parse_mbox"),
    FileKind.NOTEBOOK: ("text.notebook", "parse_notebook"),
    FileKind.SUBTITLES: ("text.subtitles", "parse_subtitles"),
    FileKind.HTML: ("web.html", "parse_html"),
    FileKind.MARKDOWN: ("text.markdown", "parse_markdown"),
    FileKind.CSV: ("text.csv", "parse_csv"),
    FileKind.TSV: ("text.csv", "parse_csv"),
    FileKind.JSON: ("text.json_records", "parse_json"),
    FileKind.JSONL: ("text.json_records", "parse_json_lines"),
    FileKind.SOURCE: ("text.plain", "parse_source"),
    FileKind.PLAIN: ("text.plain", "parse_plain"),
}

_REFUSED: dict[FileKind, Callable[[], BadFile]] = {
    FileKind.ZIP: lambda: UnsupportedFile("The file is an archive (zip).", hint=_UNPACK),
    FileKind.TAR: lambda: UnsupportedFile("The file is an archive (tar).", hint=_UNPACK),
    FileKind.IMAGE: lambda: NeedsOcr("The file is a picture."),
    FileKind.AUDIO: NeedsTranscription,
}
"""What only something else than a parser can make a text of, and only if it is asked for."""
_UNPACK = "Add it with --archives, or unpack it and add its files."


def parse(data: bytes, name: str) -> ParsedText:
    """The text of a file. Every error but a lack of memory is a BadFile."""
    kind = kind_of(data, name)
    if kind in _REFUSED:
        raise _REFUSED[kind]()
    try:
        parsed = parser_of(kind)(data)
    except UnsupportedFile as error:
        raise unlike_its_name(name) or error from None
    if not parsed.text.strip():
        raise EmptyFile
    return parsed


def parser_of(kind: FileKind) -> Callable[[bytes], ParsedText]:
    """What reads files of this kind."""
    module, function = _PARSERS[kind]
    found = getattr(import_module(f"sourcebook.ingest.parsers.{module}"), function)
    return cast("Callable[[bytes], ParsedText]", found)
