"""Writing settings, and continuing a conversation, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faces.shell import Here


@pytest.fixture
def shell(tmp_path: Path) -> Here:
    return Here(tmp_path)


def test_a_setting_is_written_and_the_rest_of_the_file_stays(shell: Here) -> None:
    file = shell.folder / "sourcebook.toml"
    file.write_text('# mine\ncollection = "notes" # the usual\nreaders = 2\n', encoding="utf-8")
    assert shell.run("config", "set", "readers", "8").returncode == 0
    assert shell.run("config", "set", "db", "other.db").returncode == 0
    assert (
        file.read_text("utf-8") == '# mine\ncollection = "notes" # the usual\nreaders = 8\ndb = "other.db"\n'
    )
    settings = shell.json("config", "show")["settings"]
    assert settings["readers"] == {"value": 8, "origin": "sourcebook.toml"}
    assert shell.run("config", "set", "readers", "--unset").returncode == 0
    assert "readers" not in file.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("reader", "8"), "Did you mean `readers`"),
        (("readers", "many"), "readers cannot be 'many'"),
        (("readers", "0"), "readers cannot be 0"),
        (("telegram_token", "123:abc"), "is a secret"),
        (("readers",), "Give a value, or --unset"),
    ],
)
def test_a_wrong_setting_changes_nothing(shell: Here, arguments: tuple[str, ...], told: str) -> None:
    done = shell.run("config", "set", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert not (shell.folder / "sourcebook.toml").exists()


def test_a_setting_that_was_mistyped_is_not_looked_for_in_a_file_and_few_names_are_told(shell: Here) -> None:
    near = shell.run("config", "set", "chat_modle", "x").stderr
    assert near.startswith("Error: There is no setting `chat_modle`.\nDid you mean `chat_model`")
    far = shell.run("config", "set", "zzzz", "3").stderr
    assert far == "Error: There is no setting `zzzz`.\n`sourcebook config show` lists all settings.\n"
    (shell.folder / "sourcebook.toml").write_text("zzzz = 3\n", encoding="utf-8")
    told = shell.run("config", "show").stderr
    assert told == (
        "Error: There is no setting `zzzz` (in sourcebook.toml).\nRemove it, or correct its name.\n"
    )


def test_a_setting_that_the_environment_hides_is_told(shell: Here) -> None:
    done = shell.run("config", "set", "readers", "8", SOURCEBOOK_READERS="3")
    assert "has no effect yet: environment" in done.stderr


def test_the_last_conversation_is_continued(shell: Here) -> None:
    (shell.folder / "notes.md").write_text(
        "# Raspberries\n\nPrune raspberries in late autumn.\n", encoding="utf-8"
    )
    shell.run("add", "notes.md")
    assert shell.run("ask", "And in spring?", "--continue").returncode == 3
    first = shell.json("ask", "When do I prune raspberries?")
    again = shell.json("ask", "When do I prune raspberries?", "--continue")
    assert again["session_id"] == first["session_id"]
    assert shell.run("ask", "When?", "--continue", "--session", first["session_id"]).returncode == 2


def test_a_question_asks_only_the_documents_that_a_filter_keeps(shell: Here) -> None:
    (shell.folder / "notes.md").write_text(
        "# Raspberries\n\nPrune raspberries in late autumn.\n", encoding="utf-8"
    )
    shell.run("add", "notes.md")
    question = "When do I prune raspberries?"
    assert shell.json("ask", question, "--where", "title=Raspberries")["tier"] == "documents"
    assert shell.json("ask", question, "--where", "title=Apples")["tier"] == "none"
    assert shell.run("ask", question, "--where", "title==").returncode == 2
