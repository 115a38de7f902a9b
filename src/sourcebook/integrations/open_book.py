"""How every adapter opens a base."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import cast

from sourcebook.errors import UsageError
from sourcebook.model.search import And, Equals, In, MetadataFilter
from sourcebook.settings import load
from sourcebook.sync import Sourcebook


def opened_book(book: Sourcebook | None, path: str | os.PathLike[str] | None, url: str | None) -> Sourcebook:
    """The open client that was given, or one for a file or a server. Exactly one of the three is named."""
    if sum(given is not None for given in (book, path, url)) != 1:
        raise UsageError(
            "Name one of `path`, `url` and `book`.", hint="A `path` is a file, a `url` a server."
        )
    if book is not None:
        return book
    address = url if url is not None else os.fspath(path or "")
    return Sourcebook(address, settings=load().settings).open()


def as_filter(given: MetadataFilter | Mapping[str, object] | None) -> MetadataFilter | None:
    """A filter of ours as it is; of a mapping, that every field has its value, or one of a list."""
    if given is None or not isinstance(given, Mapping):
        return given
    parts = [_condition(str(name), value) for name, value in given.items()]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _condition(name: str, value: object) -> MetadataFilter:
    if isinstance(value, list | tuple | set):
        return In(name, tuple(_scalar(name, each) for each in cast("Iterable[object]", value)))
    return Equals(name, _scalar(name, value))


def _scalar(name: str, value: object) -> str | int | float | bool:
    if isinstance(value, str | int | float | bool):
        return value
    raise UsageError(
        f"The filter on {name!r} has a {type(value).__name__}, which cannot be compared.",
        hint="Give text, a number, a bool or a list of them, or a filter such as GreaterThan('year', 2020).",
    )
