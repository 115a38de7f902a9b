"""Looking through folders: what is left alone, and names that mean harm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sourcebook.ingest.folder.file_names import readable
from sourcebook.ingest.folder.scan import (
    Scan,
    ScanLimits,
    Skip,
    is_ignored,
    scan_files_of_folder,
    scan_folder,
    scan_named_files,
)

LIMITS = ScanLimits()


def made(root: Path, *paths: str) -> Path:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"The text of {path}.")
    return root


def found(root: Path, scope: str = "", limits: ScanLimits = LIMITS) -> list[str]:
    return list(scan_folder(root, scope, limits).files)


def test_files_are_found_in_the_order_of_their_folders(tmp_path: Path) -> None:
    made(tmp_path, "b.md", "a/z.md", "a/b/c.md", "c/d.md")
    assert found(tmp_path) == ["b.md", "a/z.md", "a/b/c.md", "c/d.md"]


def test_hidden_files_and_folders_are_left_alone(tmp_path: Path) -> None:
    made(tmp_path, "a.md", ".b.md", ".git/c.md", "d/.e/f.md")
    assert found(tmp_path) == ["a.md"]


def test_a_hidden_folder_that_is_named_is_looked_through(tmp_path: Path) -> None:
    made(tmp_path / ".notes", "a.md", ".b.md")
    assert found(tmp_path / ".notes") == ["a.md"]


@pytest.mark.parametrize("name", [".gitignore", ".sourcebookignore"])
def test_rules_of_every_level_are_kept(tmp_path: Path, name: str) -> None:
    made(
        tmp_path,
        "a.md",
        "a.log",
        "build/b.md",
        "deep/build/c.md",
        "deep/top.md",
        "top.md",
        "deep/x/secret.md",
    )
    (tmp_path / name).write_text("# a comment\n*.log\nbuild/\n/top.md\n")
    (tmp_path / "deep" / name).write_text("secret.md\n")
    assert found(tmp_path) == ["a.md", "deep/top.md"]


def test_an_inner_rule_takes_back_an_outer_one(tmp_path: Path) -> None:
    made(tmp_path, "a.txt", "deep/a.txt", "deep/b.txt")
    (tmp_path / ".gitignore").write_text("*.txt\n")
    (tmp_path / "deep" / ".gitignore").write_text("!a.txt\n")
    assert found(tmp_path) == ["deep/a.txt"]


def test_our_own_rules_are_read_after_those_of_git(tmp_path: Path) -> None:
    made(tmp_path, "a.txt", "b.txt")
    (tmp_path / ".gitignore").write_text("*.txt\n")
    (tmp_path / ".sourcebookignore").write_text("!a.txt\n")
    assert found(tmp_path) == ["a.txt"]


def test_what_lies_in_an_ignored_folder_cannot_be_taken_back(tmp_path: Path) -> None:
    made(tmp_path, "build/a.md", "b.md")
    (tmp_path / ".gitignore").write_text("build/\n!build/a.md\n")
    assert found(tmp_path) == ["b.md"]


def test_a_rule_that_makes_no_sense_is_passed_over(tmp_path: Path) -> None:
    made(tmp_path, "a.md", "b.md")
    (tmp_path / ".gitignore").write_bytes(b"x\\\n[\n!\n\xff\xfe\nb.md\n")
    assert found(tmp_path) == ["a.md"]


def test_the_rules_above_a_part_hold_for_it_too(tmp_path: Path) -> None:
    made(tmp_path, "in/a.md", "in/b.log", "in/deep/c.log", "build/d.md")
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n")
    assert found(tmp_path, "in") == ["in/a.md"]
    assert found(tmp_path, "build") == []
    assert is_ignored(tmp_path, "in/deep/c.log")
    assert is_ignored(tmp_path, "build/d.md")
    assert not is_ignored(tmp_path, "in/a.md")


def test_a_single_file_of_a_folder_is_subject_to_its_rules(tmp_path: Path) -> None:
    made(tmp_path, "a.md", "b.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    scan = scan_files_of_folder(tmp_path, ["a.md", "b.log"], LIMITS)
    assert (list(scan.files), scan.skipped) == (["a.md"], {"b.log": Skip.IGNORED})
    assert list(scan_named_files(tmp_path, ["b.log"], LIMITS).files) == ["b.log"]


def test_what_is_too_large_is_named(tmp_path: Path) -> None:
    made(tmp_path, "a.md")
    (tmp_path / "large.md").write_text("x" * 101)
    scan = scan_folder(tmp_path, "", ScanLimits(largest_file=100))
    assert list(scan.files) == ["a.md"]
    assert scan.skipped == {"large.md": Skip.TOO_LARGE}


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    made(tmp_path, "a/b.md")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    scan = scan_folder(tmp_path, "", LIMITS)
    assert list(scan.files) == ["a/b.md"]
    assert set(scan.skipped) | {t.path for t in scan.troubles} == {"one", "two"}


def test_a_pipe_is_neither_read_nor_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert scan_folder(tmp_path, "", LIMITS).skipped == {"pipe.md": Skip.NOT_A_FILE}


def test_a_deep_tree_is_walked(tmp_path: Path) -> None:
    deep = "d/" * 200
    (tmp_path / deep).mkdir(parents=True)
    (tmp_path / deep / "end.md").write_text("The end.")
    assert found(tmp_path) == [f"{deep}end.md"]


def test_a_folder_that_cannot_be_listed_is_a_trouble_and_hides_what_is_below(tmp_path: Path) -> None:
    scan = scan_folder(tmp_path / "gone", "", LIMITS)
    assert [trouble.path for trouble in scan.troubles] == [""]
    assert scan.is_hidden_by_trouble("any/thing.md")
    scan = Scan()
    scan.troubles += scan_folder(tmp_path, "gone", LIMITS).troubles
    assert scan.is_hidden_by_trouble("gone/a.md")
    assert not scan.is_hidden_by_trouble("gone.md")


HOSTILE = (
    "-rf",
    "--help",
    "a\nb.md",
    "a\tb.md",
    "\x1b[31mred.md",
    "\u202egnp.exe.md",
    "..md",
    "...",
    "C:\\windows\\x.md",
    "con",
    "nul.md",
    "<img onerror=alert(1)>.md",
    "'; drop table documents; --.md",
    "%00.md",
    "ё" * 127,
    "a" * 252 + ".md",
    " leading and trailing ",
    "*.md",
    "[x].md",
    "#hash.md",
    "!bang.md",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_a_name_like_any_other(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Text.")
    expected = [] if name.startswith(".") else [name]
    assert found(tmp_path) == expected


def test_a_name_that_is_no_text_is_shown_with_its_bytes(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("Text.")
    (seen,) = scan_folder(tmp_path, "", LIMITS).files.values()
    assert seen.path == "caf\\xe9.md"
    assert Path(seen.location).read_text() == "Text."


@pytest.mark.parametrize("name", ["a.md", "папка/ё.md", "\U0001f353.md", "a\\b"])
def test_a_name_that_is_text_stays_as_it_is(name: str) -> None:
    assert readable(name) == name
    assert readable("a\\b\udce9") == "a\\\\b\\xe9"
