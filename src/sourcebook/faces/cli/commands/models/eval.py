import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import sourcebook
from sourcebook.errors import PathNotFound, UsageError
from sourcebook.faces import evaluation_json_shapes
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.question_files import own_questions
from sourcebook.faces.cli.terminal import evaluation_text
from sourcebook.faces.cli.terminal.evaluation_text import counting_bar
from sourcebook.faces.cli.terminal.output import say, say_json, tell
from sourcebook.faces.cli.terminal.progress import progress_bar
from sourcebook.faces.evaluation_json_shapes import AskedSet
from sourcebook.model.chat import Role
from sourcebook.model.search import RerankProvider, RetrievalMode
from sourcebook.retrieve.evaluation.evaluate import (
    COMPARED,
    Evaluation,
    JudgedQuestion,
    SearchSetting,
)
from sourcebook.retrieve.evaluation.question_sets import (
    QUESTIONS,
    is_retrieval_set,
    read_queries,
    read_records,
)

_SESSIONS_READ = 1000


_SetPath = Annotated[
    Path | None,
    typer.Argument(
        metavar="DIR|CSV",
        help="A retrieval set, a folder of documents with a questions.csv, or a CSV file of questions "
        "about the base in --db.",
        show_default=False,
    ),
]
_Mode = Annotated[RetrievalMode, typer.Option("--mode", help="By meaning, by words, or both.")]
_Rerank = Annotated[bool, typer.Option("--rerank", help="Rerank the best passages.")]
_Compare = Annotated[
    bool,
    typer.Option("--compare", help="Compare all modes, and test whether they differ by more than chance."),
]
_TopK = Annotated[
    int, typer.Option("--top-k", metavar="N", min=1, max=1000, help="How many documents count.")
]
_Limit = Annotated[
    int | None,
    typer.Option("--limit", metavar="N", min=1, help="Ask only the first N questions.", show_default=False),
]
_Keep = Annotated[
    Path | None,
    typer.Option(
        "--keep",
        metavar="BASE",
        help="Keep the documents in this base and reuse it next time.",
        show_default=False,
    ),
]
_Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw the figures to this file: as SVG if it ends in .svg, otherwise as text.",
    ),
]
_Replay = Annotated[
    bool,
    typer.Option(
        "--replay", help="Repeat the questions people have asked, and show what another setting changes."
    ),
]
_FromModeration = Annotated[
    bool,
    typer.Option(
        "--from-moderation", help="Use the questions decided in review; their sources count as correct."
    ),
]
_Against = Annotated[
    str,
    typer.Option(
        "--against",
        metavar="SETTING",
        help="The setting --replay compares with, such as keyword or hybrid+rerank.",
    ),
]


def evaluate(
    call: Invocation,
    path: _SetPath = None,
    *,
    mode: _Mode = RetrievalMode.HYBRID,
    rerank: _Rerank = False,
    compare: _Compare = False,
    top_k: _TopK = 10,
    limit: _Limit = None,
    keep: _Keep = None,
    plot: _Plot = None,
    replay: _Replay = False,
    from_moderation: _FromModeration = False,
    against: _Against = "hybrid",
    collection: CollectionName = None,
) -> None:
    """Measure how well documents are found: nDCG, recall and MRR, and how long a search takes.

    A retrieval set is a folder with corpus.jsonl (or .gz), queries.jsonl and qrels.tsv. Its documents go into a
    temporary base. In questions.csv, each line has a question and the document that answers it, by path, file name,
    title or id. Separate several documents with |, and leave the field empty if the question should be declined.
    """
    _require_one_source(path, has_own_questions=replay or from_moderation)
    provider = RerankProvider(call.loaded.settings.rerank_provider)
    chosen = f"{mode.value}+rerank" if rerank else mode.value
    command = _Evaluation(call, provider, top_k, limit, collection)
    names = COMPARED if compare else (chosen,)
    if replay:
        command.replay(chosen, against)
    elif from_moderation:
        _show(command.ask_decided(names), plot, as_json=call.as_json)
    elif path is not None:
        _show(command.ask(path, names, keep), plot, as_json=call.as_json)


def _require_one_source(path: Path | None, *, has_own_questions: bool) -> None:
    """Questions come from a path or from the base: one of the two, and not both."""
    if path is not None and has_own_questions:
        raise UsageError(
            f"--replay and --from-moderation use questions from the base, not those in {path}.",
            hint="Leave out one of the two.",
        )
    if path is None and not has_own_questions:
        raise UsageError(
            "There is nothing to evaluate.",
            hint="Give a folder or a CSV file, or use --replay or --from-moderation.",
        )


def _show(asked: AskedSet, plot: Path | None, *, as_json: bool) -> None:
    """Print the figures, and draw them where that is wanted."""
    drawing = evaluation_text.drawn(asked, plot) if plot else None
    if plot and drawing is not None:
        plot.write_text(drawing, "utf-8")
    if as_json:
        say_json(evaluation_json_shapes.as_json(asked, plot))
    else:
        evaluation_text.show(asked)
        if plot:
            tell(f"Drew the figures in {plot}.")


