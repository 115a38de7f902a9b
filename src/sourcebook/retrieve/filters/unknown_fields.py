"""Which fields of a filter no document has: most often, a name was mistyped."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

from sourcebook.model.search import And, Not, Or, SearchWarning, WarningCode
from sourcebook.retrieve.filters.filter_meaning import NAMED_COLUMNS, parse_field

if TYPE_CHECKING:
    from sourcebook.model.search import MetadataFilter


def unknown_fields(tree: MetadataFilter, metadata_names: Collection[str]) -> list[SearchWarning]:
    """A warning for each field that is neither a named column nor in any metadata, with the nearest name."""
    fields = {name: parse_field(name) for name in _names(tree)}
    return [
        _warning(name, field.segments[0], metadata_names)
        for name, field in fields.items()
        if field.column is None and field.segments[0] not in metadata_names
    ]


def _names(tree: MetadataFilter) -> Iterator[str]:
    match tree:
        case And() | Or():
            for part in tree.filters:
                yield from _names(part)
        case Not():
            yield from _names(tree.filter)
        case _:
            yield tree.field


def _warning(name: str, first: str, metadata_names: Collection[str]) -> SearchWarning:
    nearest = get_close_matches(first, [*NAMED_COLUMNS, *sorted(metadata_names)], n=1)
    meant = f"; did you mean `{nearest[0]}`?" if nearest else "."
    return SearchWarning(WarningCode.UNKNOWN_FIELD, f"No document has a field `{name}`{meant}")
