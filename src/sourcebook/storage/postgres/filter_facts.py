"""What filters see of metadata, in a form that a database can search.

Facts are flat: a key of a filter, such as `author.name`, leads to the values that stand there, by their type: `t` for
texts, `n` for numbers, `b` for truth values. Because they are flat, laying the facts of a chunk over those of its
document is what `retrieve.filters` says of fields: the first place that holds one decides. A place that holds something
without values, such as an object, keeps an empty entry.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from sourcebook.retrieve.filters.filter_meaning import MAX_SEGMENTS, NORMAL_FORM_FIELDS, FieldScope
from sourcebook.text.case_and_accents import normal_form

_NOTHING = "{}"
_SCOPES = (f"{FieldScope.CHUNK}.", f"{FieldScope.DOCUMENT}.")
# Where floats begin to be whole numbers, and their shortest form no longer says which.
_WHOLE_FROM = 2.0**53


def facts_of_document(metadata: str) -> str:
    return _facts(metadata, "document")


def facts_of_chunk(metadata: str) -> str:
    return _facts(metadata, "chunk")


def _facts(metadata: str, scope: str) -> str:
    if metadata == _NOTHING:
        return _NOTHING
    flat = dict(_flat(json.loads(metadata), ()))
    scoped = {f"{scope}.{path}": values for path, values in flat.items()}
    # A key that begins with a scope is never looked up outside of it, so what metadata calls so is reached only there.
    anywhere = {path: values for path, values in flat.items() if not path.startswith(_SCOPES)}
    return json.dumps({**anywhere, **scoped}, ensure_ascii=False)


def _flat(
    value: Mapping[str, object], above: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, list[object]]]]:
    for name, inner in value.items():
        # A name with a dot could not be told from two names, and no filter can ask for it.
        if inner is None or "." in name or len(above) == MAX_SEGMENTS:
            continue
        path = (*above, name)
        yield ".".join(path), _by_type(inner, in_normal_form=not above and name in NORMAL_FORM_FIELDS)
        if isinstance(inner, Mapping):
            yield from _flat(cast("Mapping[str, object]", inner), path)


def _by_type(value: object, *, in_normal_form: bool) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for part in cast("Sequence[object]", value) if isinstance(value, list) else (value,):
        match part:
            case bool():
                found.setdefault("b", []).append(part)
            case int() | float():
                found.setdefault("n", []).append(number(part))
            case str():
                found.setdefault("t", []).append(normal_form(part) if in_normal_form else part)
            case _:
                continue
    return found


def number(value: int | float) -> int | float:
    """The number as filters compare it, written so that the database reads exactly this one.

    Integers beyond 64 bits are floats, as everywhere. A large float is written as the integer that it is.
    """
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        try:
            value = float(value)
        except OverflowError:
            # Beyond all floats, and so beyond all that a filter may compare with.
            return _BEYOND if value > 0 else -_BEYOND
    if isinstance(value, float) and abs(value) >= _WHOLE_FROM and math.isfinite(value):
        return int(value)
    return value


_BEYOND = 10**310
