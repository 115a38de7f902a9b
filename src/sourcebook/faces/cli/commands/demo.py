import importlib.resources
from pathlib import Path
from typing import Any

import sourcebook
from sourcebook.errors import Conflict, PathNotFound
from sourcebook.faces import shapes
from sourcebook.faces.cli.commands.add import as_text as report_as_text
from sourcebook.faces.cli.commands.search import as_text as result_as_text
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.output import say, say_json, tell
from sourcebook.ingest.report import AddReport
from sourcebook.model.search import RetrievalConfig, SearchResult
from sourcebook.settings import Origin

DEMO_BASE = Path("data/demo.db")
QUESTIONS = {
    "ru": "Чем поливать голубику, если вода жёсткая?",
    "en": "How much sulphur lowers the pH of sandy soil?",
    "pt": "Que variedades de mirtilo precisam de menos frio?",
}


def demo(call: Invocation) -> None:
    """Index the sample library and ask it in three languages. Makes data/demo.db anew, or the base named by --db."""
    base, sample = _fresh_base(call), _sample()
    settings = call.loaded.settings.model_copy(update={"db": str(base)})
    tell(f"Indexing the sample library ({sample}) into {base} …")
    with sourcebook.Sourcebook(settings=settings) as book:
        report = book.add(sample)
        tell(report_as_text(report))
        found = {
            language: book.search(question, RetrievalConfig(top_k=1))
            for language, question in QUESTIONS.items()
        }
    if call.as_json:
        say_json(_document(base, report, found))
        return
    for language, question in QUESTIONS.items():
        say(f"[{language}] {question}\n")
        for rank, result in enumerate(found[language], start=1):
            say(result_as_text(rank, result))
    tell(_next_steps(base))


def _fresh_base(call: Invocation) -> Path:
    """A path for the demo's base. One that somebody named is never overwritten."""
    if call.loaded.origins.get("db") is Origin.FLAG:
        named = Path(call.loaded.settings.db)
        if named.exists():
            raise Conflict(f"{named} exists already.", hint="The demo wants a new base: name another path.")
        return named
    for leftover in (DEMO_BASE, Path(f"{DEMO_BASE}-wal"), Path(f"{DEMO_BASE}-shm")):
        leftover.unlink(missing_ok=True)
    return DEMO_BASE


def _sample() -> Path:
    """The sample library: inside the installed package, or beside the source of an editable install."""
    package = Path(str(importlib.resources.files(sourcebook)))
    for folder in (package / "_sample" / "documents", package.parent.parent / "sample" / "documents"):
        if folder.is_dir():
            return folder
    raise PathNotFound(
        "The sample library was not installed.", hint="Install Sourcebook from its wheel again."
    )


def _document(base: Path, report: AddReport, found: dict[str, list[SearchResult]]) -> dict[str, Any]:
    return {
        "db": str(base),
        "report": report.as_dict(),
        "answers": [
            {
                "language": language,
                "question": question,
                "results": [shapes.search_result(result) for result in found[language]],
            }
            for language, question in QUESTIONS.items()
        ],
    }


def _next_steps(base: Path) -> str:
    return f"""Try next:
  sourcebook search --db {base} "a question of your own"
  sourcebook add ~/notes                # your own documents, into data/knowledge_base.db
  sourcebook --help"""
