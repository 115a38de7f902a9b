"""The page docs/reference/python.md: every public class and method with its signature, promise and fields."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from inspect import Parameter
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import sourcebook
from scripts import sync_client
from sourcebook import AsyncSourcebook, SourcebookError
from sourcebook.doors.earlier_names import EarlierNames

WIDTH = 100
HEAD = """# Python

What `sourcebook` exports is public; everything else may change without notice.

```python
from sourcebook import RetrievalConfig, RetrievalMode, Sourcebook

with Sourcebook("data/knowledge_base.db") as book:
    book.add("docs/")
    config = RetrievalConfig(mode=RetrievalMode.HYBRID, top_k=5)
    for result in book.search("When do I prune raspberries?", config):
        print(result.score, result.document_path, result.chunk.content)
```

`AsyncSourcebook` has the same methods and doors for async code: `await book.search(…)`.
How to plug in [a model](../how-to/own-models.md) or [a store](../how-to/own-stores.md) of your own.

"""
ELSEWHERE = {
    "Settings": "All settings; [settings.md](settings.md) lists every field.",
    "SourcebookError": "The root of all errors: [errors.md](errors.md).",
}
Function = Callable[..., Any]


def page() -> str:
    classes = {n: k for n in sourcebook.__all__ if isinstance(k := getattr(sourcebook, n), type)}
    choices = {n: k for n, k in classes.items() if issubclass(k, Enum)}
    clients = {"AsyncSourcebook", "Sourcebook"}
    rest = {n: k for n, k in classes.items() if n not in clients and n not in choices}
    rest |= {kind.__name__: kind for kind in sync_client.doors().values()}
    return (
        HEAD
        + "".join(_client())
        + "## Classes\n\n"
        + "".join(part for name, kind in sorted(rest.items()) for part in _class(name, kind))
        + "## Choices\n\nIn JSON and on the command line each is written as its value.\n\n"
        + "".join(part for name, kind in sorted(choices.items()) for part in _choice(name, kind))
        + "## Functions, types and values\n\n"
        + "".join(part for name in sourcebook.__all__ if name not in classes for part in _other(name))
    ).rstrip() + "\n"


def _client() -> Iterator[str]:
    yield "## The client\n\n"
    yield _code("Sourcebook", AsyncSourcebook.__init__, "")
    yield _text(inspect.getdoc(sourcebook.Sourcebook))
    for name, member in vars(AsyncSourcebook).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            yield from _method("book", name, member)
    yield "### Doors\n\n| door | class | what it is for |\n|---|---|---|\n"
    doors = sync_client.doors()
    for name, member in vars(AsyncSourcebook).items():
        if isinstance(member, property):
            kind = (
                f"[`{doors[name].__name__}`](#{doors[name].__name__.lower()})"
                if name in doors
                else "`Stores`"
            )
            yield f"| `book.{name}` | {kind} | {_line(inspect.getdoc(member))} |\n"
    yield "\n### Earlier names\n\nThey stay, and are what stands at the doors.\n\n| name | is |\n|---|---|\n"
    for name, member in vars(EarlierNames).items():
        if hasattr(member, "forwarded_to"):
            yield f"| `book.{name}` | `book.{'.'.join(member.forwarded_to)}` |\n"
    yield "\n"


def _class(name: str, kind: Any) -> Iterator[str]:
    yield f"### {name}\n\n"
    if name in ELSEWHERE:
        yield _text(ELSEWHERE[name])
    else:
        yield _constructor(name, kind)
        yield _text(_written_doc(kind))
    if dataclasses.is_dataclass(kind):
        yield from _fields(kind)
    for member_name, member in _members(kind):
        if isinstance(member, property):
            yield from _property(name, member_name, member)
        else:
            yield from _method(name, member_name, member)


def _constructor(name: str, kind: Any) -> str:
    """How one is made, unless its fields say so, the client makes it, or it is for others to write."""
    made = kind.__dict__.get("__init__")
    if dataclasses.is_dataclass(kind) or kind in sync_client.doors().values() or _is_protocol(kind):
        return ""
    return _code(name, made, "") if inspect.isfunction(made) else ""


def _is_protocol(kind: type) -> bool:
    return bool(getattr(kind, "_is_protocol", False))


def _members(kind: Any) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that were written in this house, in their order."""
    seen: set[str] = set()
    owners: tuple[type, ...] = kind.__mro__
    for owner in owners:
        if not owner.__module__.startswith("sourcebook"):
            continue
        for name, member in tuple(vars(owner).items()):
            plain = getattr(member, "__func__", member)
            public = not name.startswith("_") and name not in seen
            if public and (inspect.isfunction(plain) or isinstance(plain, property)):
                seen.add(name)
                yield name, plain


