"""A real PgBouncer in front of a server of the tests."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from tests.postgres_server import PATIENCE, Server, free_port, unprivileged


def program() -> str | None:
    """Where PgBouncer is; Debian keeps it where only root looks."""
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@contextmanager
def pooled(server: Server, database: str, *, servers: int = 2) -> Generator[str]:
    """The address of a pooler that lends so many connections to the database, each for one transaction."""
    found = program()
    assert found is not None
    folder, port = server.folder, free_port()
    settings = folder / f"pgbouncer-{port}.ini"
    settings.write_text(
        f"""[databases]
{database} = host={folder} port={server.port} user=postgres
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
    user, group = unprivileged()
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
