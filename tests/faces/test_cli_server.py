"""The command line on a base that lies on a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from tests.faces.shell import Here

TEXTS = {
    "малина/обрезка.md": "# Обрезка\n\nМалину обрезают осенью. Побеги срезают у самой земли.\n",
    "raspberry/pruning.md": "# Pruning\n\nRaspberries are pruned in autumn. The canes are cut at ground level.\n",
    "framboesa/poda.txt": "As framboesas são podadas no outono. Os ramos são cortados rente ao solo.\n",
}


@pytest.fixture
def shell(tmp_path: Path) -> Here:
    for name, text in TEXTS.items():
        path = tmp_path / "documents" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return Here(tmp_path)


def test_every_command_works_there_and_says_what_it_says_of_a_file(shell: Here, postgres_db: str) -> None:
    one, other = (everything(shell, db) for db in (str(shell.folder / "base.db"), postgres_db))
    # The same text may be embedded twice with another last digit.
    assert rounded(one) == rounded(other)


def rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 2)
        case list():
            return [rounded(element) for element in cast("list[Any]", value)]
        case dict():
            return {key: rounded(element) for key, element in cast("dict[str, Any]", value).items()}
        case _:
            return value


def everything(shell: Here, db: str) -> list[Any]:
    """What the commands say of three documents."""

    def say(*words: str) -> Any:
        return shell.json("--db", db, *words)

    assert say("add", "documents")["added"] == 3
    assert say("add", "documents")["unchanged"] == 3
    assert len(say("documents", "list")["documents"]) == 3
    assert say("collections", "list")["collections"][0]["document_count"] == 3
    assert say("doctor")["findings"] == []
    found = [
        say("search", question, "--mode", mode)["results"]
        for question in ("когда обрезать малину", "podar framboesa")
        for mode in ("keyword", "hybrid", "semantic")
    ]
    found.append(say("search", "autumn", "--where", "subcategory=raspberry")["results"])
    assert [len(results) > 0 for results in found] == [True] * 7
    return found


def test_the_address_may_come_in_parts(shell: Here) -> None:
    shown = shell.json(
        "config", "show", DB_HOST="example.org", DB_NAME="base", DB_USER="me", DB_PASSWORD="hush"
    )
    assert "postgresql://me:***@example.org/base" in json.dumps(shown)


def test_a_server_that_is_not_there_is_a_clear_error(shell: Here) -> None:
    done = shell.run("--json", "--db", "postgresql://u:secret@127.0.0.1:1/x", "doctor")
    assert done.returncode == 5
    assert json.loads(done.stdout)["error"]["code"] == "base_unreachable"
    assert "secret" not in done.stdout + done.stderr
