"""F17: a disk changed the file. That is found, nothing wrong is served as a source, and what can be is made again."""

from __future__ import annotations

import random
import shutil
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import apsw
import pytest
from tests.faults import keepers
from tests.faults.bases import opened, plain_connection, rows_of
from tests.faults.damages import (
    DOCUMENTS,
    PAGE,
    Damage,
    book_at,
    break_header,
    cut,
    flip_a_declaration,
    flip_bytes,
    make_base,
    spoiled,
    truth,
    wrongly_served,
    zero_pages,
)
from tests.faults.keepers import back_up, digest_of_rows, restore, without_sides
from tests.faults.processes import exit_code_of

from sourcebook.errors import BaseDamaged
from sourcebook.testing.crash import prepared_document

if TYPE_CHECKING:
    from sourcebook.model.health import HealthReport

pytestmark = pytest.mark.anyio

OF_THE_FILE = frozenset({"schema_migrations"})
"""When the tables of a file were made is not known to another file."""
SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 100))]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corruption") / "base.db"
    anyio.run(make_base, path)
    return path


@pytest.fixture
def base(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(template, tmp_path / "base.db"))


async def doctor(path: Path) -> HealthReport:
    return await book_at(path).doctor()


def codes(report: HealthReport) -> set[str]:
    return {finding.code for finding in report.faults}


async def test_without_damage_nothing_is_found_and_nothing_is_served_wrongly(base: Path) -> None:
    """The control: what the tests below find is the damage, and what they serve is the truth."""
    assert (await doctor(base)).faults == []
    assert await wrongly_served(base) == set()


# Files


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("damage", [flip_bytes, zero_pages, cut])
async def test_a_damaged_file_is_found_to_be_so_and_repaired_or_restored(
    base: Path, tmp_path: Path, damage: Damage, seed: int
) -> None:
    await back_up(base, tmp_path / "kept")
    whole = digest_of_rows(base)
    spoiled(base, damage, seed)
    shutil.copyfile(base, tmp_path / "spoiled.db")
    wrong = await wrongly_served(tmp_path / "spoiled.db")

    report = await doctor(base)
    assert not report.ok
    # Whatever is served of such a file, the examination says that it is not to be believed.
    assert not wrong or codes(report) & {"engine", "unreadable", "changed_texts", "spans", "lost_documents"}
    assert any("sourcebook restore" in f.hint or "doctor --repair" in f.hint for f in report.faults)

    # So little may be left that nothing can be made of it; there is a test for that below.
    with suppress(BaseDamaged):
        assert (await book_at(base).repair()).repairs
        assert await wrongly_served(base) == set()
        # A document whose collection cannot be read any more is named, and left for a backup to bring back.
        left = codes(await doctor(base)) - {"ledger", "foreign_keys"}
        assert not left or left == {"documents_without_collection", "texts_without_chunks"}

    await restore(tmp_path / "kept", base)
    assert digest_of_rows(base) == whole
    assert (await doctor(base)).ok


@pytest.mark.parametrize("damage", [break_header, flip_a_declaration])
@pytest.mark.parametrize("seed", range(3))
async def test_what_only_declares_the_tables_is_known_to_the_program_and_put_back(
    base: Path, damage: Damage, seed: int
) -> None:
    before = rows_of(base, skip=OF_THE_FILE)
    spoiled(base, damage, seed)
    assert not (await doctor(base)).ok
    repaired = await book_at(base).repair()
    assert repaired.ok
    assert [repair.code for repair in repaired.repairs] == ["rebuilt"]
    assert rows_of(base, skip=OF_THE_FILE) == before


async def test_a_damaged_base_is_kept_when_it_is_made_again(base: Path) -> None:
    spoiled(base, zero_pages, 1)
    before = base.read_bytes()  # noqa: ASYNC240
    await book_at(base).repair()
    (kept,) = base.parent.glob("base.db.damaged-*")
    assert len(kept.read_bytes()) == len(before)


async def test_a_file_of_which_nothing_is_left_is_an_error_that_says_what_to_do(base: Path) -> None:
    base.write_bytes(b"\x00" * 100_000)  # noqa: ASYNC240
    for examine in (book_at(base).doctor, book_at(base).repair):
        with pytest.raises(BaseDamaged) as caught:
            await examine()
        assert "sourcebook restore" in caught.value.hint


# Rows


def pages_of(path: Path, table: str) -> list[int]:
    """The leaf pages of a table, in its order."""
    with closing(plain_connection(path, apsw.SQLITE_OPEN_READONLY)) as connection:
        rows = connection.execute(
            "select pageno from dbstat where name = ? and pagetype = 'leaf' order by path", (table,)
        )
        return [int(page) for (page,) in rows]


def zero(path: Path, page: int) -> None:
    spoiled(
        path, lambda content, _: content.__setitem__(slice((page - 1) * PAGE, page * PAGE), bytes(PAGE)), 0
    )


