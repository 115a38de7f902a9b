"""What a note of Obsidian or Notion says about itself in its text: tags, links to other notes, and properties."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sourcebook.model.documents import JsonValue, Metadata

MOST = 500
_CODE = re.compile(r"^(```+|~~~+)[^\n]*\n.*?(?:^\1[^\S\n]*$|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_ADDRESS = re.compile(r"\]\([^)\n]*\)|https?://\S+")
_LINK = re.compile(r"!?\[\[([^\[\]|#^\n]{1,200})(?:[#^][^\[\]|\n]*)?(?:\\?\|[^\[\]\n]*)?\]\]")
_TAG = re.compile(r"(?:(?<=\s)|(?<=^))#([^\W\d][\w/-]{0,99})", re.MULTILINE)
_COLOUR = re.compile(r"[0-9a-fA-F]{3}|[0-9a-fA-F]{6}")
# Notion writes the properties of a page below its title, one a line.
_PROPERTIES = re.compile(r"\A\s*# [^\n]+\n\n((?:[^\W\d_][^:\n]{0,40}: [^\n]+\n)+)(?:\n|\Z)")
_NOTION_NAMES = """
    created|created time|created by|last edited|last edited time|last edited by|tags|status|owner|assignee|due date|
    url|теги|статус|создано|дата создания|criado em|etiquetas
"""
_NOTION = frozenset(name.strip() for name in _NOTION_NAMES.split("|"))


def with_notes(metadata: Metadata, text: str) -> Metadata:
    """The metadata of a note with what its text says: `tags`, `links` and properties. What was said before stays."""
    bare = _CODE.sub(" ", text)
    said: dict[str, JsonValue] = {**_properties(bare), **metadata}
    links = _distinct(one_line(found) for found in _LINK.findall(bare))
    if links:
        said.setdefault("links", links)
    own = _LINK.sub(" ", _ADDRESS.sub(" ", bare))
    tags = [tag for tag in _TAG.findall(own) if not _COLOUR.fullmatch(tag)]
    before = _listed(said.get("tags"))
    if tags or (before and isinstance(said.get("tags"), str) and "," in str(said["tags"])):
        said["tags"] = _distinct([*before, *tags])
    return said


def _properties(text: str) -> Mapping[str, JsonValue]:
    block = _PROPERTIES.match(text)
    if block is None:
        return {}
    pairs = [line.partition(": ") for line in block[1].strip().split("\n")]
    if not any(name.strip().casefold() in _NOTION for name, _, _ in pairs):
        return {}
    return {name.strip().casefold().replace(" ", "_"): value.strip() for name, _, value in pairs}


def _listed(value: JsonValue) -> list[str]:
    if isinstance(value, str):
        return [tag.strip().lstrip("#") for tag in value.split(",") if tag.strip()]
    return [str(tag) for tag in value if isinstance(tag, (str, int))] if isinstance(value, list) else []


def _distinct(words: Iterable[str]) -> list[JsonValue]:
    found: list[JsonValue] = [*dict.fromkeys(word for word in words if word)]
    return found[:MOST]
