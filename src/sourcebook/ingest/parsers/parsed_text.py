"""What every parser gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue, Metadata


class Section(NamedTuple):
    """A section begins at a code point of the text and goes on to the next. Its path reads `Care > Pruning`."""

    start: int
    path: str


class PageSpan(NamedTuple):
    """A page of a document that has pages, counted from 1, and the span of the text that stands on it."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The text as it will be stored and cited, and what the file says about itself. `kind` is a MIME type."""

    text: str
    title: str | None = None
    metadata: Metadata = field(default_factory=dict[str, "JsonValue"])
    sections: Sequence[Section] = ()
    pages: Sequence[PageSpan] = ()
    kind: str = "text/plain"


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Where a page leads, or what a map of a site lists: addresses of pages, and of further maps.

    `robots` is what the page says to programs like this one: `noindex`, `nofollow`, both or nothing.
    """

    pages: Sequence[str] = ()
    maps: Sequence[str] = ()
    robots: str = ""
