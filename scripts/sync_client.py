"""Write src/sourcebook/sync.py, the client without await, from the async client and its doors.

A test fails while the file differs from what this makes.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache
from inspect import Parameter
from pathlib import Path
from textwrap import indent
from typing import Any

from sourcebook.client import AsyncSourcebook
from sourcebook.doors.earlier_names import EarlierNames

TARGET = Path(__file__).parent.parent / "src" / "sourcebook" / "sync.py"

HEAD = '''"""The same client without await. `make docs` writes it from the async client and its doors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
{runtime}

if TYPE_CHECKING:
    from types import TracebackType
{typing}
'''

BOOK = '''
class Sourcebook:
    """A base: `with Sourcebook("data/knowledge_base.db") as book: …`. May be used from several threads at once.

{promise}
    """

    def __init__({parameters}) -> None:
        self._book = AsyncSourcebook({arguments})
        self._waiter = Waiter(self._book)

    def open(self) -> Self:
        {open}
        self._waiter.open()
        return self

    def close(self) -> None:
        {close}
        self._waiter.close()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

'''

Function = Callable[..., Any]
WRITTEN_ABOVE = {"open", "close"}


def client() -> str:
    """The whole file, as it should be."""
    found = doors()
    classes = [_door(kind) for kind in found.values()]
    functions = [f for kind in (AsyncSourcebook, *found.values()) for f in _functions(kind)]
    functions += [f for kind in found.values() for f in _getters(kind)]
    runtime = {f"from {kind.__module__} import {kind.__name__}" for kind in (AsyncSourcebook,)}
    runtime |= {"from sourcebook.ports.forward import forward"}
    runtime |= {"from sourcebook.sync_loop import BlockingStores, Waiter"}
    runtime |= set(_imports(_defaults(functions)))
    doors_imported = {f"from {kind.__module__} import {kind.__name__}" for kind in found.values()}
    typing = set(_imports(_annotations(functions))) | doors_imported
    head = HEAD.format(
        runtime="\n".join(sorted(runtime)), typing=indent("\n".join(sorted(typing - runtime)), "    ")
    )
    return _formatted(head + "\n".join(classes) + _book(found))


def doors() -> dict[str, type]:
    """The properties of the client that lead to doors, with their classes."""
    found: dict[str, type] = {}
    for name, member in vars(AsyncSourcebook).items():
        if isinstance(member, property) and name != "stores":
            found[name] = _class_of(member)
    return found


def _class_of(member: property) -> type:
    function = _getter(member)
    name = inspect.signature(function).return_annotation
    line = _names_of(function.__module__)[name]
    module = line.split()[1]
    return getattr(sys.modules.get(module) or __import__(module, fromlist=[name]), name)


def _getter(member: property) -> Function:
    assert member.fget is not None  # noqa: S101 - these can be read
    return member.fget


def _functions(kind: type) -> list[Function]:
    """The public methods, in the order in which they are written."""
    return [
        member
        for name, member in vars(kind).items()
        if inspect.isfunction(member)
        and (not name.startswith("_") or (name == "__init__" and kind is AsyncSourcebook))
    ]


def _getters(kind: type) -> list[Function]:
    return [_getter(m) for n, m in vars(kind).items() if isinstance(m, property) and not n.startswith("_")]


def _book(doors: dict[str, type]) -> str:
    made = AsyncSourcebook.__init__
    _, _, promise = inspect.cleandoc(AsyncSourcebook.__doc__ or "").partition("\n\n")
    named = [p.name for p in inspect.signature(made).parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
    text = BOOK.format(
        promise=indent(promise, "    "),
        parameters=_parameters(made),
        arguments=", ".join(["db", *(f"{name}={name}" for name in named)]),
        open=_docstring(AsyncSourcebook.open),
        close=_docstring(AsyncSourcebook.close),
    )
    for name, member in vars(AsyncSourcebook).items():
        if isinstance(member, property):
            made = (
                "BlockingStores(self._waiter, self._book)" if name == "stores" else _opened(name, doors[name])
            )
            text += _property(name, _getter(member), made.partition("(")[0], made)
        elif inspect.iscoroutinefunction(member) and not name.startswith("_") and name not in WRITTEN_ABOVE:
            text += _method(name, member, f"self._book.{name}")
    return text + "".join(_earlier_names(doors))


def _opened(name: str, kind: type) -> str:
    return f"{_sync_name(kind)}(self._waiter, self._book.{name})"


def _earlier_names(doors: dict[str, type]) -> Iterator[str]:
    for name, member in vars(EarlierNames).items():
        if hasattr(member, "forwarded_to"):
            door, method = member.forwarded_to
            yield f'    {name} = forward("{door}", {_sync_name(doors[door])}.{method})\n'


def _sync_name(kind: type) -> str:
    return f"Sync{kind.__name__}"


def _door(kind: type) -> str:
    text = f'''
