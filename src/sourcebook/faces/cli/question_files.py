"""Your own questions, read from CSV files and matched with the documents of a base."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import DocumentNotFound, PathNotFound, UsageError
from sourcebook.faces.cli.terminal.plurals import counted
from sourcebook.model.calibration import QuestionPair
from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion, resolved
from sourcebook.retrieve.evaluation.question_sets import read_own_questions

if TYPE_CHECKING:
    from sourcebook import Sourcebook

_NAMED_AT_ONCE = 5
_YES = frozenset({"yes", "true", "1", "да", "sim"})
_NO = frozenset({"no", "false", "0", "нет", "não", "nao"})


def own_questions(book: Sourcebook, path: Path, collection: str | None) -> list[JudgedQuestion]:
    """The questions in a CSV file, each with the documents that its line names."""
    if not path.is_file():
        raise PathNotFound(f"There is no {str(path)!r}.")
    documents = book.library.documents(collection)
    paths = {document.id: document.file_path for document in documents}
    titles = {document.id: document.title or "" for document in documents}
    questions: list[JudgedQuestion] = []
    unknown: dict[str, None] = {}
    for number, own in enumerate(read_own_questions(path), start=1):
        judgements, unmatched = resolved(own.expected, paths, titles)
        unknown |= dict.fromkeys(unmatched)
        questions.append(JudgedQuestion(str(number), own.text, judgements, language=own.language))
    if unknown:
        raise DocumentNotFound(
            f"{path} names {counted(len(unknown), 'document')} not in the base: "
            + ", ".join(list(unknown)[:_NAMED_AT_ONCE]),
            hint="`sourcebook documents list` shows the paths and titles you can use.",
        )
    return questions


def question_pairs(path: Path) -> list[QuestionPair]:
    """The pairs in a CSV file with the columns question, other and same (yes or no)."""
    if not path.is_file():
        raise PathNotFound(f"There is no {str(path)!r}.")
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.DictReader(lines)
        if not {"question", "other", "same"} <= set(rows.fieldnames or ()):
            raise UsageError(
                f"{path} has no columns `question`, `other` and `same`.",
                hint="Its first line must name them; `same` is yes or no.",
            )
        return [_pair(row, f"{path}, line {rows.line_num}") for row in rows]


def _pair(row: dict[str, str | None], place: str) -> QuestionPair:
    said = (row["same"] or "").strip().casefold()
    if said not in _YES | _NO or not row["question"] or not row["other"]:
        raise UsageError(f"{place}: two questions and `yes` or `no` are expected.")
    return QuestionPair(row["question"], row["other"], said in _YES)
