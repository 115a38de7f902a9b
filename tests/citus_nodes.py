"""Servers of a given cluster that may be killed: those that run on this machine, and start again as they were started.

The tests of a server that dies run on a cluster, too, where `tests/citus_cluster.py` has one. Nothing is known of how
it was made: the command, the user and the log of a server are read from its process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Protocol

import anyio
from tests import citus_cluster, postgres_server
from tests.postgres_server import PATIENCE, at_database, connected


class Mortal(Protocol):
    """A server, or a cluster of them, that a test may end and start again."""

    def start(self) -> None: ...

    def kill(self) -> None:
        """End it at once, as `pg_ctl stop -m immediate` does."""
        ...

    def crash(self) -> None:
        """`kill -9` of all its processes."""
        ...

    def settle(self) -> None:
        """Wait until what was committed before it died can be read."""
        ...

    def stop(self) -> None: ...

    def create_database(self, name: str) -> str: ...


@dataclass(frozen=True, slots=True)
class _Life:
    """How a server was started."""

    pid: int
    command: list[str]
    user: int
    group: int
    log: str

    @classmethod
    def of(cls, pid: int) -> _Life:
        process = Path("/proc", str(pid))
        owner = process.stat()
        command = (process / "cmdline").read_bytes().rstrip(b"\0").decode().split("\0")
        command[0] = str((process / "exe").readlink())
        log = str((process / "fd/1").readlink())
        return cls(pid, command, owner.st_uid, owner.st_gid, log if Path(log).is_file() else os.devnull)


class LocalNode:
    """One server of the cluster."""

    def __init__(self, address: str) -> None:
        self.address = address
        folder = anyio.run(_folder, address)
        self._life = _Life.of(int(Path(folder, "postmaster.pid").read_text().split()[0]))
        self._process: subprocess.Popen[bytes] | None = None

    def kill(self) -> None:
        os.kill(self._life.pid, signal.SIGQUIT)
        self._wait_until_gone()

    def crash(self) -> None:
        for pid in [*postgres_server.children(self._life.pid), self._life.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._wait_until_gone()

    def start(self) -> None:
        """Ready when this returns."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self._launch()
            try:
                anyio.run(_require_answer, self.address, self._is_gone)
            except ChildProcessError:
                # After a crash, a process of the former server may take a moment to go.
                assert time.monotonic() < deadline, f"{self.address} does not start"
                time.sleep(0.2)
            else:
                return

    def leave(self) -> None:
        """Let it go on after the tests."""
        if self._process is not None:
            self._process.returncode = 0  # or Python would say that nobody waited for it

    def _launch(self) -> None:
        life = self._life
        is_root = os.geteuid() == 0
        with Path(life.log).open("ab") as log:
            self._process = subprocess.Popen(
                life.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
                start_new_session=True,
                user=life.user if is_root else None,
                group=life.group if is_root else None,
                extra_groups=[] if is_root else None,
            )
        self._life = _Life(self._process.pid, life.command, life.user, life.group, life.log)

    def _wait_until_gone(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self._is_gone():
            assert time.monotonic() < deadline, f"{self.address} does not end"
            time.sleep(0.01)

    def _is_gone(self) -> bool:
        if self._process is not None:
            return self._process.poll() is not None
        return not Path("/proc", str(self._life.pid)).exists()


class MortalCluster:
    """The whole cluster. Those of its servers that are named die, one after another in turn."""

    def __init__(self, *mortals: int) -> None:
        """By their numbers: 0 is the coordinator."""
        self._addresses = citus_cluster.addresses()
        self._mortals = [LocalNode(self._addresses[number]) for number in mortals]
        self._turns = cycle(self._mortals)
        self._dead: LocalNode | None = None
        self._names: list[str] = []

    def kill(self) -> None:
        self._dead = next(self._turns)
        self._dead.kill()

    def crash(self) -> None:
        self._dead = next(self._turns)
        self._dead.crash()

    def start(self) -> None:
        if self._dead is not None:
            self._dead.start()
            self._dead = None

    def settle(self) -> None:
        """Wait for the cluster's own recovery.

        A server that died between the two phases of a commit has its part still prepared when it is back. Citus looks
        for those every `citus.recover_2pc_interval`, a minute unless told otherwise.
        """
        anyio.run(_require_nothing_prepared, self._addresses, self._names)

    def stop(self) -> None:
        """Leave the cluster as it was found."""
        self.start()
        self.settle()
        for name in self._names:
            postgres_server.drop_database(self._addresses[0], name)
        for node in self._mortals:
            node.leave()

    def create_database(self, name: str) -> str:
        """An empty database, spread over the workers, that keeps what it has acknowledged."""
        coordinator = self._addresses[0]
        postgres_server.create_database(coordinator, name)
        self._names.append(name)
        for node in self._addresses:
            postgres_server.execute(node, f'alter database "{name}" set synchronous_commit = on')
        address = at_database(coordinator, name)
        anyio.run(citus_cluster.spread, address)
        return address


async def _folder(address: str) -> str:
    """Where the server keeps its data, which must be on this machine."""
    async with connected(address) as connection:
        return await connection.fetchval("show data_directory")


async def _require_answer(address: str, is_gone: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        if is_gone():
            raise ChildProcessError(address)
        try:
            async with connected(address):
                return
        except Exception:
            assert time.monotonic() < deadline, f"{address} does not answer"
            await anyio.sleep(0.05)


async def _require_nothing_prepared(addresses: Sequence[str], names: Sequence[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    for address in addresses:
        async with connected(address) as connection:
            while await connection.fetchval(
                "select count(*) from pg_prepared_xacts where database = any($1::text[])", list(names)
            ):
                assert time.monotonic() < deadline, f"{address} still has transactions that are prepared"
                await anyio.sleep(0.2)