class {_sync_name(kind)}:
    """{inspect.cleandoc(kind.__doc__ or "")}"""

    def __init__(self, waiter: Waiter, door: {kind.__name__}) -> None:
        self._waiter = waiter
        self._door = door

'''
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            getter = _getter(member)
            text += _property(name, getter, inspect.signature(getter).return_annotation, f"self._door.{name}")
        elif inspect.iscoroutinefunction(member):
            text += _method(name, member, f"self._door.{name}")
    return text


def _property(name: str, getter: Function, kind: str, value: str) -> str:
    return f"""    @property
    def {name}(self) -> {kind}:
        {_docstring(getter)}
        return {value}

"""


def _method(name: str, function: Function, called: str) -> str:
    signature = inspect.signature(function)
    call = "call_even_closed" if getattr(function, "works_closed", False) else "call"
    arguments = ", ".join([called, *_passed(signature.parameters.values())])
    return f"""    def {name}({_parameters(function)}) -> {signature.return_annotation}:
        {_docstring(function)}
        return self._waiter.{call}({arguments})

"""


def _docstring(function: Function) -> str:
    text = inspect.getdoc(function)
    if not text:
        return ""
    end = "\n" if "\n" in text else ""
    return f'"""{indent(text + end, " " * 8).strip(" ")}{" " * 8 if end else ""}"""'


def _parameters(function: Function) -> str:
    parts: list[str] = []
    star = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or parameter.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
        parts.append(written(parameter))
    return ", ".join(parts)


def written(parameter: Parameter) -> str:
    """A parameter as it stands in a signature."""
    stars = "*" if parameter.kind is Parameter.VAR_POSITIONAL else ""
    text = stars + parameter.name
    if parameter.annotation is not Parameter.empty:
        text += f": {parameter.annotation}"
    if parameter.default is not Parameter.empty:
        text += f" = {_default(parameter.default)}"
    return text


def _default(value: object) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


def _passed(parameters: Iterable[Parameter]) -> Iterator[str]:
    for parameter in list(parameters)[1:]:
        if parameter.kind is Parameter.VAR_POSITIONAL:
            yield f"*{parameter.name}"
        elif parameter.kind is Parameter.KEYWORD_ONLY:
            yield f"{parameter.name}={parameter.name}"
        else:
            yield parameter.name


def _annotations(functions: Iterable[Function]) -> Iterator[tuple[str, str]]:
    """Every name in an annotation, with the module in which it is written."""
    for function in functions:
        signature = inspect.signature(function)
        texts = [p.annotation for p in signature.parameters.values()] + [signature.return_annotation]
        for text in texts:
            if isinstance(text, str):
                for name in re.findall(r"(?<![.\w])[A-Za-z_]\w*", text):
                    yield function.__module__, name


def _defaults(functions: Iterable[Function]) -> Iterator[tuple[str, str]]:
    for function in functions:
        for parameter in inspect.signature(function).parameters.values():
            if isinstance(parameter.default, Enum):
                yield function.__module__, type(parameter.default).__name__


def _imports(names: Iterable[tuple[str, str]]) -> Iterator[str]:
    for module, name in names:
        if not hasattr(builtins, name) and name != "Self":
            yield _names_of(module)[name]


@cache
def _names_of(module: str) -> dict[str, str]:
    """For each name that a module imports or defines, the line that imports it."""
    path = inspect.getsourcefile(sys.modules[module])
    tree = ast.parse(Path(path or "").read_text("utf-8"))
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name: f"from {node.module} import {alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name: f"import {alias.name}" for alias in node.names}
        elif isinstance(node, ast.ClassDef):
            found[node.name] = f"from {module} import {node.name}"
    return found


def _formatted(text: str) -> str:
    for command in (("check", "--quiet", "--select", "F401,I", "--fix"), ("format",)):
        text = subprocess.run(  # noqa: S603 - our own formatter
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(TARGET), "-"],
            input=text,
            capture_output=True,
            encoding="utf-8",
            check=True,
            cwd=TARGET.parents[2],
        ).stdout
    return text


def main() -> None:
    TARGET.write_text(client(), encoding="utf-8")


if __name__ == "__main__":
    main()
