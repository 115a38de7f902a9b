"""JSON and JSON lines: records as lines `key: value`, in the order in which they are written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import LONGEST_NAME, Heading, sections_of
from sourcebook.ingest.parsers.text.decoding import decode

# Numbers stay as they are written: a price of 1.10 is not 1.1.
Value: TypeAlias = "str | bool | list[Value] | dict[str, Value] | None"

_TITLES = (
    "title",
    "name",
    "heading",
    "question",
    "subject",
    "название",
    "заголовок",
    "имя",
    "título",
    "nome",
)
_LONGEST_WITHOUT_SPACE = 1000
"""A longer run of letters is a file that was put into the record, not something to read."""
_DEEPEST = 100
_SHORT_LIST = 200


def parse_json(data: bytes) -> ParsedText:
    """The records of a list, or the one object. Text that is not JSON after all is kept as it is."""
    text = decode(data)
    value = _loaded(text)
    if value is None:
        return _of_lines(text) or ParsedText(text, kind="text/plain")
    records = _records(value)
    title = _title(value) if len(records) == 1 else None
    return _written(records, title=title, kind="application/json")


def parse_json_lines(data: bytes) -> ParsedText:
    """One record a line. If a line is not JSON, all is text."""
    text = decode(data)
    return _of_lines(text) or ParsedText(text, kind="text/plain")


def _of_lines(text: str) -> ParsedText | None:
    values = [_loaded(line) for line in text.split("\n") if line.strip()]
    if not values or any(value is None for value in values):
        return None
    return _written(cast("list[Value]", values), title=None, kind="application/jsonl")


def _loaded(text: str) -> dict[str, Value] | list[Value] | None:
    """The object or list that the text is, or None if it is anything else."""
    try:
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Value] | list[Value]", value) if isinstance(value, (dict, list)) else None


def _records(value: dict[str, Value] | list[Value]) -> list[Value]:
    """The members of a list, also of one that a single key wraps; any other object is one record."""
    if isinstance(value, list):
        return value
    only = next(iter(value.values())) if len(value) == 1 else None
    return only if isinstance(only, list) and all(isinstance(inner, dict) for inner in only) else [value]


def _written(records: Sequence[Value], *, title: str | None, kind: str) -> ParsedText:
    """The records one after the other; each that has a title is a section."""
    pieces: list[str] = []
    headings: list[Heading] = []
    length = 0
    for record in records:
        block = "\n".join(_lines(record))
        if not block.strip():
            continue
        name = _title(record) if len(records) > 1 else None
        headings.append(Heading(length, 1, (name or "")[:LONGEST_NAME]))
        pieces.append(block)
        length += len(block) + 2
    has_names = any(heading.name for heading in headings)
    return ParsedText(
        "\n\n".join(pieces), title, sections=sections_of(headings) if has_names else (), kind=kind
    )


def _title(record: Value) -> str | None:
    if not isinstance(record, dict):
        return None
    for key, value in record.items():
        if key.casefold() in _TITLES and isinstance(value, str) and value.strip():
            return one_line(cleaned(value))[:LONGEST_NAME]
    return None


def _lines(value: Value, depth: int = 0) -> Iterator[str]:
    """What a value says, inner values indented under their key."""
    indent = "  " * depth
    if depth > _DEEPEST:
        yield indent + "…"
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _entry(cleaned(one_line(key)), inner, depth)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, (dict, list)):
                yield from _marked(_lines(inner, depth + 1), indent)
            elif _plain(inner):
                yield f"{indent}- {_plain(inner)}"
    elif _plain(value):
        yield indent + _plain(value)


def _entry(key: str, value: Value, depth: int) -> Iterator[str]:
    indent = "  " * depth
    if isinstance(value, list) and not any(isinstance(inner, (dict, list)) for inner in value):
        plain = [words for inner in value if (words := _plain(inner))]
        if plain and sum(map(len, plain)) <= _SHORT_LIST:
            yield f"{indent}{key}: {', '.join(plain)}"
            return
    if isinstance(value, (dict, list)):
        if value:
            yield f"{indent}{key}:"
            yield from _lines(value, depth + 1)
    elif words := _plain(value):
        yield f"{indent}{key}: {words}"


def _marked(lines: Iterator[str], indent: str) -> Iterator[str]:
    """The lines of an inner record, the first of them marked as an item."""
    for index, line in enumerate(lines):
        yield f"{indent}- {line.lstrip()}" if index == 0 else line


def _plain(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return ""
    text = cleaned(value).strip()
    is_readable = len(text) <= _LONGEST_WITHOUT_SPACE or any(
        character.isspace() for character in text[:_LONGEST_WITHOUT_SPACE]
    )
    return text if is_readable else "…"
