"""`python -m benchmarks.excerpts`: learns which stretch is quoted, and measures it with every folder left out in turn.

What the questions find is found anew each time; bases are kept in `--work`. The questions of a blind set are no
argument of this program.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import numpy as np

from benchmarks.answers.judge import is_right
from benchmarks.answers.questions import Question, Span, read_questions
from benchmarks.answers.run import Bench
from benchmarks.excerpts.learning import Case, learnt
from benchmarks.judge.weights_file import put
from benchmarks.quality.run import Bench as EmbeddingBench
from sourcebook import AsyncSourcebook, Settings
from sourcebook.consult.evidence.passages import PassageJudge, PassageQuery
from sourcebook.consult.evidence.question_share import emphasised
from sourcebook.consult.excerpt.answer_without_model import chosen
from sourcebook.consult.excerpt.excerpt_features import Asked
from sourcebook.consult.excerpt.excerpt_weights import WEIGHTS_FILE, excerpt_weights
from sourcebook.consult.excerpt.read_texts import read_texts
from sourcebook.consult.question.asked_for.forms import AskedForms
from sourcebook.model.search import RetrievalConfig
from sourcebook.retrieve.evaluation.question_sets import read_queries, read_records
from sourcebook.retrieve.question_context import QuestionContext
from sourcebook.retrieve.search import DefaultRetriever
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from benchmarks.excerpts.learning import Numbers
    from sourcebook.consult.excerpt.read_texts import ReadText
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.model.search import SearchResult
    from sourcebook.ports.providers import Embedder

_PASSAGES = 6
_COLLECTION = "default"
_PROSE = "prose"
_NOT_LEARNT = (
    *("title_lacks", "asked_above", "answers_heading", "points_elsewhere", "time_told", "opposite"),
    *("defined", "subject", "way_opens", "tells_way"),
)
"""Too few questions meet these to learn what they are worth."""


@dataclass(frozen=True, slots=True)
class Found:
    """A question, what was found for it, and how it was read."""

    set: str
    question: Question
    asked: Asked
    passages: Sequence[SearchResult]
    texts: Sequence[ReadText]
    names: Sequence[str]
    case: Case
    given: Numbers
    """What each unit scores by what is not learnt."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.excerpts", description=__doc__)
    made.add_argument(
        "--set",
        nargs=2,
        action="append",
        type=Path,
        default=[],
        metavar=("QUESTIONS", "DOCUMENTS"),
        help="a file of questions as in benchmarks/answers, and the folder of its folders; may be repeated",
    )
    made.add_argument(
        "--prose",
        action="append",
        type=Path,
        default=[],
        help="a retrieval set with answers; may be repeated",
    )
    made.add_argument("--questions", type=int, default=150, help="so many of each set of prose")
    made.add_argument("--documents", type=int, default=350, help="so many of each set of prose")
    made.add_argument("--work", type=Path, required=True, metavar="FOLDER", help="where bases are kept")
    made.add_argument("--write", action="store_true", help="put the weights into the product's file")
    return made


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


async def _searched(
    book: AsyncSourcebook, embedder: Embedder, name: str, questions: Sequence[Question]
) -> list[Found]:
    stores = book.stores

    async def same(model: EmbeddingModel) -> Embedder:
        return embedder

    retriever = DefaultRetriever(vector_store=stores.vectors, fts_store=stores.fts, embedder=embedder)
    judge = PassageJudge(stores, retriever)
    found: list[Found] = []
    for question in questions:
        context = await QuestionContext.read(stores.library, same, [_COLLECTION])
        spoken = detect_language(question.text)
        wanted = PassageQuery(
            question.text, question.text, [_COLLECTION], spoken, RetrievalConfig(top_k=_PASSAGES)
        )
        judged = await judge.judge(wanted, context)
        weights = emphasised(judged.weights, question.text, judged.language)
        asked = Asked(question.text, weights, judged.language, spoken)
        if passages := [passage for passage, _ in judged.passages]:
            found.append(_read(name, question, asked, passages))
    return found


def _read(name: str, question: Question, asked: Asked, passages: Sequence[SearchResult]) -> Found:
    texts = read_texts(asked, AskedForms(asked.question), passages)
    rows = [text.features.of(i) for text in texts for i in text.scores]
    answers = [_answers(question, text, i) for text in texts for i in text.scores]
    names = [name for name in rows[0] if name not in _NOT_LEARNT] if rows else []
    numbers = np.array([[row[each] for each in names] for row in rows])
    is_prose = question.kind == _PROSE
    case = Case(name if is_prose else question.folder, is_prose, numbers, np.array(answers, dtype=np.bool_))
    chosen_weights = excerpt_weights().unit
    given = np.array([sum(chosen_weights[each] * row[each] for each in _NOT_LEARNT) for row in rows])
    return Found(name, question, asked, passages, texts, names, case, given)


