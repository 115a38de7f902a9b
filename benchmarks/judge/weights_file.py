"""Puts learnt weights into the product's file, which keeps its comments and what is not learnt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TABLE = re.compile(r"\[(\w+)\]")
_NUMBER = re.compile(r"(?P<name>\w+) = (?P<value>\S+)(?P<space> *)(?P<comment>#.*)?")
_COMMENT_AT = 26


def put(file: Path, learnt: Mapping[str, Mapping[str, float]]) -> None:
    """Write the weights of each table. A name that the file does not have is an error: nobody would read it."""
    missing = {(table, name) for table, weights in learnt.items() for name in weights}
    lines: list[str] = []
    table = ""
    for line in file.read_text("utf-8").splitlines():
        if found := _TABLE.fullmatch(line):
            table = found[1]
        found = _NUMBER.fullmatch(line)
        if found and found["name"] in learnt.get(table, {}):
            missing.discard((table, found["name"]))
            changed = f"{found['name']} = {learnt[table][found['name']]}"
            comment = found["comment"]
            lines.append(f"{changed:<{_COMMENT_AT - 1}} {comment}" if comment else changed)
        else:
            lines.append(line)
    if missing:
        raise ValueError(f"{file} has no {', '.join(sorted(f'{table}.{name}' for table, name in missing))}")
    file.write_text("\n".join(lines) + "\n", "utf-8")
