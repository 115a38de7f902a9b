"""What a file's path says about it: its type and its subcategory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

DEFAULT_TYPE = "document"
SUBCATEGORIES_UNDER = "documents"


class TypeRule(NamedTuple):
    """A place, which is a folder if it ends with `/` and else a file, and the type of what lies there."""

    place: str
    type: str

    def fits(self, path: str) -> bool:
        return f"/{self.place}" in path if self.place.endswith("/") else path.endswith(f"/{self.place}")


def parse_rules(text: str) -> tuple[TypeRule, ...]:
    """Parses rules such as `project/docs/=documentation, documents/=document`. The first match wins."""
    rules: list[TypeRule] = []
    for entry in filter(None, map(str.strip, text.split(","))):
        place, equals, kind = (part.strip() for part in entry.rpartition("="))
        if not (place.strip("/") and equals and kind):
            raise ValueError(f"{entry!r} is not a rule such as `project/docs/=documentation`")
        rules.append(TypeRule(place.lstrip("/"), kind))
    return tuple(rules)


DEFAULT_RULES_TEXT = "project/README.md=readme, project/docs/=documentation, documents/=document"
DEFAULT_RULES = parse_rules(DEFAULT_RULES_TEXT)


def type_of(location: PurePath, rules: Sequence[TypeRule] = DEFAULT_RULES) -> str:
    """The type that the rules give to a file at this absolute path."""
    whole = location.as_posix()
    return next((rule.type for rule in rules if rule.fits(whole)), DEFAULT_TYPE)


def subcategory_of(location: PurePath) -> str | None:
    """The folder directly under the innermost `documents/`, if the file lies in one."""
    folders = location.parts[:-1]
    if SUBCATEGORIES_UNDER not in folders:
        return None
    below = len(folders) - folders[::-1].index(SUBCATEGORIES_UNDER)
    return folders[below] if below < len(folders) else None
