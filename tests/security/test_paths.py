"""S05, B06: a name that somebody gives is never a path. Whatever it says, nothing outside is read or written."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import apsw
import pytest
from tests.faces.http_server import Served, served
from tests.faults.keepers import restore
from tests.security.path_payloads import PATHS

from sourcebook import Sourcebook
from sourcebook.errors import BackupDamaged
from sourcebook.storage.sqlite.base_files import stored_files_of
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    import httpx2

CANARY = "the canary sings at dawn"
STORED_NAME = re.compile(r"[a-z2-7]{2}/[a-z2-7]{32}")
ROUTES = ("/static/{}", "/api/documents/{}/text", "/api/documents/{}/pages/1")
MANY = 100


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with something in it that nobody may read, and a base deep inside."""
    folder = tmp_path_factory.mktemp("paths")
    (folder / "a" / "b").mkdir(parents=True)
    for place in (folder, folder / "a", folder / "a" / "b"):
        (place / "canary.txt").write_text(CANARY)
    return folder


@pytest.fixture(scope="module")
def server(home: Path) -> Generator[Served]:
    with served(str(home / "a" / "b" / "base.db"), notes={}) as made:
        yield made


def test_there_are_enough_of_them() -> None:
    assert len(PATHS) >= 200


def read(response: httpx2.Response) -> str:
    assert response.status_code < 500, response.request.url
    return response.text


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_outside_is_ever_read(server: Served, route: str) -> None:
    leaked: list[str] = []
    for path in PATHS:
        said = read(server.client.get(route.format(quote(path, safe=""))))
        if CANARY in said or "root:" in said or "SQLite format" in said or "PATH=" in said:
            leaked.append(path)
    assert leaked == []


def test_an_upload_is_kept_under_a_name_of_our_own(server: Served, home: Path) -> None:
    files = stored_files_of(Path(server.db))
    outside = content_of(home, files)
    # Every fifth: reading a file takes its time, and each is named by the same few lines.
    names = PATHS[::5]
    for start in range(0, len(names), MANY):
        parts = [
            ("files", (path, f"File {start + number} is called {path!a}.".encode()))
            for number, path in enumerate(names[start : start + MANY])
        ]
        sent = server.client.post("/api/documents", files=parts)
        assert sent.status_code == 202, sent.text
        for job in sent.json()["jobs"]:
            server.finished(job["id"])
    kept = [file.relative_to(files).as_posix() for file in files.rglob("*") if file.is_file()]
    assert len(kept) > 40
    assert [name for name in kept if not STORED_NAME.fullmatch(name)] == []
    assert content_of(home, files) == outside


def content_of(folder: Path, without: Path) -> dict[str, int]:
    """The files in a folder that are not the base's own."""
    found = (file for file in folder.rglob("*") if file.is_file() and not file.is_relative_to(without))
    return {str(file): file.stat().st_size for file in found if "base.db" not in str(file)}


def plant(base: Path, name: str) -> None:
    """Say in the base that an upload lies somewhere else."""
    opened: Any = apsw.Connection(str(base))
    with closing(opened) as connection:
        connection.execute("update documents set stored_file = ? where stored_file is not null", (name,))


@pytest.mark.parametrize("name", ["../canary.txt", "../../canary.txt", "/etc/passwd", "ab/../../canary.txt"])
def test_a_base_that_names_a_file_elsewhere_leads_to_none(tmp_path: Path, name: str) -> None:
    base = tmp_path / "deep" / "base.db"
    base.parent.mkdir()
    for place in (tmp_path, tmp_path / "deep"):
        (place / "canary.txt").write_text(CANARY)
    with served(str(base), notes={}) as server:
        (job,) = server.upload({"own.txt": b"An upload of our own."})["jobs"]
        plant(base, name)
        address = f"/api/documents/{job['document_id']}"
        for path in (f"{address}/pages/1", f"{address}/text"):
            assert CANARY not in read(server.client.get(path))
        server.client.delete(address)
    assert (tmp_path / "canary.txt").read_text() == (tmp_path / "deep" / "canary.txt").read_text() == CANARY


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["../escaped", "../../escaped", "ab/../../escaped"])
async def test_a_restored_base_puts_no_file_outside(tmp_path: Path, name: str) -> None:
    base, target = tmp_path / "one" / "base.db", tmp_path / "two" / "deep" / "new.db"
    for folder in (base.parent, target.parent):
        folder.mkdir(parents=True)
    with Sourcebook(str(base), embedder=FakeEmbedder()) as book:
        book.upload("own.txt", b"An upload of our own.")
        book.process_uploads()
    plant(base, name)
    (stored_files_of(base) / "ab").mkdir(exist_ok=True)
    (stored_files_of(base) / name).resolve().write_bytes(b"a file that must not be copied")
    with pytest.raises(BackupDamaged, match="outside"):
        await restore(base, target)
    assert list(target.parent.parent.rglob("escaped*")) == []
