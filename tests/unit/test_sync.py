"""The client without await: from several threads, and when somebody forgets something."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sourcebook import Collection, Settings, Sourcebook, UserRole
from sourcebook.errors import CollectionNotFound, NotOpen

PATIENCE = 200.0
"""Seconds after which something that should have happened is taken for hung."""


def book_at(path: Path) -> Sourcebook:
    return Sourcebook(settings=Settings(db=str(path), embedder="none"))


def test_a_program_that_forgets_to_close_ends(tmp_path: Path) -> None:
    script = "import sys; from sourcebook import *; Sourcebook(sys.argv[1]).open().collections()"
    ended = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "base.db")], timeout=PATIENCE, check=False
    )
    assert ended.returncode == 0


def test_opening_from_many_threads_opens_once(tmp_path: Path) -> None:
    before = set(threading.enumerate())

    def ours() -> list[str]:
        return [thread.name for thread in threading.enumerate() if thread not in before]

    book = book_at(tmp_path / "base.db")
    with ThreadPoolExecutor(8) as threads:
        opening = [threads.submit(book.open) for _ in range(8)]
        assert {id(opened.result()) for opened in opening} == {id(book)}
    assert ours().count("sourcebook") == 1
    book.close()
    until = time.monotonic() + PATIENCE
    # Those that it had work are told to end, and nobody waits for it.
    while ours():
        assert time.monotonic() < until, ours()
        time.sleep(0.01)


def test_threads_share_a_book(tmp_path: Path) -> None:
    with book_at(tmp_path / "base.db") as book, ThreadPoolExecutor(8) as threads:
        made = list(threads.map(book.create_collection, [Collection(f"c{n}", 4) for n in range(20)]))
        assert {c.id for c in book.collections()} == {c.id for c in made}


def test_nothing_works_before_opening_or_after_closing(tmp_path: Path) -> None:
    book = book_at(tmp_path / "base.db")
    with pytest.raises(NotOpen):
        book.collections()
    with book:
        stores = book.stores
    with pytest.raises(NotOpen):
        book.collections()
    with pytest.raises(NotOpen):
        stores.vectors.list_collections()
    with book:
        assert book.collections() == []


def test_who_calls_while_another_thread_closes_is_answered_or_told_that_it_is_closed(tmp_path: Path) -> None:
    told = list[BaseException | None]()

    def ask(book: Sourcebook) -> None:
        try:
            while True:
                book.collections()
        except BaseException as error:
            told.append(error)

    for _ in range(10):
        book = book_at(tmp_path / "base.db").open()
        asking = [threading.Thread(target=ask, args=(book,), daemon=True) for _ in range(6)]
        for thread in asking:
            thread.start()
        book.close()
        for thread in asking:
            thread.join(PATIENCE)
            assert not thread.is_alive()
    assert [error for error in told if not isinstance(error, NotOpen)] == []
    assert len(told) == 60


def test_errors_arrive_as_they_are(tmp_path: Path) -> None:
    with book_at(tmp_path / "base.db") as book, pytest.raises(CollectionNotFound):
        book.stores.vectors.get("no", "k")


def test_a_door_waits_as_the_client_does(tmp_path: Path) -> None:
    with book_at(tmp_path / "base.db") as book:
        made = book.conversations.create(title="Pruning")
        assert [session.id for session in book.conversations.latest()] == [made.id]
        assert book.sessions() == book.conversations.latest()
        user = book.people.create_user(first_name="Ann", role=UserRole.EXPERT)
        assert book.people.get_token_balance(user.id) == book.people.prices.welcome_tokens
        conversations = book.conversations
    with pytest.raises(NotOpen):
        conversations.latest()


def test_what_needs_no_open_base_works_at_its_door_too(tmp_path: Path) -> None:
    book = book_at(tmp_path / "base.db")
    assert book.maintenance.doctor().findings == []
    with pytest.raises(NotOpen):
        book.maintenance.export(tmp_path / "bundle")


FORKING = """
import asyncio, os, sys, warnings
from sourcebook import AsyncSourcebook, Settings, Sourcebook, SourcebookError

warnings.simplefilter("ignore")  # a program that forks beside threads is told so by Python


def tried(use):
    try:
        return use()
    except SourcebookError as error:
        return error.code


def in_a_fork(use):
    reading, writing = os.pipe()
    if child := os.fork():
        os.waitpid(child, 0)
        return os.read(reading, 1000).decode()
    os.write(writing, " ".join(map(str, use())).encode())
    os._exit(0)
"""
WAITING = """
book = Sourcebook(settings=Settings(db=sys.argv[1], embedder="none"))
people = book.open().people

def uses():
    yield tried(book.collections)
    yield tried(lambda: people.count_all_users())
    yield tried(lambda: book.stores)
    yield tried(book.maintenance.doctor)
    yield tried(book.open)
    yield tried(book.close)
    with Sourcebook(settings=Settings(db=sys.argv[1], embedder="none")) as another:
        yield len(another.collections())

print(in_a_fork(uses), len(book.collections()))
"""
AWAITING = """
async def main():
    async with AsyncSourcebook(settings=Settings(db=sys.argv[1], embedder="none")) as book:
        def uses():
            yield tried(lambda: book.stores)
            yield tried(lambda: book.reception)
            yield tried(lambda: once(book.search("raspberries")))
            yield tried(lambda: once(book.maintenance.repair()))
            yield tried(lambda: once(book.close()))
        print(in_a_fork(uses), len(await book.collections()))

def once(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value

asyncio.run(main())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize(
    ("use", "said"),
    [
        (WAITING, "used_after_fork " * 5 + "None 0 0"),
        (AWAITING, "used_after_fork " * 4 + "None 0"),
    ],
    ids=["sync", "async"],
)
def test_a_fork_is_told_to_open_the_base_itself_and_leaves_its_parent_alone(
    tmp_path: Path, use: str, said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKING + use, str(tmp_path / "base.db")],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (said, "")
