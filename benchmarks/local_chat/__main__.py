"""`python -m benchmarks.local_chat --documents FOLDER --weights FILE`: ten questions in each language, asked of a real
chat model in a process of our own.

The questions are some of `benchmarks/answers/questions/dev.jsonl`: of each language eight with an answer and two
without, spread evenly over the file. Writes a dated result and says where.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import anyio

from benchmarks.answers.judge import Verdict, judged
from benchmarks.answers.questions import FOLDER, Question, read_questions
from benchmarks.answers.run import Bench
from benchmarks.speed.machine import ROOT, commit, machine
from sourcebook import Answer, AsyncSourcebook, Settings, Tier
from sourcebook.model.chat import AnswerEvent, ExcerptFound, TokenWritten
from sourcebook.providers.local_chat.model import LocalChat

RESULTS = ROOT / "benchmarks" / "results"
LANGUAGES = ("en", "ru", "pt")
WITH_ANSWER, WITHOUT = 8, 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question. Times are seconds since it was asked."""

    id: str
    language: str
    question: str
    verdict: str
    answer: str
    excerpt: str | None
    sentences: int
    cited: int
    """Sentences that name a source, or for which one was found."""
    doubtful: int
    excerpt_after: float | None
    first_word_after: float | None
    took: float
    first_word_cpu: float | None
    """Seconds that the model computed until its first word: what does not depend on who else uses the machine."""
    cpu: float


def chosen(questions: Sequence[Question]) -> list[Question]:
    """Eight with an answer and two without of each language, evenly spread. Greetings are answered before the model."""
    found: list[Question] = []
    for language in LANGUAGES:
        of_language = [q for q in questions if q.language == language and not q.is_across]
        answerable = [q for q in of_language if q.is_answerable]
        found += spread(answerable, WITH_ANSWER)
        found += spread([q for q in of_language if q.kind == "unanswerable"], WITHOUT)
    return found


def spread(questions: Sequence[Question], count: int) -> list[Question]:
    return [questions[place * len(questions) // count] for place in range(min(count, len(questions)))]


def computed(book: AsyncSourcebook) -> float:
    """The seconds that the model's process has computed so far, on all its threads."""
    model = vars(book)["_chat_model"]
    try:
        stat = Path(f"/proc/{model.pid if isinstance(model, LocalChat) else None}/stat").read_text("ascii")
    except OSError:
        return 0.0
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def ask(book: AsyncSourcebook, question: Question) -> Outcome:
    began, before = time.monotonic(), computed(book)
    seen: dict[str, float] = {}
    excerpt: list[str] = []

    def follow(event: AnswerEvent) -> None:
        if isinstance(event, ExcerptFound):
            excerpt.append(event.text)
        if isinstance(event, ExcerptFound | TokenWritten):
            seen.setdefault(type(event).__name__, round(time.monotonic() - began, 2))
        if isinstance(event, TokenWritten):
            seen.setdefault("cpu", round(computed(book) - before, 2))

    answer = await book.ask(question.text, on_event=follow)
    verdict = judged(question, None if answer.tier is Tier.NONE else answer.answer)
    return Outcome(
        question.id,
        question.language,
        question.text,
        verdict.value,
        answer.answer,
        excerpt[0] if excerpt else None,
        len(answer.sentences),
        _cited(answer),
        sum(sentence.is_doubtful for sentence in answer.sentences),
        seen.get("ExcerptFound"),
        seen.get("TokenWritten"),
        round(time.monotonic() - began, 2),
        seen.get("cpu"),
        round(computed(book) - before, 2),
    )


def _cited(answer: Answer) -> int:
    return sum(bool(sentence.numbers) for sentence in answer.sentences)


def size_of(path: str) -> int:
    return Path(path).stat().st_size


def peak_megabytes(pid: int | None) -> int | None:
    """The most memory that the model's process had so far."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii")
    except OSError:
        return None
    return next(int(line.split()[1]) // 1000 for line in status.splitlines() if line.startswith("VmHWM"))


async def run(given: argparse.Namespace) -> dict[str, Any]:
    questions = chosen(read_questions(FOLDER / "dev.jsonl"))[: given.limit]
    bench = Bench(given.documents.resolve(), given.work.resolve(), tell)
    outcomes: list[Outcome] = []
    peaks: list[int] = []
    for folder in dict.fromkeys(question.folder for question in questions):
        base = await bench._base(folder)  # pyright: ignore[reportPrivateUsage] - the same bases as for answers
        with tempfile.TemporaryDirectory(prefix="sourcebook-local-chat-") as place:
            copy = shutil.copytree(base, Path(place) / folder)
            settings = Settings(
                db=str(copy / "base.db"),
                chat_model=f"local:{given.weights}",
                chat_threads=given.threads,
                chat_tokens=200,
                answer_characters=given.characters,
            )
            async with AsyncSourcebook(settings=settings) as book:
                for question in questions:
                    if question.folder != folder:
                        continue
                    outcomes.append(await ask(book, question))
                    tell(
                        f"{outcomes[-1].verdict}: {question.text} → {outcomes[-1].answer} ({outcomes[-1].took} s)"
                    )
                    model = vars(book)["_chat_model"]
                    if isinstance(model, LocalChat) and (peak := peak_megabytes(model.pid)):
                        peaks.append(peak)
    rows = {name: row([o for o in outcomes if name in (o.language, "all")]) for name in (*LANGUAGES, "all")}
    rows["all"] = row(outcomes)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": dict(machine()),
        "model": Path(given.weights).name if given.name is None else given.name,
        "megabytes": size_of(given.weights) // 1_000_000,
        "threads": given.threads,
        "peak_memory_mb": max(peaks, default=None),
        "rows": rows,
        "outcomes": [asdict(outcome) for outcome in outcomes],
    }


def row(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    written = [o for o in outcomes if o.first_word_after is not None]
    count = {verdict.value: sum(o.verdict == verdict for o in outcomes) for verdict in Verdict}
    first = [o.first_word_after for o in written if o.first_word_after is not None]
    computing = [o.first_word_cpu for o in written if o.first_word_cpu is not None]
    return {
        "questions": len(outcomes),
        **count,
        "sentences": sum(o.sentences for o in written),
        "cited": sum(o.cited for o in written),
        "doubtful": sum(o.doubtful for o in written),
        "first_word_median": median(first) if first else None,
        "took_median": median(o.took for o in written) if written else None,
        "took_most": max((o.took for o in written), default=None),
        "first_word_cpu_median": median(computing) if computing else None,
        "cpu_median": median(o.cpu for o in written) if written else None,
    }


def tell(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.local_chat", description=__doc__)
    parser.add_argument("--documents", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--weights", required=True, metavar="FILE", help="a GGUF file")
    parser.add_argument("--name", help="what the model is called in the result")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--characters", type=int, help="how much of the passages the model is given")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "sourcebook-answers")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    report = anyio.run(run, given)
    print(json.dumps(report["rows"], indent=1))
    path = given.out / f"local-chat-{report['model'].removesuffix('.gguf').lower()}-{report['date']}.json"
    path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
