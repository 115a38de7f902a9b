"""A real PgBouncer in front of a database of the tests."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

from tests.postgres_server import PATIENCE, free_port, unprivileged


def program() -> str | None:
    """Where PgBouncer is; Debian keeps it where only root looks."""
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@contextmanager
def pooled(direct: str, *, servers: int = 2) -> Generator[str]:
    """The address of a pooler that lends so many connections to the database at `direct`, each for one transaction."""
    found = program()
    assert found is not None
    user, group = unprivileged()
    port, database = free_port(), urlsplit(direct).path.lstrip("/")
    folder = Path(tempfile.mkdtemp(prefix="sourcebook-pool-"))
    if user is not None and group is not None:
        os.chown(folder, user, group)
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"""[databases]
{database} = {_connection(direct)}
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = {servers}
max_client_conn = 100
server_reset_query_always = 0
"""
    )
    process = subprocess.Popen(
        [found, "--quiet", str(settings)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=user,
        group=group,
        extra_groups=None if user is None else [],
    )
    try:
        _wait_for(folder / f".s.PGSQL.{port}", process)
        yield f"postgresql://postgres@/{database}?host={quote(str(folder), safe='')}&port={port}"
    finally:
        process.terminate()
        process.wait(PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)


def _connection(address: str) -> str:
    """An address in the words of PgBouncer's settings."""
    parts, asked = urlsplit(address), parse_qs(urlsplit(address).query)
    host = parts.hostname or asked["host"][0]
    port = parts.port or asked.get("port", ["5432"])[0]
    password = f" password={unquote(parts.password)}" if parts.password else ""
    return f"host={host} port={port} user={unquote(parts.username or 'postgres')}{password}"


def _wait_for(place: Path, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, "pgbouncer did not start"
        if place.exists():
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(place)) == 0:
                    return
        time.sleep(0.01)
    raise AssertionError("pgbouncer is not ready")