def _answers(question: Question, text: ReadText, i: int) -> bool:
    """Whether a unit of a document that answers has the words, or is where the answer was marked."""
    whole = text.found.whole
    spans = [
        span
        for span in question.answers
        if whole.chunk.document_id == span.document or whole.document_path.endswith(span.document)
    ]
    said = text.units.named_row(i) or text.units.text(i)
    if spans and is_right(said, question.accept):
        return True
    unit, content = text.units[i], text.units.content
    places = [content.find(span.span) for span in spans if question.kind != _PROSE]
    return any(
        place >= 0 and place < unit.end and unit.start < place + len(span.span)
        for place, span in zip(places, spans, strict=False)
    )


async def _of_folders(file: Path, documents: Path, work: Path, embedder: Embedder) -> list[Found]:
    questions = [question for question in read_questions(file) if question.is_answerable]
    bench = Bench(documents, work, tell)
    found: list[Found] = []
    for folder in dict.fromkeys(question.folder for question in questions):
        base = await bench._base(folder)  # pyright: ignore[reportPrivateUsage] - the same bases as for answers
        with tempfile.TemporaryDirectory(prefix="sourcebook-excerpts-") as place:
            copy = shutil.copytree(base, Path(place) / folder)
            settings = Settings(db=str(copy / "base.db"), chat_model="none")
            async with AsyncSourcebook(settings=settings, embedder=embedder) as book:
                of_folder = [question for question in questions if question.folder == folder]
                found += await _searched(book, embedder, file.stem, of_folder)
        tell(f"{file.stem}, {folder}")
    return found


async def _of_prose(folder: Path, most: int, documents: int, embedder: Embedder) -> list[Found]:
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    said = {row["text"]: row["answers"] for row in rows if row.get("answers")}
    asked = [query for query in read_queries(folder) if query.text in said][:most]
    gold = {d for query in asked for d, grade in query.judgements.items() if grade > 0}
    records = sorted(read_records(folder), key=lambda record: record.id not in gold)[
        : max(documents, len(gold))
    ]
    questions = [
        Question(
            f"{folder.name}-{number}",
            folder.name,
            "",
            _PROSE,
            query.text,
            [Span(document, "") for document, grade in query.judgements.items() if grade > 0],
            [[answer] for answer in said[query.text]],
        )
        for number, query in enumerate(asked)
    ]
    with tempfile.TemporaryDirectory(prefix="sourcebook-excerpts-") as place:
        settings = Settings(db=str(Path(place) / "base.db"), chat_model="none")
        async with AsyncSourcebook(settings=settings, embedder=embedder) as book:
            for record in records:
                await book.add_text(record.text, id=record.id, title=record.title)
            found = await _searched(book, embedder, folder.name, questions)
    tell(folder.name)
    return found


async def collected(given: argparse.Namespace) -> list[Found]:
    given.work.mkdir(parents=True, exist_ok=True)
    embedder = EmbeddingBench(given.work.resolve(), None, tell).embedder("default")
    found: list[Found] = []
    for file, documents in given.set:
        found += await _of_folders(file, documents, given.work, embedder)
    for folder in given.prose:
        found += await _of_prose(folder, given.questions, given.documents, embedder)
    return [each for each in found if len(each.case.numbers)]


def measured(found: Sequence[Found]) -> dict[str, dict[str, int]]:
    """Of each set, how many questions there are, how many excerpts are right, and how long all of them are.

    Every folder is quoted by what the others taught.
    """
    rows: dict[str, dict[str, int]] = {}
    for group in dict.fromkeys(each.case.group for each in found):
        weights = learnt([each.case for each in found if each.case.group != group])
        for each in (each for each in found if each.case.group == group):
            text = _quoted(each, weights)
            row = rows.setdefault(each.set, {"questions": 0, "right": 0, "characters": 0})
            row["questions"] += 1
            row["right"] += is_right(text, each.question.accept)
            row["characters"] += len(text)
    return rows


def _quoted(found: Found, weights: Numbers) -> str:
    scores = iter(found.case.numbers @ weights + found.given)
    texts = [text.scored({i: float(next(scores)) for i in text.scores}) for text in found.texts]
    extracts = chosen(found.asked, AskedForms(found.asked.question), found.passages, texts)
    return "\n\n".join(extract.excerpt.text for extract in extracts)


def named(found: Sequence[Found]) -> Mapping[str, float]:
    weights = learnt([each.case for each in found])
    return {name: round(float(weight), 3) for name, weight in zip(found[0].names, weights, strict=True)}


def main() -> int:
    given = parser().parse_args()
    found = anyio.run(collected, given)
    if not found:
        tell("No questions were given: see --set and --prose.")
        return 2
    print(json.dumps({"left_out": measured(found), "weights": (weights := named(found))}, indent=2))
    if given.write:
        put(WEIGHTS_FILE, {"unit": weights})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
