"""L08: a server under mixed load for a long time keeps its memory, its files and its log as they were.

`SOURCEBOOK_SOAK_SECONDS` says for how long; without it, two hours on each database.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from tests.faces.http_server import PATIENCE, serving, until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.faces.http_server import Process

SECONDS = float(os.environ.get("SOURCEBOOK_SOAK_SECONDS", "7200"))
PEOPLE = 3
KEPT = 12
"""How many documents a person leaves in the base; older ones are removed as new ones come."""
MOST_MB_AN_HOUR = 8.0
MOST_OF_SQLITE = 5 * (64 << 20) + (32 << 20)
"""Each of five connections to a base in a file remembers what it read, up to 64 MB: it grows with the base and ends."""
MOST_RESIDENT = 1 << 30
MOST_LOG = 64 << 20
MOST_MORE_FILES = 8
LONG = 10 * PATIENCE
"""It is about what grows, and not about speed: on a machine busy with other things an upload may take minutes."""

PLANTS = ("Leeks", "Peas", "Kale", "Beans", "Onions", "Carrots", "Radishes", "Turnips")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")

AT_START = """
import ctypes, gc, json, os, sys, threading, time

class Figures(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

def keep_saying(path):
    import apsw
    allocator = ctypes.CDLL(None)
    allocator.mallinfo2.restype = Figures
    while True:
        gc.collect()
        found, of_sqlite = allocator.mallinfo2(), apsw.memory_used()
        of_python = 64 * sys.getallocatedblocks()
        held = found.uordblks + found.hblkhd + of_python - of_sqlite
        with open(path + ".new", "w") as file:
            json.dump({"held": held, "of_sqlite": of_sqlite}, file)
        os.replace(path + ".new", path)
        time.sleep(1)

if "serve" in sys.orig_argv:
    threading.Thread(target=keep_saying, args=(PATH,), daemon=True).start()
"""
"""What the server's Python runs first, so that it says what of its memory is in use, and what of that is SQLite's.

The resident memory alone tells no leak: a connection drops the pages that it remembers whenever another one wrote, and
each thread keeps the room for as many as there ever were. Small objects of Python are counted, at 64 bytes each.
"""

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").exists() or not hasattr(ctypes.CDLL(None), "mallinfo2"),
    reason="reads /proc, and asks the allocator of GNU/Linux",
)


@dataclass
class Seen:
    """What the server used at one time."""

    at: float
    resident: int
    files: int
    log: int
    held: int
    """How much memory is in use, without SQLite's."""
    of_sqlite: int


@dataclass
class Person:
    """Somebody who asks, searches, uploads and removes, in any order, and remembers what must be there."""

    url: str
    number: int
    documents: dict[str, str] = field(default_factory=dict[str, str])
    """What was uploaded and not removed: the month that each document names, by its id."""
    done: int = 0
    faults: list[str] = field(default_factory=list[str])

    def live(self, is_over: Callable[[], bool]) -> None:
        chance = random.Random(self.number)
        with httpx2.Client(base_url=self.url, timeout=LONG) as client:
            acts = [self.ask, self.ask, self.search, self.upload, self.list_documents, self.open_page]
            while not is_over() and not self.faults:
                try:
                    # There is nothing to ask before something was uploaded.
                    (chance.choice(acts) if self.documents else self.upload)(client, chance)
                except Exception as error:
                    self.faults.append(repr(error))
                self.done += 1

    def ask(self, client: httpx2.Client, chance: random.Random) -> None:
        wanted = chance.choice(["When are Leeks sown?", "When are Peas sown?", "Who founded the club?"])
        _read(client.post("/api/ask", json={"question": wanted}))

    def search(self, client: httpx2.Client, chance: random.Random) -> None:
        _read(
            client.post("/api/search", json={"query": f"{chance.choice(PLANTS)} in {chance.choice(MONTHS)}"})
        )

    def list_documents(self, client: httpx2.Client, chance: random.Random) -> None:
        _read(client.get("/api/documents", params={"limit": chance.randint(1, 20)}))

    def open_page(self, client: httpx2.Client, chance: random.Random) -> None:
        assert client.get(chance.choice(["/", "/healthz", "/metrics"])).status_code < 500

    def upload(self, client: httpx2.Client, chance: random.Random) -> None:
        plant, month = chance.choice(PLANTS), chance.choice(MONTHS)
        text = f"# {plant} of person {self.number}\n\nNo. {self.done}: {plant} are sown in {month}.\n"
        sent = _read(
            client.post("/api/documents", files=[("files", (f"{self.number}-{self.done}.md", text))])
        )
        (job,) = sent["jobs"]
        over = until(lambda: _if_over(_read(client.get(f"/api/jobs/{job['id']}"))["job"]), LONG)
        assert over["status"] == "done", over
        self.documents[over["document_id"]] = text
        while len(self.documents) > KEPT:
            oldest = next(iter(self.documents))
            assert client.delete(f"/api/documents/{oldest}").status_code < 300
            del self.documents[oldest]


def _if_over(job: dict[str, Any]) -> dict[str, Any] | None:
    return job if job["status"] in ("done", "failed") else None


def _read(response: httpx2.Response) -> Any:
    assert response.status_code < 300, f"{response.status_code}: {response.text}"
    return response.json()


def _seen(process: int, db: str, folder: Path) -> Seen:
    own = Path(f"/proc/{process}")
    pages = int((own / "statm").read_text().split()[1])
    log = Path(f"{db}-wal")
    said = json.loads(_said(folder).read_text())
    return Seen(
        at=time.monotonic(),
        resident=pages * os.sysconf("SC_PAGE_SIZE"),
        files=sum(1 for _ in (own / "fd").iterdir()),
        log=log.stat().st_size if log.exists() else 0,
        held=said["held"],
        of_sqlite=said["of_sqlite"],
    )


def _slope(seen: Sequence[Seen]) -> float:
    """By how many megabytes an hour the memory in use grew, over the later half: by then everything was used once."""
    later = seen[len(seen) // 2 :]
    begin = later[0].at
    grown = linear_regression([each.at - begin for each in later], [each.held / 1e6 for each in later])
    return 3600 * grown.slope


def _load(
    server: Process, db: str, folder: Path, is_over: Callable[[int], bool], pause: float
) -> tuple[list[Person], list[Seen]]:
    """Let people use the server until it is over, by how much they did. Looks at the server now and then."""
    people = [Person(server.url, number) for number in range(PEOPLE)]

    def ended() -> bool:
        return is_over(sum(person.done for person in people)) or any(person.faults for person in people)

    threads = [threading.Thread(target=person.live, args=(ended,)) for person in people]
    for thread in threads:
        thread.start()
    seen: list[Seen] = []
    until(_said(folder).exists)
    while any(thread.is_alive() for thread in threads):
        seen.append(_seen(server.process.pid, db, folder))
        time.sleep(pause)
    for thread in threads:
        thread.join()
    return people, seen


def _require_whole(server: Process, people: Sequence[Person]) -> None:
    """Everything that was acknowledged is there as it was sent, and nothing is at work any more."""
    assert not [fault for person in people for fault in person.faults]
    with httpx2.Client(base_url=server.url, timeout=PATIENCE) as client:
        for person in people:
            for document, text in person.documents.items():
                assert client.get(f"/api/documents/{document}/text").text.strip() == text.strip()
        jobs = _read(client.get("/api/jobs"))["jobs"]
        assert not [job for job in jobs if _if_over(job) is None]


def _said(folder: Path) -> Path:
    """Where the server says how its memory is used."""
    return folder / "memory.json"


def _surroundings(folder: Path) -> dict[str, str]:
    at_start = folder / "at start"
    at_start.mkdir()
    (at_start / "sitecustomize.py").write_text(AT_START.replace("PATH", repr(str(_said(folder)))))
    return {
        "PYTHONPATH": os.pathsep.join([str(at_start), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        "SOURCEBOOK_FILES": str(folder / "files"),
        "SOURCEBOOK_REQUESTS_PER_MINUTE": "1000000",
        "SOURCEBOOK_QUESTIONS_PER_MINUTE": "1000000",
    }


LEAKS = """
import apsw
kept, base = [], apsw.Connection(":memory:")
base.execute("create table pages (content blob)")
for said in iter(input, "end"):
    if said == "large":
        kept.append(bytearray(20_000_000))
    elif said == "small":
        kept.append([object() for _ in range(400_000)])
    else:
        base.execute("insert into pages values (zeroblob(20000000))")
"""


def test_what_a_process_leaks_is_seen_and_what_sqlite_remembers_is_not(tmp_path: Path) -> None:
    """The control: the figures of the test below are not blind."""
    command, own = [sys.executable, "-c", LEAKS, "serve"], {**os.environ, **_surroundings(tmp_path)}
    with subprocess.Popen(command, env=own, stdin=subprocess.PIPE, text=True) as process:

        def seen_after(word: str, is_seen: Callable[[Seen], bool]) -> Seen:
            print(word, file=process.stdin, flush=True)
            return until(lambda: seen if is_seen(seen := _seen(process.pid, "", tmp_path)) else None)

        until(_said(tmp_path).exists)
        first = _seen(process.pid, "", tmp_path)
        pages = seen_after("pages", lambda seen: seen.of_sqlite > first.of_sqlite + 19_000_000)
        assert pages.held < first.held + 10_000_000
        large = seen_after("large", lambda seen: seen.held > pages.held + 19_000_000)
        seen_after("small", lambda seen: seen.held > large.held + 19_000_000)
        print("end", file=process.stdin, flush=True)
        assert process.wait(PATIENCE) == 0


def test_a_server_in_use_loses_nothing_and_opens_no_more_files_than_at_first(db: str, tmp_path: Path) -> None:
    with serving(db, tmp_path, **_surroundings(tmp_path)) as server:
        people, first = _load(server, db, tmp_path, lambda done: done >= 60, 0.05)
        _require_whole(server, people)
        people, later = _load(server, db, tmp_path, lambda done: done >= 120, 0.05)
        _require_whole(server, people)
        most = max(each.files for each in first)
        assert max(each.files for each in later) <= most + MOST_MORE_FILES
        assert max(each.log for each in later) <= MOST_LOG
    assert not [line for line in server.said if "Traceback" in line]


@pytest.mark.soak
@pytest.mark.timeout(SECONDS + 2 * LONG)
def test_hours_of_mixed_load_leave_memory_files_and_log_as_they_were(db: str, tmp_path: Path) -> None:
    with serving(db, tmp_path, **_surroundings(tmp_path)) as server:
        end = time.monotonic() + SECONDS
        people, seen = _load(server, db, tmp_path, lambda _: time.monotonic() > end, max(1.0, SECONDS / 720))
        half = len(seen) // 2
        figures = {
            "seconds": SECONDS,
            "acts": sum(person.done for person in people),
            "megabytes an hour": round(_slope(seen), 2),
            "resident MB": [round(each.resident / 1e6) for each in (seen[0], seen[half], seen[-1])],
            "in use MB": [round(each.held / 1e6, 1) for each in (seen[0], seen[half], seen[-1])],
            "of SQLite MB": [round(each.of_sqlite / 1e6) for each in (seen[0], seen[half], seen[-1])],
            "files": [seen[0].files, seen[half].files, seen[-1].files],
            "log MB": round(max(each.log for each in seen) / 1e6, 1),
        }
        print(json.dumps(figures))
        _require_whole(server, people)
        assert _slope(seen) <= MOST_MB_AN_HOUR, figures
        assert seen[-1].files <= max(each.files for each in seen[:half]) + MOST_MORE_FILES
        assert max(each.log for each in seen) <= MOST_LOG
        assert max(each.of_sqlite for each in seen) <= MOST_OF_SQLITE
        assert max(each.resident for each in seen) <= MOST_RESIDENT
    assert not [line for line in server.said if "Traceback" in line]
