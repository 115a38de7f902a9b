"""The block between `---` lines with which a Markdown file may say something about itself.

This is a small and safe part of YAML: `key: value` with text, numbers, booleans, ISO dates (which stay text) and
lists, written `[a, b]` or as `- a` lines. Whatever else a value may be is kept as text.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sourcebook.model.documents import JsonValue, Metadata

_FENCE = re.compile(r"---[^\S\n]*\n(?P<body>(?:.*\n)*?)(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)")
_ENTRY = re.compile(r"(?P<key>[^\s:#'\"\[\]{}-][^:\n]*?)[^\S\n]*:(?:[^\S\n]+(?P<value>.*))?")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,300})(?P<fraction>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)", re.ASCII)
_ITEM = re.compile(r"""\s*('(?:[^']|'')*'(?=\s*(?:,|\Z))|"[^"]*"(?=\s*(?:,|\Z))|[^,]*)\s*(?:,|\Z)""")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_MULTILINE = ("", "|", "|-", ">", ">-")
MAX_LENGTH = 65_536
"""What is longer is no front matter."""


def split_front_matter(text: str) -> tuple[Metadata, str]:
    """What the front matter says, and the text after it. A block that is not made of entries is text."""
    fence = _FENCE.match(text)
    if fence is None or len(fence["body"]) > MAX_LENGTH:
        return {}, text
    metadata: dict[str, JsonValue] = {}
    for key, value, block in _entries(fence["body"].split("\n")):
        if not key:
            return {}, text
        is_block = block and value in _MULTILINE
        metadata[key] = _block(block) if is_block else _value("\n".join([value, *block]))
    return metadata, text[fence.end() :]


def _entries(lines: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Each key with what stands behind it and the lines that belong to it; an empty key if a line is no entry."""
    key, value = "", ""
    block: list[str] = []
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if key and (line[0].isspace() or line.startswith("- ")):
            block.append(line.strip())
            continue
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            yield "", "", []
            return
        if key:
            yield key, value, block
        key, value, block = entry["key"], (entry["value"] or "").strip(), []
    if key:
        yield key, value, block


def _block(lines: Sequence[str]) -> JsonValue:
    if all(line.startswith("- ") for line in lines):
        return [_scalar(line[2:].strip()) for line in lines]
    return "\n".join(lines)


def _value(text: str) -> JsonValue:
    if text.startswith("[") and text.endswith("]") and "[" not in text[1:]:
        return [_scalar(item) for item in map(str.strip, _ITEM.findall(text[1:-1])) if item]
    return _scalar(text)


def _scalar(text: str) -> JsonValue:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1]
    text = _COMMENT.sub("", text, count=1).strip()
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.lower() in ("", "null", "~"):
        return None
    number = _NUMBER.fullmatch(text)
    return _number(text, is_whole=not number["fraction"]) if number else text


def _number(text: str, *, is_whole: bool) -> JsonValue:
    if is_whole:
        return int(text)
    number = float(text)
    return number if math.isfinite(number) else text