@dataclass(frozen=True)
class _Evaluation:
    """One call of the command."""

    call: Invocation
    provider: RerankProvider
    top_k: int
    limit: int | None
    collection: str | None

    def ask(self, path: Path, names: Sequence[str], keep: Path | None) -> AskedSet:
        """Ask the questions found there, under each of the settings."""
        if not path.exists():
            raise PathNotFound(f"There is no {str(path)!r}.")
        if path.is_file():
            with self.call.open() as book:
                questions = own_questions(book, path, self.collection)
                return self._asked(book, path.name, questions, names, self.collection)
        if not is_retrieval_set(path) and not (path / QUESTIONS).is_file():
            raise UsageError(
                f"{path} is neither a retrieval set nor a folder with a {QUESTIONS}.",
                hint=f"Add a {QUESTIONS} with the columns question and expected_document.",
            )
        name = path.resolve().name
        with self._base(keep) as book:
            if is_retrieval_set(path):
                self._fill(book, path, name)
                questions = read_queries(path)
            else:
                self._add(book, path, name)
                questions = own_questions(book, path / QUESTIONS, name)
            return self._asked(book, name, questions, names, name)

    def ask_decided(self, names: Sequence[str]) -> AskedSet:
        """Ask the questions decided in review, under each of the settings."""
        with self.call.open() as book:
            questions: list[JudgedQuestion] = book.moderation.judged_questions(self.collection)
            if not questions:
                raise UsageError(
                    "No decided draft names its documents yet.",
                    hint="Approve some drafts: `sourcebook moderate list` shows them.",
                )
            return self._asked(book, "moderation", questions, names, self.collection)

    def replay(self, chosen: str, against: str) -> None:
        """Repeat the questions people asked, under both settings."""
        before, after = self._setting(against), self._setting(chosen)
        if before.name == after.name:
            raise UsageError(
                f"Both settings are {chosen}.", hint="Choose another with --mode, --rerank or --against."
            )
        with self.call.open() as book:
            questions = _asked_before(book)[: self.limit]
            with counting_bar("asking") as bar:
                replayed = book.quality.replay(
                    questions, before, after, k=5, collection=self.collection, on_asked=bar
                )
        if self.call.as_json:
            say_json(evaluation_text.replay_as_json(replayed, before.name, after.name))
        elif replayed:
            say(evaluation_text.replay_as_text(replayed, before.name, after.name))
        else:
            tell("There are no questions yet. `sourcebook ask` and `sourcebook chat` store them.")

    @contextmanager
    def _base(self, keep: Path | None) -> Generator[sourcebook.Sourcebook]:
        with tempfile.TemporaryDirectory(prefix="sourcebook-eval-") as place:
            settings = self.call.loaded.settings.at(str(keep or Path(place) / "base.db"))
            with sourcebook.Sourcebook(settings=settings, face="cli") as book:
                yield book

    def _fill(self, book: sourcebook.Sourcebook, path: Path, collection: str) -> None:
        records = list(read_records(path))
        with counting_bar("adding") as bar:
            for done, record in enumerate(records, start=1):
                # Texts that come twice stay two documents, as the judges took them: their metadata differs.
                book.add_text(
                    record.text,
                    id=record.id,
                    title=record.title,
                    metadata={"record": record.id},
                    collection=collection,
                )
                if bar:
                    bar(done, len(records))

    def _add(self, book: sourcebook.Sourcebook, path: Path, collection: str) -> None:
        with progress_bar() as bar:
            report = book.add(path, collection=collection, on_progress=bar)
        for failure in report.failed:
            tell(f"{failure.path}: {failure.message} ({failure.code})")
        # The questions themselves would be the best answer to every one of them.
        for document in book.library.documents(collection):
            if Path(document.file_path).name == QUESTIONS:
                book.library.remove(document.id, collection=collection)

    def _asked(
        self,
        book: sourcebook.Sourcebook,
        name: str,
        questions: Sequence[JudgedQuestion],
        settings: Sequence[str],
        collection: str | None,
    ) -> AskedSet:
        chosen = questions[: self.limit]
        found: list[Evaluation] = []
        for setting in map(self._setting, settings):
            with counting_bar(setting.name) as bar:
                found.append(
                    book.quality.evaluate(chosen, setting, k=self.top_k, collection=collection, on_asked=bar)
                )
        return AskedSet(name, len(book.library.documents(collection)), found)

    def _setting(self, name: str) -> SearchSetting:
        return SearchSetting.of(name, self.provider)


def _asked_before(book: sourcebook.Sourcebook) -> list[str]:
    """The questions in all conversations, each once, newest conversation first."""
    asked: dict[str, None] = {}
    for session in book.conversations.latest(_SESSIONS_READ):
        messages = book.conversations.get(session.id).messages
        asked |= dict.fromkeys(message.content for message in messages if message.role is Role.USER)
    return list(asked)
