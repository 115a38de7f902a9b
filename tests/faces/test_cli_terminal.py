"""What a person sees on a terminal of eighty columns, and what the command says when it is told too much."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.faces.shell import Here

from sourcebook.faces.cli.terminal.text_layout import NARROWEST, Cut, fitting_columns, shortened, wrapped

TERMINAL = {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "80"}
FOLDER = "a folder with a name that alone would fill a line of a terminal"
TEXT = (
    "# Raspberries that fruit in autumn and again in summer\n\n"
    + "Prune everbearing raspberries in winter. " * 9
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Here:
    """A folder with a long name, indexed once. Tests only read the base."""
    shell = Here(tmp_path_factory.mktemp("terminal"))
    folder = shell.folder / FOLDER
    folder.mkdir()
    (folder / "pruning.md").write_text(TEXT, "utf-8")
    (folder / "watering.md").write_text("# Watering\n\nWater in the morning.\n", "utf-8")
    shell.json("add", FOLDER)
    return shell


@pytest.fixture
def labelled(library: Here, tmp_path: Path) -> Here:
    """A copy of the library that may be changed."""
    shutil.copytree(library.folder, tmp_path, dirs_exist_ok=True)
    shell = Here(tmp_path)
    shell.json("add", FOLDER)
    return shell


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Here:
    """A base with something in every list. Tests only read it."""
    shell = Here(tmp_path_factory.mktemp("asked"))
    (shell.folder / "pruning.md").write_text(TEXT, "utf-8")
    shell.json("add", "pruning.md")
    question = "In which season of the year should all of the everbearing raspberries be pruned?"
    shell.json("ask", question)
    shell.json("ask", "How far away from one another are the apple trees of the big orchard planted?")
    added = ("--category", "berries", "--question", question, "--also", f"For my neighbour: {question}")
    shell.json("kb", "add", "Prune everbearing raspberries in winter.", *added)
    return shell


def test_a_list_of_documents_shows_whole_ids_and_the_ends_of_paths(library: Here) -> None:
    lines = library.run("documents", "list", **TERMINAL).stdout.splitlines()
    ids = [document["id"] for document in library.json("documents", "list")["documents"]]
    assert len(lines) == 3
    assert [line.split()[-1] for line in lines[1:]] == ids
    assert "/pruning.md " in lines[1]
    assert lines[1].startswith("…")
    assert all(cell_len(line) <= 80 for line in lines)


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize(
    ("command", "ids"),
    [
        (("sessions", "list"), "sessions"),
        (("kb", "wordings", "--all"), "wordings"),
        (("kb", "list"), "entries"),
        (("moderate", "list"), "drafts"),
        (("users", "list"), "users"),
        (("collections", "list"), "collections"),
    ],
)
def test_a_row_of_a_list_is_one_line_with_its_id_whole(
    asked: Here, command: tuple[str, ...], ids: str, columns: int
) -> None:
    shown = asked.json(*command)[ids]
    lines = asked.run(*command, **TERMINAL | {"COLUMNS": str(columns)}).stdout.splitlines()
    assert len(lines) == 1 + len(shown) > 1
    assert all(str(row["id"]) in line.split() for row, line in zip(shown, lines[1:], strict=True))
    assert all(cell_len(line) <= columns for line in lines[1:])


def test_off_a_terminal_the_list_has_every_column(library: Here) -> None:
    heading = library.run("documents", "list").stdout.splitlines()[0]
    assert heading.split("\t") == ["path", "title", "type", "language", "status", "chunks", "id"]


def test_a_document_is_shown_without_cutting_its_hash_and_with_times_for_people(library: Here) -> None:
    shown = library.run("documents", "show", "pruning.md", **TERMINAL).stdout
    document = library.json("documents", "show", "pruning.md")["document"]
    assert document["file_hash"] in "".join(shown.split())
    assert "…" not in shown
    assert " UTC" in shown
    assert str(document["indexed_at"]) not in shown


def test_a_passage_is_broken_between_words_below_its_beginning(library: Here) -> None:
    lines = library.run("search", "prune raspberries", "--mode", "keyword", **TERMINAL).stdout.splitlines()
    passage = [line for line in lines if "everbearing" in line]
    assert len(passage) > 3
    assert all(line.startswith("   ") and len(line) <= 80 for line in passage)
    assert all(word in TEXT.split() for line in passage for word in line.split())


def test_nothing_found_is_said_also_where_something_else_is_to_be_told(labelled: Here) -> None:
    labelled.json("collections", "create", "own", "--dimensions", "3")
    told = labelled.run("search", "apples", "--collection", "own").stderr
    assert "by words alone" in told
    assert "Nothing was found." in told


def test_a_plan_counts_what_would_get_other_labels(labelled: Here) -> None:
    planned = labelled.json("add", FOLDER, "--category", "berries", "--dry-run")
    done = labelled.json("add", FOLDER, "--category", "berries")
    assert [step["action"] for step in planned["plan"]] == ["label", "label"]
    assert (planned["updated"], planned["unchanged"]) == (done["updated"], done["unchanged"]) == (2, 0)
    assert labelled.json("add", FOLDER, "--category", "berries", "--dry-run")["unchanged"] == 2


def test_files_that_are_now_ignored_are_not_called_missing(labelled: Here) -> None:
    (labelled.folder / FOLDER / ".sourcebookignore").write_text("*.md\n")
    error = labelled.json("add", FOLDER, exit_code=4)["error"]
    assert "2 are now ignored" in error["message"]


def test_standard_input_under_a_known_name_is_an_update(
    labelled: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[tuple[int, int]] = []
    for text in ("Closed on Mondays.", "Closed on Sundays."):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        report = labelled.json("add", "-", "--name", "hours.txt")
        counts.append((report["added"], report["updated"]))
    assert counts == [(1, 0), (0, 1)]


@pytest.mark.parametrize(
    "arguments",
    [("add", FOLDER, "--name", "x.md"), ("eval", "questions.csv", "--replay", "--rerank")],
)
def test_an_option_that_would_have_no_effect_is_refused(library: Here, arguments: tuple[str, ...]) -> None:
    assert library.json(*arguments, exit_code=2)["error"]["code"] == "usage"


@given(st.text(), st.integers(NARROWEST, 100))
def test_breaking_lines_loses_nothing_and_fits_what_can_fit(text: str, width: int) -> None:
    lines = wrapped(text, width).split("\n")
    assert "".join(lines).replace(" ", "") == text.replace("\n", "").replace(" ", "")
    assert all(cell_len(line) <= width or len(line.strip(" ").split(" ")) == 1 for line in lines)


@given(st.text(st.characters(codec="utf-8", categories=["L", "N"])), st.integers(2, 40), st.sampled_from(Cut))
def test_a_shortened_text_fits_and_says_that_it_is_one(text: str, width: int, cut: Cut) -> None:
    short = shortened(text, width, cut)
    assert cell_len(short) <= width
    assert short == text or "…" in short


def test_columns_are_spared_before_those_that_matter_become_unreadable() -> None:
    rows = [["path", "kind", "id"], ["p" * 90, "k" * 10, "i" * 16]]
    assert set(fitting_columns(rows, {0: Cut.BEGINNING}, [1], 80)) == {0, 1, 2}
    assert fitting_columns(rows, {0: Cut.BEGINNING}, [1], 40) == {0: 22, 2: 16}


def test_a_list_of_what_could_not_be_read_tells_why(labelled: Here) -> None:
    (labelled.folder / FOLDER / "broken.pdf").write_bytes(b"%PDF-1.7\nno more than that\n")
    labelled.json("add", FOLDER, exit_code=1)
    heading, line = labelled.run("documents", "list", "--status", "failed", **TERMINAL).stdout.splitlines()
    assert "reason" in heading
    assert "/broken.pdf " in line
    assert "damaged_file: " in line


def test_a_list_of_drafts_or_of_approved_answers_takes_a_line_for_each(labelled: Here) -> None:
    questions = [
        "When do I prune everbearing raspberries in winter?",
        "Which gearbox oil suits a large old tractor?",
    ]
    for question in questions:
        labelled.json("ask", question)
    heading, *lines = labelled.run("moderate", "list", **TERMINAL).stdout.splitlines()
    drafts = labelled.json("moderate", "list")["drafts"]
    assert len(lines) == len(drafts) == 2
    assert [line.split()[:2] for line in lines] == [[str(d["id"]), d["kind"]] for d in drafts]
    assert all(cell_len(line) <= 80 for line in (heading, *lines))
    assert "…" in lines[0]
    assert "Which gearbox oil" in lines[1]
    labelled.json("kb", "add", "In late winter. " * 20, "--question", questions[0], "--category", "fruit")
    assert len(labelled.run("kb", "list", **TERMINAL).stdout.splitlines()) == 2


def test_nothing_found_inside_a_filter_says_how_to_look_at_the_filter(library: Here) -> None:
    asked = ("search", "raspberries", "--mode", "keyword", "--where", "no-such-field=1")
    assert "--explain" in library.run(*asked).stderr
    assert " 0 of " in library.run(*asked, "--explain").stdout
