"""`python -m benchmarks.speed.http`: many people search while files are uploaded. What does the server cost?

First one person searches alone, over HTTP and through `client.search` in turn: the difference is what HTTP costs. Then
64 search and 8 upload for a minute: is anything refused or lost, and how long does a search take? The server is
`sourcebook serve` in a process of its own, the searchers are in this one, so both share the machine's cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
from tests import postgres_server

from benchmarks.speed.machine import ROOT, commit, machine
from sourcebook import AsyncSourcebook, Settings

BAR_MS = 5.0
CROPS = [
    "raspberries",
    "blueberries",
    "tomatoes",
    "currants",
    "figs",
    "plums",
    "apples",
    "cherries",
    "grapes",
    "beans",
]
_SENTENCE = "The {crop} of bed {bed} are watered in week {week}, early in the morning, before the sun is over the wall."


@dataclass(frozen=True, slots=True)
class Load:
    documents: int
    searchers: int
    uploaders: int
    seconds: float
    alone: int


FULL = Load(documents=1000, searchers=64, uploaders=8, seconds=60.0, alone=300)
QUICK = Load(documents=50, searchers=8, uploaders=2, seconds=5.0, alone=30)


def text(number: int) -> str:
    lines = [
        _SENTENCE.format(crop=CROPS[(number + line) % len(CROPS)], bed=number, week=line)
        for line in range(12)
    ]
    return f"# Bed {number}\n\n" + " ".join(lines)


def question(chance: random.Random) -> str:
    return f"In which week are the {chance.choice(CROPS)} of bed {chance.randrange(1000)} watered?"


@asynccontextmanager
async def serving(settings: Settings) -> AsyncGenerator[str, None]:
    """The address of a server of its own process."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sourcebook", "--db", settings.db, "serve", "--port", "0"),
        env={**os.environ, "SOURCEBOOK_FILES": str(settings.files)},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None  # noqa: S101 - a pipe was asked for
    first = (await process.stderr.readline()).decode()
    found = re.search(r"http://\S+?:\d+", first)
    if found is None:
        raise SystemExit(first + (await process.stderr.read()).decode())
    reading = asyncio.create_task(process.stderr.read())
    try:
        yield found.group()
    finally:
        process.terminate()
        await process.wait()
        await reading


async def alone(settings: Settings, url: str, load: Load) -> dict[str, Any]:
    """The same questions in turn over HTTP and in this process, by one person."""
    chance = random.Random(1)  # noqa: S311 - no secret
    over_http: list[float] = []
    direct: list[float] = []
    async with (
        AsyncSourcebook(settings=settings) as book,
        httpx2.AsyncClient(base_url=url, timeout=60) as client,
    ):
        for number in range(load.alone + 20):
            asked = question(chance)
            begun = time.perf_counter()
            await book.search(asked)
            between = time.perf_counter()
            response = await client.post("/api/search", json={"query": asked})
            ended = time.perf_counter()
            response.raise_for_status()
            if number >= 20:  # what is read for the first time is not what a search costs
                direct.append((between - begun) * 1000)
                over_http.append((ended - between) * 1000)
    return {
        "client_p50_ms": statistics.median(direct),
        "http_p50_ms": statistics.median(over_http),
        "overhead_p50_ms": statistics.median(over_http) - statistics.median(direct),
        "bar_ms": BAR_MS,
    }


