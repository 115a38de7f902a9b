"""Print the ten longest functions and files: the tail is where a codebase goes wrong, not the average."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

ROOTS = ("src", "tests", "scripts", "benchmarks")
SHOWN = 10


class Measured(NamedTuple):
    lines: int
    name: str


def functions(path: Path, source: str) -> list[Measured]:
    """Every function of a file with its number of lines, decorators and docstring included."""
    return [
        Measured((node.end_lineno or node.lineno) - node.lineno + 1, f"{path}:{node.lineno} {node.name}")
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def main() -> None:
    sources = {path: path.read_text("utf-8") for root in ROOTS for path in sorted(Path(root).rglob("*.py"))}
    found = [measured for path, source in sources.items() for measured in functions(path, source)]
    files = [Measured(source.count("\n"), str(path)) for path, source in sources.items()]
    for title, measured in (("functions", found), ("files", files)):
        print(f"The longest {title}, in lines:")
        for lines, name in sorted(measured, reverse=True)[:SHOWN]:
            print(f"{lines:6}  {name}")


if __name__ == "__main__":
    main()
