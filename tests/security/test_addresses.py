"""The address of a base may hold a password: it is read in one way, or refused without a word of it."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

import pytest
from tests.faces.shell import Here

from sourcebook import Sourcebook
from sourcebook.errors import BadAddress
from sourcebook.settings import Settings, masked

UNREADABLE = [
    "postgresql://u:SECRET/PW@127.0.0.1:1/x",
    "postgresql://u:12/SECRET@127.0.0.1:1/x",
    "postgresql://u:PW@SECRET@127.0.0.1:1/x",
    "postgresql://u:SECRET#PW@127.0.0.1:1/x",
    "postgresql://u:12?SECRET@127.0.0.1:1/x",
    "postgresql://u:SECRET[@127.0.0.1:1/x",
    "postgresql://u:SECRET@127.0.0.1:99999/x",
    "postgresql:/u:SECRET@127.0.0.1:1/x",
    "postgresql:u:SECRET@127.0.0.1/x",
    " Postgres:u:SECRET@127.0.0.1/x",
    "host=127.0.0.1 password=SECRET",
    "host=127.0.0.1 password='PW SECRET'",
    "dbname = x password = SECRET",
    "Server=127.0.0.1;Password=SECRET",
    "u:SECRET@127.0.0.1/x",
    "u:SECRET/PW@[::1]/x",
]


@pytest.mark.parametrize("address", UNREADABLE)
def test_an_address_that_reads_in_two_ways_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(BadAddress) as caught:
        Sourcebook(address, settings=Settings())
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))


def test_the_command_says_in_full_how_an_address_is_written(tmp_path: Path) -> None:
    told = Here(tmp_path).run("--db", UNREADABLE[0], "doctor").stderr
    assert BadAddress().hint in " ".join(told.split())


@pytest.mark.parametrize("address", UNREADABLE)
def test_no_command_repeats_it(tmp_path: Path, address: str) -> None:
    shell = Here(tmp_path)
    for words in (
        ("--db", address, "doctor"),
        ("--db", address, "add", "."),
        ("import", address),
        ("copy", address, "copy.db"),
        ("--json", "--db", address, "config", "show"),
    ):
        done = shell.run(*words)
        assert done.returncode == 2
        assert "SECRET" not in done.stdout + done.stderr
        assert "address" in done.stdout + done.stderr


@pytest.mark.parametrize(
    "address",
    ["postgresql:/u:SECRET@127.0.0.1:1/x", "postgresql://u:SECRET@127.0.0.1:1/x", "host=h password=SECRET"],
)
def test_an_address_where_a_file_is_expected_is_shown_without_its_password(
    tmp_path: Path, address: str
) -> None:
    shell = Here(tmp_path)
    for words in (("add", address), ("restore", address), ("--json", "add", address)):
        done = shell.run(*words)
        assert done.returncode != 0
        assert "SECRET" not in done.stdout + done.stderr


def test_an_option_of_an_address_that_the_driver_refuses_is_an_error_about_the_address(
    tmp_path: Path,
) -> None:
    done = Here(tmp_path).run("--db", "postgresql://u:SECRET@127.0.0.1:1/x?sslmode=bogus", "doctor")
    assert done.returncode == 2
    assert "sslmode" in done.stderr
    assert "SECRET" not in done.stderr


@pytest.mark.parametrize("key", ["db", "db_direct", "db_replicas"])
def test_an_address_that_is_set_is_shown_without_its_password_and_kept_for_the_owner(
    tmp_path: Path, key: str
) -> None:
    shell, file = Here(tmp_path), tmp_path / "sourcebook.toml"
    for words in (("config", "set"), ("--json", "config", "set")):
        done = shell.run(*words, key, "postgresql://u:SECRET@127.0.0.1:1/x")
        assert done.returncode == 0
        assert "127.0.0.1" in done.stdout + done.stderr
        assert "SECRET" not in done.stdout + done.stderr
    assert "SECRET" in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o077 == 0


def test_a_setting_leaves_it_to_the_owner_who_may_read_the_file(tmp_path: Path) -> None:
    shell, file = Here(tmp_path), tmp_path / "sourcebook.toml"
    for mode in (0o640, 0o600):
        shell.run("config", "set", "pool_max", "7")
        file.chmod(mode)
        assert shell.run("config", "set", "pool_max", "9").returncode == 0
        assert file.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize(("before", "after"), [(0o640, 0o640), (0o644, 0o640), (0o600, 0o600)])
def test_a_file_with_a_password_stays_open_to_its_group_and_to_nobody_else(
    tmp_path: Path, before: int, after: int
) -> None:
    shell, file = Here(tmp_path), tmp_path / "sourcebook.toml"
    file.write_text('db = "postgresql://u:SECRET@127.0.0.1:1/x"\n', encoding="utf-8")
    group = 4321 if os.geteuid() == 0 else os.getgroups()[-1]
    os.chown(file, -1, group)
    file.chmod(before)
    assert shell.run("config", "set", "pool_max", "9").returncode == 0
    assert (file.stat().st_mode & 0o777, file.stat().st_gid) == (after, group)


@pytest.mark.parametrize(
    "path",
    [
        "base.db",
        "a b.db",
        "/data/me@home/base.db",
        "C:\\me@home\\base.db",
        "C:/me@home/base.db",
        "./host=1.db",
        "data/u:p@h.db",
    ],
)
def test_a_path_is_a_path(path: str) -> None:
    assert Settings(db=path).db == path


@pytest.mark.parametrize(
    ("address", "read"),
    [
        ("PostgreSQL://u:p@h/x", "postgresql://u:p@h/x"),
        ("postgres://u:p@one:5432,two:5433/x", "postgres://u:p@one:5432,two:5433/x"),
        ("postgresql://%2Frun%2Fpg/x?user=me@corp", "postgresql://%2Frun%2Fpg/x?user=me@corp"),
        ("postgresql:///x", "postgresql:///x"),
        ("postgresql://u:p@[::1]:5432/x", "postgresql://u:p@[::1]:5432/x"),
    ],
)
def test_an_address_that_reads_in_one_way_is_taken(address: str, read: str) -> None:
    assert Settings(db=address).db == read


@pytest.mark.parametrize(
    "text", ["password='PW SECRET' host=h", "there is no postgresql:/u:SECRET@h/x", "pwd=SECRET"]
)
def test_a_password_in_a_line_is_masked(text: str) -> None:
    assert "SECRET" not in str(masked(text))