def _method(owner: str, name: str, function: Function) -> Iterator[str]:
    yield f"#### `{owner}.{name}`\n\n"
    yield _code(name, function, _returned(function))
    yield _text(inspect.getdoc(function))


def _property(owner: str, name: str, member: property) -> Iterator[str]:
    returned = "" if member.fget is None else inspect.signature(member.fget).return_annotation
    yield f"#### `{owner}.{name}`\n\n```python\n{name}: {returned}\n```\n\n"
    yield _text(inspect.getdoc(member))


def _returned(function: Function) -> str:
    returned = inspect.signature(function).return_annotation
    return "" if returned is inspect.Signature.empty else f" -> {returned}"


def _code(name: str, function: Function, returned: str) -> str:
    parts = _parameters(function)
    line = f"{name}({', '.join(parts)}){returned}"
    if len(line) > WIDTH:
        line = f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returned}"
    return f"```python\n{line}\n```\n\n"


def _parameters(function: Function) -> list[str]:
    parts: list[str] = []
    star = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "cls") and not parts:
            continue
        if parameter.kind is Parameter.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or parameter.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
        parts.append(sync_client.written(parameter))
    return parts


def _fields(kind: Any) -> Iterator[str]:
    notes = _notes_of(kind)
    fields = dataclasses.fields(kind)
    if not fields:
        return
    rows = [[f"`{f.name}`", _cell(str(f.type)), _default(f), _line(notes.get(f.name))] for f in fields]
    yield _table(["field", "type", "default", "meaning"], rows)


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        value = field.default
        return f"`{type(value).__name__}.{value.name}`" if isinstance(value, Enum) else f"`{value!r}`"
    if field.default_factory is not dataclasses.MISSING:
        made = field.default_factory
        return f"`{getattr(made, '__name__', 'made')}()`" if isinstance(made, type) else "made anew"
    return ""


def _choice(name: str, kind: type[Enum]) -> Iterator[str]:
    yield f"### {name}\n\n"
    yield _text(_written_doc(kind))
    notes = _notes_of(kind)
    rows = [[f"`{member.name}`", f"`{member.value}`", _line(notes.get(member.name))] for member in kind]
    yield _table(["member", "value", "meaning"], rows)


def _other(name: str) -> Iterator[str]:
    thing = getattr(sourcebook, name)
    if inspect.isroutine(thing):
        yield f"### {name}\n\n"
        yield _code(name, thing, _returned(thing))
        yield _text(inspect.getdoc(thing))
    elif isinstance(thing, str):
        yield f"### {name}\n\nThe version, as text.\n\n"
    else:
        yield f"### {name}\n\nOne of {', '.join(f'`{kind.__name__}`' for kind in get_args(thing))}.\n\n"


def _written_doc(kind: Any) -> str:
    """The docstring, where one was written rather than generated."""
    text = inspect.cleandoc(kind.__doc__ or "")
    return "" if text.startswith(kind.__name__ + "(") else text


@cache
def _notes_of(kind: type) -> dict[str, str]:
    """What is written below each field of a class and of those that it builds on."""
    found: dict[str, str] = {}
    for owner in reversed(kind.__mro__):
        if not owner.__module__.startswith("sourcebook"):
            continue
        tree = ast.parse(Path(inspect.getsourcefile(owner) or "").read_text("utf-8"))
        bodies = [n.body for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == owner.__name__]
        for body in bodies:
            for statement, note in pairwise(body):
                named = _named(statement)
                if named and isinstance(note, ast.Expr) and isinstance(note.value, ast.Constant):
                    found[named] = str(note.value.value)
    return found


def _named(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def _table(head: list[str], rows: list[list[str]]) -> str:
    """A table without the columns in which nothing stands."""
    kept = [n for n in range(len(head)) if any(row[n] for row in rows)]
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line[n] for n in kept) + " |\n" for line in lines) + "\n"


def _text(text: str | None) -> str:
    return f"{text}\n\n" if text else ""


def _line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def _cell(code: str) -> str:
    return f"`{code}`".replace("|", "\\|")


def without_a_promise() -> list[str]:
    """The public classes and methods that say nothing about themselves."""
    silent: list[str] = []
    for name in sourcebook.__all__:
        kind = getattr(sourcebook, name)
        if isinstance(kind, type) and not issubclass(kind, Enum | SourcebookError):
            silent += [] if _written_doc(kind) else [name]
            silent += [f"{name}.{each}" for each, member in _members(kind) if not inspect.getdoc(member)]
    return silent
