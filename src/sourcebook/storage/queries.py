"""Named SQL, read from files.

A statement stands below a line `-- name: pending_items(limit)`, may have comment lines that say why, and names its
parameters `:limit`. It stands once, in `storage/sql`, if both databases understand it, and else in the folder of each
of them. Where one dialect has work to do and the other has none, the other has the comment alone, and running it does
nothing.

What several statements say alike, such as the columns of a document, stands once below a line
`-- part: document_columns`, and `{document_columns}` in a statement stands for it. A dialect may have parts of its own.

A server that refuses the form of a statement, or does badly with it, has a folder of texts that stand `instead` of
those with the same names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_NAME = re.compile(r"^-- name: (?P<name>[a-z][a-z0-9_]*)\((?P<parameters>[a-z0-9_, ]*)\)$")
_PART = re.compile(r"^-- part: (?P<name>[a-z][a-z0-9_]*)$")
_PLACE_OF_PART = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_PARAMETER = re.compile(r"(?<!:):([a-z][a-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Statement:
    """`derived` are parameters that nobody gives: the dialect makes them of the others."""

    name: str
    parameters: tuple[str, ...]
    sql: str
    why: str = ""
    derived: tuple[str, ...] = ()

    @property
    def is_nothing(self) -> bool:
        return not self.sql


class Queries:
    """The statements of one dialect, by name."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._by_name: dict[str, Statement] = {}
        for statement in statements:
            if statement.name in self._by_name:
                raise ValueError(f"two statements are called {statement.name}")
            self._by_name[statement.name] = statement

    @classmethod
    def read(
        cls, *folders: Traversable, derived: Collection[str] = (), instead: Traversable | None = None
    ) -> Queries:
        """The statements of all the folders. A name that stands in two of them is an error: nothing is overridden.

        But for those in the folder `instead`, each of which replaces one that there is, with the same parameters.
        """
        texts = [text for folder in folders for text in _texts(folder)]
        own_texts = _texts(instead) if instead is not None else []
        parts = _parts(*texts, *own_texts)
        queries = cls(statement for text in texts for statement in parse(text, derived, parts))
        return queries._with(
            cls(statement for text in own_texts for statement in parse(text, derived, parts))
        )

    def _with(self, others: Queries) -> Queries:
        for other in others:
            known = self._by_name.get(other.name)
            if known is None or known.parameters != other.parameters:
                raise ValueError(
                    f"{other.name} stands instead of nothing that is called so, with these parameters"
                )
        return Queries({**self._by_name, **others._by_name}.values())

    def __getitem__(self, name: str) -> Statement:
        return self._by_name[name]

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)


def _texts(folder: Traversable) -> list[str]:
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return [file.read_text(encoding="utf-8") for file in files if file.name.endswith(".sql")]


def parse(
    text: str, derived: Collection[str] = (), parts: Mapping[str, str] | None = None
) -> list[Statement]:
    """The statements of one file. A parameter that is declared and not used, or the reverse, is an error."""
    known = _parts(text) if parts is None else parts
    return [_statement(head, lines, derived, known) for head, lines in _blocks(text) if head.re is _NAME]


def _parts(*texts: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for head, lines in (block for text in texts for block in _blocks(text)):
        if head.re is _PART:
            if head["name"] in found:
                raise ValueError(f"two parts are called {head['name']}")
            found[head["name"]] = _sql(lines)
    return found


def _blocks(text: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """What stands below each line that names a statement or a part."""
    head: re.Match[str] | None = None
    lines: list[str] = []
    for line in text.splitlines():
        found = _NAME.match(line) or _PART.match(line)
        if found is None:
            lines.append(line)
            continue
        if head is not None:
            yield head, lines
        elif any(line.strip() for line in lines):
            raise ValueError(f"text before the first statement: {lines[0]!r}")
        head, lines = found, []
    if head is not None:
        yield head, lines


def _sql(lines: Iterable[str]) -> str:
    return "\n".join(line for line in lines if not line.startswith("--")).strip().removesuffix(";")


def _with_parts(name: str, sql: str, parts: Mapping[str, str]) -> str:
    """The text with its parts in their places. A part may stand in another, but not in itself."""
    rounds = 0
    while places := set(_PLACE_OF_PART.findall(sql)):
        rounds += 1
        if unknown := places - parts.keys():
            raise ValueError(f"{name}: there is no part {sorted(unknown)}")
        # No chain of parts is longer than there are parts.
        if rounds > len(parts):
            raise ValueError(f"{name}: a part contains itself: {sorted(places)}")
        sql = _PLACE_OF_PART.sub(lambda place: parts[place[1]], sql)
    return sql


def _statement(
    head: re.Match[str], lines: list[str], derived: Collection[str], parts: Mapping[str, str]
) -> Statement:
    why = " ".join(line[2:].strip() for line in lines if line.startswith("--"))
    sql = _with_parts(head["name"], _sql(lines), parts)
    declared = tuple(p.strip() for p in head["parameters"].split(",") if p.strip())
    used = set(_PARAMETER.findall(sql))
    made = tuple(sorted(used & set(derived)))
    if sql and used - set(made) != set(declared):
        raise ValueError(f"{head['name']}: declares {sorted(declared)} and uses {sorted(used)}")
    return Statement(head["name"], declared, sql, why, made)
