"""A server with a few people, keys and collections, to be called without a network."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx2 as httpx
from argon2 import PasswordHasher
from tests.unit.consulting import NOTES

from sourcebook import AsyncSourcebook, Settings
from sourcebook.faces.http.app import create_app
from sourcebook.faces.http.auth.identification import ServerGate
from sourcebook.model.accounts import AccountRole
from sourcebook.people.passwords import Passwords
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from fastapi import FastAPI

    from sourcebook.ports.chat import ChatModel

PASSWORD = "three brown walnuts"
SECRET = "The vault opens with the word marzipan. The word for the vault is changed on Mondays."
SECRET_QUESTION = "Which word opens the vault?"
OWN = "http://kb.test"


@dataclass
class ServerDesk:
    """An open base behind a server. `keys` are named after their roles; `bound` sees only `default`."""

    book: AsyncSourcebook
    app: FastAPI
    gate: ServerGate
    keys: dict[str, str]

    def client(
        self, key: str | None = None, *, address: str = "203.0.113.7", base_url: str = OWN, **headers: str
    ) -> httpx.AsyncClient:
        """A caller with the key of this name, from this address."""
        if key is not None:
            headers["Authorization"] = f"Bearer {self.keys.get(key, key)}"
        transport = httpx.ASGITransport(self.app, client=(address, 1234))
        return httpx.AsyncClient(transport=transport, base_url=base_url, headers=headers)


@asynccontextmanager
async def server_desk(
    db: str,
    *,
    host: str = "0.0.0.0",  # noqa: S104 - nothing listens
    chat_model: ChatModel | None = None,
    with_people: bool = True,
    make_gate: Callable[[AsyncSourcebook, Settings, str], Any] = ServerGate,
    **settings: Any,
) -> AsyncGenerator[ServerDesk, None]:
    chosen = Settings.model_validate({"db": db, "draft_answers": "none", "price_new_topic": 0, **settings})
    book = AsyncSourcebook(settings=chosen, embedder=FakeEmbedder(), chat_model=chat_model, face="http")
    async with book:
        quick_passwords(book)
        for name, text in NOTES.items():
            await book.add_text(text, id=name, title=name.title())
        await book.add_text(SECRET, id="vault", title="Vault", collection="secret")
        keys = await _people(book) if with_people else {}
        gate = make_gate(book, chosen, host)
        yield ServerDesk(book, create_app(book, chosen, gate), gate, keys)


async def _people(book: AsyncSourcebook) -> dict[str, str]:
    keys: dict[str, str] = {}
    for role in AccountRole:
        await book.accounts.add(role.value, PASSWORD, role=role)
        keys[role.value] = (await book.keys.create(f"{role.value}'s", role=role, account=role.value)).secret
        bound = await book.keys.create(f"bound {role.value}", role=role, collections=["default"])
        keys[f"bound {role.value}"] = bound.secret
    await book.accounts.add("bound", PASSWORD, role=AccountRole.READER, collections=["default"])
    return keys


def quick_passwords(book: AsyncSourcebook) -> None:
    """Hashes that take no time: what is tested is not their strength."""
    use_passwords(book, Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)))


def use_passwords(book: AsyncSourcebook, passwords: Passwords) -> None:
    book._connection._passwords = passwords  # pyright: ignore[reportPrivateUsage]
