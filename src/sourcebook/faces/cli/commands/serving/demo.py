import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import sourcebook
from sourcebook.consult.question.inquiry import LOCAL_USER
from sourcebook.errors import Conflict
from sourcebook.faces import json_shapes
from sourcebook.faces.cli.commands.documents.add import as_text as report_as_text
from sourcebook.faces.cli.commands.serving.serve import serve
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.answer_text import say_sources
from sourcebook.faces.cli.terminal.output import say, say_json, tell
from sourcebook.faces.sample_library import sample_folder
from sourcebook.model.add_reports import AddReport
from sourcebook.model.chat import Answer
from sourcebook.model.moderation import DraftKind
from sourcebook.settings import SettingOrigin
from sourcebook.sync import Sourcebook

DEMO_BASE = Path("data/demo.db")
QUESTIONS = {
    "ru": "Чем поливать голубику, если вода жёсткая?",
    "en": "How much sulphur lowers the pH of sandy soil?",
    "pt": "Quantas horas de frio pede o mirtilo no Sul do Brasil?",
}
UNANSWERABLE = "How do I repair a bicycle tyre?"
EDITED = Path("blueberry") / "acid-soil.md"
BEFORE, AFTER = "about 20 g per square metre", "about 35 g per square metre"


@dataclass(frozen=True, slots=True)
class Shown:
    """What the demo showed: the report of `add`, and its answers."""

    report: AddReport
    answers: dict[str, Answer]
    declined: Answer
    curated: Answer
    stale: Answer
    waiting: int


def demo(
    call: Invocation,
    *,
    open_page: Annotated[
        bool,
        typer.Option("--open", help="Then run the server with this base, and open its page in a browser."),
    ] = False,
) -> None:
    """Ask the sample library, and see an approved answer go stale. Recreates data/demo.db, or uses --db."""
    base = _fresh_base(call)
    library = _own_copy(base)
    settings = call.loaded.settings.model_copy(update={"db": str(base)})
    with sourcebook.Sourcebook(settings=settings) as book:
        shown = _gone_through(book, library, call)
    if call.as_json:
        say_json(_document(base, library, shown))
    elif not open_page:
        tell(_next_steps(base))
    if open_page:
        serve(Invocation(call.as_json, {**call.flags, "db": str(base)}), open_page=True)


def _gone_through(book: Sourcebook, library: Path, call: Invocation) -> Shown:
    _heading(call, f"1. Index a folder of documents: {library}")
    report = book.add(library)
    tell(report_as_text(report))
    _heading(call, "2. Ask in three languages, and get answers with sources")
    answers = {language: _asked(book, question, call) for language, question in QUESTIONS.items()}
    _heading(call, "3. A question the documents do not answer waits for an expert")
    declined = _asked(book, UNANSWERABLE, call)
    _heading(call, "4. A person approves an answer, and from now on it comes first")
    draft = book.moderation.consider(answers["en"]) or book.moderation.call_human(QUESTIONS["en"])
    book.moderation.approve_moderation_item(draft.id, LOCAL_USER, answer=answers["en"].answer)
    curated = _asked(book, QUESTIONS["en"], call)
    _heading(call, f"5. Its source changes: {EDITED} now says “{AFTER}”. The approved answer is out of date")
    _edit(library / EDITED)
    book.add(library)
    stale = _asked(book, QUESTIONS["en"], call)
    waiting = len(book.moderation.get_pending_moderation_items(kind=DraftKind.STALE))
    _heading(
        call,
        f"It is back in the review queue: {waiting} stale answer waiting (`sourcebook moderate list --kind stale`).",
    )
    return Shown(report, answers, declined, curated, stale, waiting)


def _heading(call: Invocation, text: str) -> None:
    if not call.as_json:
        say(f"\n{text}")


def _asked(book: Sourcebook, question: str, call: Invocation) -> Answer:
    answer = book.ask(question)
    if not call.as_json:
        say(f"\n> {question}\n{answer.answer}")
        say_sources(answer)
    return answer


def _edit(path: Path) -> None:
    path.write_text(path.read_text("utf-8").replace(BEFORE, AFTER), "utf-8")


def _own_copy(base: Path) -> Path:
    """A copy of the sample library beside the base, which the demo may edit."""
    library = base.with_suffix(".documents")
    shutil.rmtree(library, ignore_errors=True)
    shutil.copytree(sample_folder(), library)
    return library


def _fresh_base(call: Invocation) -> Path:
    """A path for the demo's base. A base named by the user is never overwritten."""
    if call.loaded.origins.get("db") is SettingOrigin.FLAG:
        named = Path(call.loaded.settings.db)
        if named.exists():
            raise Conflict(f"{named} already exists.", hint="The demo needs a new base: choose another path.")
        return named
    for leftover in (DEMO_BASE, Path(f"{DEMO_BASE}-wal"), Path(f"{DEMO_BASE}-shm")):
        leftover.unlink(missing_ok=True)
    return DEMO_BASE


def _document(base: Path, library: Path, shown: Shown) -> dict[str, Any]:
    return {
        "db": str(base),
        "documents": str(library),
        "report": shown.report.as_dict(),
        "answers": [
            {"language": language, **json_shapes.answer(answer)} for language, answer in shown.answers.items()
        ],
        "declined": json_shapes.answer(shown.declined),
        "curated": json_shapes.answer(shown.curated, with_details=True),
        "stale": json_shapes.answer(shown.stale, with_details=True),
        "waiting": shown.waiting,
    }


def _next_steps(base: Path) -> str:
    command = _command()
    return f"""Try next:
  {command} search --db {base} "your own question"
  {command} add ~/notes                # index your own documents in data/knowledge_base.db
  {command} --help

Open the page with this base:
  {command} serve --db {base} --open"""


def _command() -> str:
    """What to type for this program: its name if the shell finds it, else where it is."""
    own = Path(sys.argv[0])
    found = shutil.which("sourcebook")
    if own.name != "sourcebook" or (found is not None and Path(found).resolve() == own.resolve()):
        return "sourcebook"
    here = Path.cwd()
    return str(own.relative_to(here)) if own.is_relative_to(here) else str(own)
