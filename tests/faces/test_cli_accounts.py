"""`accounts` and `keys` in the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.faces.shell import Here, clean_environment

from sourcebook import Settings, Sourcebook
from sourcebook.model.documents import Collection

PASSWORD = "three brown walnuts"


@pytest.fixture
def shell(tmp_path: Path) -> Here:
    with Sourcebook(settings=Settings(db=str(tmp_path / "base.db"))) as book:
        book.library.create_collection(Collection("garden", 3))
    return Here(tmp_path)


def said(shell: Here, *words: str, exit_code: int = 0) -> Any:
    return shell.json("--db", "base.db", *words, exit_code=exit_code)


def typed(shell: Here, password: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs the command with a password on its input."""
    return subprocess.run(
        [sys.executable, "-m", "sourcebook", "--db", "base.db", *words],
        cwd=shell.folder,
        env=clean_environment(),
        input=f"{password}\n",
        capture_output=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )


def test_an_account_is_made_with_a_password_from_the_input(shell: Here) -> None:
    made = typed(shell, PASSWORD, "accounts", "add", "Ada", "--role", "expert", "--collection", "garden")
    assert (made.returncode, made.stdout) == (0, "")
    assert PASSWORD not in made.stderr
    (account,) = said(shell, "accounts", "list")["accounts"]
    assert (account["login"], account["role"], account["collections"]) == ("ada", "expert", ["garden"])
    with Sourcebook(settings=Settings(db=str(shell.folder / "base.db"))) as book:
        assert book.accounts.sign_in("ADA", PASSWORD).account.login == "ada"


def test_a_password_can_be_made_up_and_is_shown_once(shell: Here) -> None:
    made = said(shell, "accounts", "add", "ada", "--generate")
    assert len(made["password"]) >= 20
    changed = said(shell, "accounts", "password", "ada", "--generate")
    assert changed["password"] != made["password"]
    assert changed["password"] not in str(said(shell, "accounts", "list"))


@pytest.mark.parametrize("password", ["", "short", "aaaaaaaaaaaa", "a" * 257, "ada.ada.ada"])
def test_a_password_that_is_easy_to_guess_is_refused(shell: Here, password: str) -> None:
    made = typed(shell, password, "accounts", "add", "ada.ada.ada")
    assert made.returncode == 2
    assert said(shell, "accounts", "list")["accounts"] == []


def test_accounts_are_signed_out_limited_and_removed(shell: Here) -> None:
    said(shell, "accounts", "add", "ada", "--generate")
    assert said(shell, "accounts", "signout", "ada") == {"signed_out": 0}
    assert said(shell, "accounts", "collections", "ada", "--collection", "garden")["account"][
        "collections"
    ] == ["garden"]
    assert said(shell, "accounts", "collections", "ada")["account"]["collections"] is None
    assert said(shell, "accounts", "remove", "ada") == {"removed": "ada"}
    error = said(shell, "accounts", "remove", "ada", exit_code=3)["error"]
    assert error["code"] == "account_not_found"
    assert said(shell, "accounts", "add", "x y", "--generate", exit_code=2)["error"]["code"] == "usage"


def test_a_key_is_shown_once_and_revoked(shell: Here) -> None:
    made = said(
        shell, "keys", "create", "a program", "--role", "expert", "--collection", "garden", "--days", "30"
    )
    assert made["secret"].startswith(made["key"]["prefix"])
    assert (made["key"]["role"], made["key"]["collections"]) == ("expert", ["garden"])
    assert made["key"]["expires_at"] - made["key"]["created_at"] == 30 * 24 * 3600
    listed = shell.run("--db", "base.db", "keys", "list")
    assert made["key"]["prefix"] in listed.stdout
    assert made["secret"] not in listed.stdout
    number = str(made["key"]["id"])
    assert said(shell, "keys", "revoke", number)["key"]["revoked_at"]
    assert said(shell, "keys", "revoke", "99", exit_code=3)["error"]["code"] == "key_not_found"
    plain = shell.run("--db", "base.db", "keys", "create", "another")
    assert plain.stdout.startswith("sb_")
    assert "sb_" not in plain.stderr


def test_a_base_holds_no_key_and_no_password(shell: Here) -> None:
    secret = said(shell, "keys", "create", "a program")["secret"]
    password = said(shell, "accounts", "add", "ada", "--generate")["password"]
    with Sourcebook(settings=Settings(db=str(shell.folder / "base.db"))) as book:
        token = book.accounts.sign_in("ada", password).token
    stored = b"".join(file.read_bytes() for file in shell.folder.iterdir() if file.is_file())
    for hidden in (secret, secret[11:], password, token):
        assert hidden.encode() not in stored
    assert b"$argon2id$" in stored


def test_a_server_for_others_says_how_to_make_the_first_account(shell: Here) -> None:
    refused = shell.run("--db", "base.db", "serve", "--host", "192.0.2.1", "--port", "0")
    assert refused.returncode == 7
    assert "sourcebook accounts add NAME --role admin" in refused.stderr
