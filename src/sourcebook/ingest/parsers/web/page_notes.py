"""Notes of a page that stand at its end, to be told where they are referred to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

NOTE_MARKS = frozenset({"doc-noteref", "noteref"})
_NOTES = frozenset({"footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote"})
_MAY_BE_NOTES = "aside[id], li[id], div[id], p[id]"
_DIGITS = re.compile(r"\[?\d{1,4}\]?", re.ASCII)
_MOST_NOTES = 10_000


class PageNotes:
    """The notes of one page by the names of their places."""

    def __init__(self, root: LexborNode) -> None:
        has_marks = any(is_note_mark(link) for link in root.css("a[href^='#']"))
        found = root.css(_MAY_BE_NOTES)[:_MOST_NOTES] if has_marks else []
        self._notes = {
            name: note
            for note in found
            if (name := note.attributes.get("id")) and says(note, _NOTES) and note.text().strip()
        }
        self._places = {note.mem_id: name for name, note in self._notes.items()}
        self._told: set[str] = set()

    def wanted_by(self, mark: LexborNode) -> LexborNode | None:
        """The note that a mark refers to, the first time."""
        name = (mark.attributes.get("href") or "").partition("#")[2]
        if name in self._told or name not in self._notes:
            return None
        self._told.add(name)
        return self._notes[name]

    def is_told(self, node: LexborNode) -> bool:
        """Whether an element is a note that was told already."""
        name = self._places.get(node.mem_id)
        return name is not None and name in self._told


def is_note_mark(link: LexborNode) -> bool:
    """Whether a link is the mark of a note: it says so, or it is a raised number that leads to a place of its page."""
    if says(link, NOTE_MARKS):
        return True
    parent = link.parent
    leads_inside = (link.attributes.get("href") or "").startswith("#")
    is_raised = parent is not None and parent.tag == "sup"
    return is_raised and leads_inside and bool(_DIGITS.fullmatch(link.text().strip()))


def says(node: LexborNode, kinds: frozenset[str]) -> bool:
    """Whether an element says that it is one of these, as books and pages do."""
    attributes = node.attributes
    said = f"{attributes.get('role') or ''} {attributes.get('epub:type') or ''}"
    return not kinds.isdisjoint(said.split())
