"""The questions: what is asked of which folder, and by which words a right answer is known."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

FOLDER = Path(__file__).parent / "questions"
SETS = ("dev", "test", "common", "common-test", "short", "short-test")
OWN_DOCUMENTS = Path(__file__).parent / "documents"
"""Folders that were written for this benchmark."""


def folder_of(name: str, documents: Path) -> Path:
    """Where a folder of documents is: among those given, or among our own."""
    given = documents / name
    return given if given.is_dir() else OWN_DOCUMENTS / name


@dataclass(frozen=True, slots=True)
class Span:
    """Where the answer stands: a path within the folder, and a few words of the document as they are written."""

    document: str
    span: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question as a person would ask it.

    An answer is right if it contains every string of one of the groups in `accept`. Without spans the folder does not
    hold the answer, and `why` says what was looked for. `is_across`: asked in another language than the documents'.
    """

    id: str
    folder: str
    language: str
    kind: str
    text: str
    answers: Sequence[Span]
    accept: Sequence[Sequence[str]]
    is_across: bool = False
    why: str | None = None

    @property
    def is_answerable(self) -> bool:
        return bool(self.answers)


def read_questions(path: Path) -> list[Question]:
    """One question a line, in the order of the file."""
    return [_question(json.loads(line)) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _question(row: Mapping[str, Any]) -> Question:
    spans = cast("Sequence[Mapping[str, str]]", row["answers"])
    return Question(
        row["id"],
        row["folder"],
        row["language"],
        row["kind"],
        row["question"],
        [Span(span["document"], span["span"]) for span in spans],
        row["accept"],
        is_across=row.get("across", False),
        why=row.get("why"),
    )