async def crowd(url: str, load: Load) -> dict[str, Any]:
    """Searchers and uploaders at once, for a while."""
    end = time.monotonic() + load.seconds
    times: list[float] = []
    statuses: Counter[str] = Counter()
    jobs: list[int] = []
    limits = httpx2.Limits(max_connections=load.searchers + load.uploaders)
    async with httpx2.AsyncClient(base_url=url, timeout=120, limits=limits) as client:

        async def search(seed: int) -> None:
            chance = random.Random(seed)  # noqa: S311 - no secret
            while time.monotonic() < end:
                begun = time.perf_counter()
                try:
                    response = await client.post("/api/search", json={"query": question(chance)})
                except httpx2.HTTPError as error:
                    statuses[f"search {type(error).__name__}"] += 1
                    continue
                times.append((time.perf_counter() - begun) * 1000)
                statuses[f"search {response.status_code}"] += 1

        async def upload(seed: int) -> None:
            number = 0
            while time.monotonic() < end:
                number += 1
                name = f"new-{seed}-{number}.md"
                content = text(10_000 * (seed + 1) + number).encode()
                try:
                    response = await client.post("/api/documents", files=[("files", (name, content))])
                except httpx2.HTTPError as error:
                    statuses[f"upload {type(error).__name__}"] += 1
                    continue
                statuses[f"upload {response.status_code}"] += 1
                if response.status_code == 202:
                    jobs.append(response.json()["jobs"][0]["id"])
                await asyncio.sleep(2.0)

        searchers = [search(seed) for seed in range(load.searchers)]
        await asyncio.gather(*searchers, *(upload(seed) for seed in range(load.uploaders)))
        taken_in = await _taken_in(client, jobs)
    return {
        "searches": len(times),
        "per_second": len(times) / load.seconds,
        "p50_ms": statistics.median(times),
        "p95_ms": statistics.quantiles(times, n=20)[18],
        "statuses": dict(statuses),
        "errors": sum(count for name, count in statuses.items() if name not in ("search 200", "upload 202")),
        "uploads": len(jobs),
        **taken_in,
    }


async def _taken_in(client: httpx2.AsyncClient, jobs: list[int]) -> dict[str, Any]:
    """How long it takes until everything that was acknowledged is a document."""
    begun = time.monotonic()
    outcomes: Counter[str] = Counter()
    for number in jobs:
        while True:
            job = (await client.get(f"/api/jobs/{number}")).json()["job"]
            if job["status"] in ("done", "failed") or time.monotonic() - begun > 600:
                break
            await asyncio.sleep(0.2)
        outcomes[job["status"]] += 1
    return {"taken_in": dict(outcomes), "seconds_until_taken_in": time.monotonic() - begun}


async def measured(settings: Settings, load: Load) -> dict[str, Any]:
    async with AsyncSourcebook(settings=settings) as book:
        for number in range(load.documents):
            await book.add_text(text(number), id=f"bed-{number}", title=f"Bed {number}")
    async with serving(settings) as url:
        by_one = await alone(settings, url, load)
        by_many = await crowd(url, load)
    return {"one person": by_one, "everybody": by_many}


@contextmanager
def postgres_base(given: str | None) -> Generator[str | None]:
    """The address of an empty database, on a server of our own if there are programs for one."""
    programs = None if given else postgres_server.binaries()
    if programs is None:
        yield given
        return
    server = postgres_server.Server(programs)
    server.start()
    try:
        postgres_server.create_database(server.url(), "http")
        yield postgres_server.at_database(server.url(), "http")
    finally:
        server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.http", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke test; its result is not kept")
    parser.add_argument("--documents", type=int, help="how many documents there are before")
    parser.add_argument("--seconds", type=float, help="how long everybody searches and uploads")
    parser.add_argument("--postgres", help="an empty database to measure on, instead of one made for this")
    chosen = parser.parse_args()
    load = QUICK if chosen.quick else FULL
    if chosen.documents:
        load = replace(load, documents=chosen.documents)
    if chosen.seconds:
        load = replace(load, seconds=chosen.seconds)
    found: dict[str, Any] = {}
    with (
        tempfile.TemporaryDirectory(prefix="sourcebook-http-") as folder,
        postgres_base(chosen.postgres) as address,
    ):
        bases = {"sqlite": str(Path(folder) / "base.db")}
        if address:
            bases["postgres"] = address
        for name, db in bases.items():
            settings = Settings(db=db, files=str(Path(folder) / f"{name}-files"))
            found[name] = asyncio.run(measured(settings, load))
    result = {
        "what": "HTTP: searchers and uploads at once",
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "load": asdict(load),
        "results": found,
    }
    print(json.dumps(result, indent=2))
    if not chosen.quick:
        day = datetime.now(UTC).date().isoformat()
        target = ROOT / "benchmarks" / "results" / f"http-{day}.json"
        target.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