@pytest.mark.parametrize("table", ["token_transactions", "knowledge_base"])
async def test_rows_that_only_a_backup_has_are_named_by_table_and_id(base: Path, table: str) -> None:
    pages = pages_of(base, table)
    assert len(pages) > 5
    zero(base, pages[2])
    report = await doctor(base)
    (lost,) = [finding for finding in report.faults if finding.code == "lost_rows"]
    (named,) = lost.rows
    assert named.startswith(f"{table}: rows after ")
    assert "sourcebook restore" in lost.hint
    after, before = (int(word) for word in named.split() if word.isdigit())
    assert 5 < before - after < 60

    repaired = await book_at(base).repair()
    assert "lost_rows" in codes(repaired)
    with closing(plain_connection(base, apsw.SQLITE_OPEN_READONLY)) as connection:
        kept = connection.execute(
            "select id from token_transactions"
            if table == "token_transactions"
            else "select id from knowledge_base"
        )
        ids = {int(row[0]) for row in kept}
    assert ids == set(range(1, 301)) - set(range(after + 1, before))


async def test_documents_that_are_lost_are_named_by_their_path(base: Path) -> None:
    pages = pages_of(base, "documents")
    zero(base, pages[1])
    report = await doctor(base)
    (lost,) = [finding for finding in report.faults if finding.code == "lost_documents"]
    paths = {row.removeprefix("documents: ") for row in lost.rows if row.startswith("documents: ")}
    assert paths
    assert paths < {prepared_document(n).document.file_path for n in range(DOCUMENTS)}
    assert "sourcebook add" in lost.hint

    repaired = await book_at(base).repair()
    (again,) = [finding for finding in repaired.faults if finding.code == "damaged_documents"]
    assert set(again.rows) == paths
    # Adding them again is all there is to do.
    async with opened(base) as book:
        for number in range(DOCUMENTS):
            if prepared_document(number).document.file_path in paths:
                await book.write(prepared_document(number))
        assert await book.folder() == dict.fromkeys(range(DOCUMENTS), 0)
    assert (await doctor(base)).ok


@pytest.mark.parametrize(
    "table", ["words", "vectors", "terms", "chunk_ids", "document_words", "document_hashes"]
)
async def test_what_follows_from_the_texts_is_made_again_from_them(base: Path, table: str) -> None:
    for page in pages_of(base, table)[::2]:
        zero(base, page)
    assert not (await doctor(base)).ok
    repaired = await book_at(base).repair()
    assert repaired.ok
    assert await wrongly_served(base) == set()
    async with opened(base) as book:
        assert await book.folder() == dict.fromkeys(range(DOCUMENTS), 0)
        for number in range(0, DOCUMENTS, 7):
            assert (await book.findable(number))["words"]


# Letters


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_letter_that_changed_is_found_and_healed(base: Path, seed: int) -> None:
    """SQLite itself finds nothing wrong with it."""
    chance = random.Random(seed)
    before = digest_of_rows(base)
    text = chance.choice(sorted(truth().values()))
    word = chance.choice([word for word in text.split() if len(word) > 5]).encode()

    def change_a_letter(content: bytearray, _: random.Random) -> None:
        at = content.index(word, chance.randrange(len(content) // 2))
        content[at + chance.randrange(len(word))] ^= 1 << chance.randrange(8)

    spoiled(base, change_a_letter, seed)
    changed = digest_or_none(base)
    if changed == before:
        return  # it was in a page that nobody uses
    assert not (await doctor(base)).ok
    repaired = await book_at(base).repair()
    assert repaired.ok
    assert await wrongly_served(base) == set()


def digest_or_none(path: Path) -> str | None:
    try:
        return digest_of_rows(path)
    except BaseDamaged:
        return None
    finally:
        without_sides(path)


# Logs


def killed(base: Path, documents: int = 12) -> Path:
    """The log of a base whose process was killed before anything of it was in the file."""
    assert exit_code_of(keepers.write_and_die, base, documents) == 9
    return base.with_name(f"{base.name}-wal")


async def test_the_log_of_a_killed_process_is_whole(tmp_path: Path) -> None:
    """The control for the two below."""
    killed(tmp_path / "base.db")
    assert (await doctor(tmp_path / "base.db")).ok


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.9999])
async def test_a_log_that_was_cut_is_noticed_by_the_next_who_opens_the_base(
    tmp_path: Path, share: float
) -> None:
    base = tmp_path / "base.db"
    log = killed(base)
    content = log.read_bytes()
    log.write_bytes(content[: int(len(content) * share)])
    await notices_the_loss(base)


async def test_a_log_in_which_a_byte_changed_is_noticed_too(tmp_path: Path) -> None:
    base = tmp_path / "base.db"
    log = killed(base)
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 1
    log.write_bytes(content)
    await notices_the_loss(base)


async def notices_the_loss(base: Path) -> None:
    # Whoever opens it first, and however often: it is not forgotten.
    for _ in range(2):
        try:
            async with opened(base):
                pass
        except BaseDamaged:
            return
    report = await doctor(base)
    (finding,) = [f for f in report.faults if f.code == "log_was_cut"]
    assert finding.count > 0
    assert "sourcebook restore" in finding.hint
    repaired = await book_at(base).repair()
    assert "forget_cut_log" in {repair.code for repair in repaired.repairs}
    assert (await doctor(base)).ok
