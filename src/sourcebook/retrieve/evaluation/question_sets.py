"""Reads questions whose documents are known from files.

A retrieval set is a folder with `corpus.jsonl` (id, title, text; also as .gz), `queries.jsonl` (id, text and, if known,
answers) and `qrels.tsv` (query, document, grade; with or without a heading). Your own questions are a CSV file.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sourcebook.errors import PathNotFound, UsageError
from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion

CORPUS = ("corpus.jsonl", "corpus.jsonl.gz")
QUERIES = "queries.jsonl"
QRELS = "qrels.tsv"
QUESTIONS = "questions.csv"

_HEADINGS = {
    "question": "question",
    "query": "question",
    "вопрос": "question",
    "pergunta": "question",
    "expecteddocument": "expected",
    "expecteddocuments": "expected",
    "expected": "expected",
    "document": "expected",
    "документ": "expected",
    "ожидаемыйдокумент": "expected",
    "documento": "expected",
    "documentoesperado": "expected",
    "language": "language",
    "lang": "language",
    "язык": "language",
    "idioma": "language",
}
_SEPARATOR = "|"


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A text of a retrieval set. One without a text is its title."""

    id: str
    title: str | None
    text: str


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """One of your own questions, and the names of the documents that answer it, if any."""

    text: str
    expected: Sequence[str] = ()
    language: str | None = None


def is_retrieval_set(folder: Path) -> bool:
    return (folder / QUERIES).is_file() and any((folder / name).is_file() for name in CORPUS)


def read_records(folder: Path) -> Iterator[QuestionRecord]:
    """The texts of a retrieval set, in the order of the file."""
    path = next((folder / name for name in CORPUS if (folder / name).is_file()), folder / CORPUS[0])
    for entry in _lines(path):
        title, text = _text(entry, "title").strip(), _text(entry, "text")
        if text.strip() or title:
            yield QuestionRecord(_identity(entry, path), title or None, text if text.strip() else title)


def read_queries(folder: Path) -> list[JudgedQuestion]:
    """The questions of a retrieval set that somebody judged."""
    judgements = _read_judgements(folder / QRELS)
    path = folder / QUERIES
    read = [(_identity(entry, path), entry) for entry in _lines(path)]
    return [
        JudgedQuestion(identity, _text(entry, "text"), judgements[identity], _texts(entry.get("answers")))
        for identity, entry in read
        if identity in judgements
    ]


def read_own_questions(path: Path) -> list[OwnQuestion]:
    """Questions from a CSV file with a heading: question, expected document (several with | between them), language."""
    text = _decoded(path)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    heading = next(rows, list[str]())
    columns = {_HEADINGS.get(_plain(name)): place for place, name in enumerate(heading)}
    if "question" not in columns or "expected" not in columns:
        raise UsageError(
            f"{path} has no columns `question` and `expected_document`.",
            hint="Its first line must name them: question,expected_document,language.",
        )
    cells = [
        {name: row[place].strip() for name, place in columns.items() if name and place < len(row)}
        for row in rows
    ]
    questions = [
        OwnQuestion(
            row["question"],
            tuple(name.strip() for name in row.get("expected", "").split(_SEPARATOR) if name.strip()),
            row.get("language") or None,
        )
        for row in cells
        if row.get("question")
    ]
    if not questions:
        raise UsageError(f"{path} contains no questions.", hint="Write one per line, below the heading.")
    return questions


def _read_judgements(path: Path) -> dict[str, dict[str, int]]:
    judgements: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_decoded(path).splitlines(), start=1):
        cells = line.split("\t")
        grade = cells[-1].strip()
        if len(cells) >= 3 and grade.lstrip("-").isdigit():
            judgements.setdefault(cells[0], {})[cells[-2]] = int(grade)
        elif line.strip() and number > 1:
            raise UsageError(f"{path}, line {number}: expected a question, a document and a grade.")
    return judgements


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    opened: Callable[..., io.TextIOWrapper] = cast("Any", gzip.open if path.suffix == ".gz" else open)
    number = 0
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):  # noqa: B007 - the errors below name it
                if line.strip():
                    yield _object(json.loads(line))
    except FileNotFoundError:
        raise PathNotFound(f"There is no {str(path)!r}.") from None
    except (ValueError, OSError, EOFError) as error:
        raise UsageError(f"{path}, line {number + 1} or near it, cannot be read: {error}") from error


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("a line must be a JSON object")
    return cast("dict[str, Any]", value)


def _identity(entry: dict[str, Any], path: Path) -> str:
    identity = entry.get("id", entry.get("_id"))
    if not isinstance(identity, str | int) or identity == "":
        raise UsageError(f"{path}: every line needs an `id`.")
    return str(identity)


def _text(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    values = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(one for one in values if isinstance(one, str))


def _decoded(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise PathNotFound(f"There is no {str(path)!r}.") from None
    except (UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{path} cannot be read: {error}.", hint="Save it as UTF-8 text.") from error


def _delimiter(text: str) -> str:
    heading = text.partition("\n")[0]
    return max(",;\t", key=heading.count)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalpha())
