import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, TypeAlias

import typer

import sourcebook
from sourcebook.errors import TooManyRemovals, UsageError
from sourcebook.faces.cli.ctrl_c import stopping
from sourcebook.faces.cli.exit_codes import ExitCode
from sourcebook.faces.cli.interrupt_message import INTERRUPTED
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.terminal.failure_text import next_steps
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.faces.cli.terminal.plurals import counted
from sourcebook.faces.cli.terminal.progress import progress_bar
from sourcebook.ingest.add_request import OnArchives, OnFailed, OnRemoval
from sourcebook.ingest.fingerprint import hash_bytes
from sourcebook.ingest.stop_signal import StopSignal
from sourcebook.ingest.web.addresses import is_web_address
from sourcebook.model.add_reports import AddPlan, AddReport, FailedFile, Progress, WatchRound
from sourcebook.model.documents import WriteOutcome

__all__ = ["add", "as_text", "progress_bar"]

STDIN = "-"
Bar: TypeAlias = Callable[[Progress], None] | None

Paths: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH|URL", help="Files, folders or addresses of web pages. Use - to read standard input."
    ),
]
Category: TypeAlias = Annotated[
    str | None, typer.Option("--category", metavar="X", help="What the documents are about.")
]
Subcategory: TypeAlias = Annotated[
    str | None, typer.Option("--subcategory", metavar="Y", help="A narrower topic within the category.")
]
Watch: TypeAlias = Annotated[
    bool, typer.Option("--watch", help="Keep running and add whatever changes, until Ctrl-C.")
]
DryRun: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done, without doing it.")
]
RetryFailed: TypeAlias = Annotated[
    bool, typer.Option("--retry-failed", help="Retry files that could not be read before.")
]
AllowRemovals: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--allow-removals", help="Remove missing files from the base, even if most of a folder is gone."
    ),
]
Archives: TypeAlias = Annotated[
    bool, typer.Option("--archives", help="Add what is packed in ZIP and TAR archives, now and later.")
]
Sitemap: TypeAlias = Annotated[
    bool, typer.Option("--sitemap", help="Add all pages that the sitemap of the web site lists.")
]
Depth: TypeAlias = Annotated[
    int,
    typer.Option(
        "--depth",
        metavar="N",
        min=0,
        max=20,
        help="Follow links of web pages this far, on the same host.",
    ),
]
AllowedHosts: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="HOST",
        help="Fetch pages from this host even if its address is private. Repeatable.",
    ),
]
StdinName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="NAME",
        help="A name for standard input. Using the same name again replaces the text.",
    ),
]


def add(
    call: Invocation,
    paths: Paths,
    *,
    category: Category = None,
    subcategory: Subcategory = None,
    watch: Watch = False,
    dry_run: DryRun = False,
    retry_failed: RetryFailed = False,
    allow_removals: AllowRemovals = False,
    archives: Archives = False,
    sitemap: Sitemap = False,
    depth: Depth = 0,
    allow_host: AllowedHosts = None,
    name: StdinName = None,
    collection: CollectionName = None,
) -> None:
    """Add files and folders, or bring the base up to date with them. Only changed files are read again.

    Moved files keep their documents; missing files are removed. If the folder or most of its files are gone, nothing is
    changed and the exit code is 4. Hidden files, files named in .gitignore or .sourcebookignore, and links out of the
    folder are skipped. Attachments of e-mails are added with them. Web pages are fetched again only if they changed and
    robots.txt allows it; a page is removed when its server says that it is gone. Categories are remembered for the
    given paths; --category "" clears one. The exit code is 1 if a file failed. Ctrl-C finishes the current write, and
    nothing is lost.
    """
    named = [path for path in paths if path != STDIN]
    command = _Add(
        call,
        named,
        collection,
        category,
        subcategory,
        OnRemoval.ALLOW if allow_removals else OnRemoval.REFUSE,
        OnFailed.RETRY if retry_failed else OnFailed.LEAVE,
        OnArchives.OPEN if archives else OnArchives.LEAVE,
        _WebChoice(depth, sitemap, tuple(allow_host or ())),
    )
    _require_sense(
        paths,
        is_watch=watch,
        is_dry_run=dry_run,
        is_named=name is not None,
        is_for_pages=bool(sitemap or depth or allow_host),
    )
    if dry_run:
        command.plan()
    elif watch:
        command.watch()
    else:
        command.run(_read_stdin() if STDIN in paths else None, name)


def _require_sense(
    paths: Sequence[str], *, is_watch: bool, is_dry_run: bool, is_named: bool, is_for_pages: bool
) -> None:
    """Refuse options that do not go together, before anything is opened."""
    has_pages, has_stdin = any(map(is_web_address, paths)), STDIN in paths
    if has_pages and is_watch:
        raise UsageError(
            "--watch does not work with web pages.", hint="Run `add` again to fetch what changed."
        )
    if is_for_pages and not has_pages:
        raise UsageError("--sitemap, --depth and --allow-host only apply to web pages.")
    if has_stdin and (is_watch or is_dry_run):
        raise UsageError("--watch and --dry-run do not work with standard input.", hint="Leave out `-`.")
    if is_named and not has_stdin:
        raise UsageError("--name only applies to standard input.", hint="Leave it out, or add `-` as a path.")


@dataclass(frozen=True, slots=True)
class _WebChoice:
    depth: int
    sitemap: bool
    allow_hosts: tuple[str, ...]


class _Add:
    """One call of the command."""

    def __init__(
        self,
        call: Invocation,
        paths: Sequence[str],
        collection: str | None,
        category: str | None,
        subcategory: str | None,
        on_removal: OnRemoval,
        on_failed: OnFailed,
        on_archives: OnArchives,
        web: _WebChoice,
    ) -> None:
        self.call = call
        self.paths = paths
        self.collection = collection
        self.category = category
        self.subcategory = subcategory
        self.on_removal = on_removal
        self.on_failed = on_failed
        self.on_archives = on_archives
        self.web = web

    def run(self, piped: bytes | None, name: str | None) -> None:
        with self.call.open_or_make() as book, stopping(says_so=not self.call.as_json) as stop:
            report = self._add_piped(book, piped, name) if piped is not None else AddReport()
            if self.paths:
                with progress_bar() as bar:
                    added = self._add_paths(book, bar, stop)
                report = added if piped is None else _together(report, added)
        _show(self.call, report)

    def plan(self) -> None:
        with self._planning() as book, stopping(says_so=not self.call.as_json) as stop, progress_bar() as bar:
            plan = book.plan_add(
                *self.paths,
                collection=self.collection,
                category=self.category,
                subcategory=self.subcategory,
                on_removal=self.on_removal,
                on_failed=self.on_failed,
                on_archives=self.on_archives,
                depth=self.web.depth,
                sitemap=self.web.sitemap,
                allow_hosts=self.web.allow_hosts,
                on_progress=bar,
                stop=stop,
            )
        _show_plan(self.call, plan)

    @contextmanager
    def _planning(self) -> Generator[sourcebook.Sourcebook]:
        """The base or, if there is none, a temporary empty one: planning must not create anything."""
        settings = self.call.loaded.settings
        if "://" in settings.db or Path(settings.db).exists():
            with self.call.open() as book:
                yield book
            return
        with (
            TemporaryDirectory() as folder,
            sourcebook.Sourcebook(Path(folder, "base.db"), settings=settings) as book,
        ):
            yield book

    def watch(self) -> None:
        """Run rounds until Ctrl-C. With --json, print one document for all of them at the end."""
        rounds = _Rounds(self.call)
        with self.call.open_or_make() as book, stopping(says_so=not self.call.as_json) as stop:
            book.watch(
                *self.paths,
                on_round=rounds.take,
                stop=stop,
                collection=self.collection,
                category=self.category,
                subcategory=self.subcategory,
                on_removal=self.on_removal,
            )
        # That is how a watch ends; there is nothing to be sorry for.
        self.call.has_told_interruption = True
        _show(self.call, replace(rounds.total, interrupted=True))

    def _add_paths(self, book: sourcebook.Sourcebook, bar: Bar, stop: StopSignal) -> AddReport:
        return book.add(
            *self.paths,
            collection=self.collection,
            category=self.category,
            subcategory=self.subcategory,
            on_removal=self.on_removal,
            on_failed=self.on_failed,
            on_archives=self.on_archives,
            depth=self.web.depth,
            sitemap=self.web.sitemap,
            allow_hosts=self.web.allow_hosts,
            on_progress=bar,
            stop=stop,
        )

    def _add_piped(self, book: sourcebook.Sourcebook, data: bytes, name: str | None) -> AddReport:
        try:
            # Without a name, it is known by what it says.
            written = book.add_bytes(
                name or f"stdin/{hash_bytes(data)[:16]}",
                data,
                collection=self.collection,
                category=self.category,
                subcategory=self.subcategory,
            )
        except UsageError as error:
            return AddReport(failed=[FailedFile(name or "-", error.code, error.message)])
        match written.outcome:
            case WriteOutcome.WRITTEN:
                return AddReport(updated=1) if written.replaced else AddReport(added=1)
            case WriteOutcome.DUPLICATE:
                return AddReport(duplicates=1)
            case WriteOutcome.UNCHANGED:
                return AddReport(unchanged=1)


class _Rounds:
    """Collects the rounds of a watch, and reports each round that did something."""

    def __init__(self, call: Invocation) -> None:
        self.call = call
        self.total = AddReport()

    def take(self, done: WatchRound) -> None:
        if done.report is not None:
            before = self.total
            self.total = _together(before, done.report)
            is_news = (
                before == AddReport() or _did_something(done.report) or before.skipped != done.report.skipped
            )
            if not self.call.as_json and is_news:
                tell(as_text(done.report))
                _tell_failures(done.report)
                if before.skipped != done.report.skipped:
                    tell_what_was_left(done.report)
        elif done.error is not None:
            tell(f"{done.error.message} {done.error.hint}")


def as_text(report: AddReport) -> str:
    """The report in one line: `3 added, 0 updated, …`."""
    counts = {
        "added": report.added,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "moved": report.moved,
        "removed": report.removed,
        "failed": len(report.failed),
    }
    parts = [f"{count} {name}" for name, count in counts.items()]
    if report.still_failed:
        parts.append(f"{report.still_failed} still not read")
    if report.duplicates:
        parts.append(counted(report.duplicates, "duplicate"))
    if report.skipped:
        reasons = ", ".join(f"{count} {_REASONS[reason]}" for reason, count in report.skipped.items())
        parts.append(f"{sum(report.skipped.values())} not read ({reasons})")
    return ", ".join(parts) + "."


_REASONS = {
    "unsupported": "unsupported",
    "empty": "empty",
    "too_large": "too large",
    "not_a_file": "pipes, sockets or devices",
    "link": "broken links or links out of the folder",
    "ignored": "ignored",
    "needs_ocr": "pictures without OCR",
    "needs_transcription": "recordings without a transcription model",
}


_KEPT_WITH_A_REASON = ("unsupported", "too_large", "needs_ocr", "needs_transcription")


def _show(call: Invocation, report: AddReport) -> None:
    if call.as_json:
        document = report.as_dict()
        say_json(document | {"error": INTERRUPTED.as_dict()} if report.interrupted else document)
    else:
        say(as_text(report))
        if report.stale:
            plural = (
                "answer has lost support and waits"
                if report.stale == 1
                else "answers have lost support and wait"
            )
            tell(f"{report.stale} approved {plural} for review: `sourcebook moderate list --kind stale`.")
        if report.answered:
            plural = "question that waited is" if report.answered == 1 else "questions that waited are"
            tell(f"{report.answered} {plural} answered by what you added. Whoever asked is told.")
        _tell_failures(report)
        tell_what_was_left(report)
    if report.interrupted:
        call.has_told_interruption |= call.as_json
        raise typer.Exit(ExitCode.INTERRUPTED)
    if report.failed:
        raise typer.Exit(ExitCode.ERROR)


def _tell_failures(report: AddReport) -> None:
    for failure in report.failed:
        tell(f"{failure.path}: {failure.message} ({failure.code})")
    for line in next_steps([failure.code for failure in report.failed]):
        tell(line)
    if report.still_failed:
        tell(
            f"{counted(report.still_failed, 'file')} that could not be read before did not change, and "
            f"{'was' if report.still_failed == 1 else 'were'} not tried again. "
            "See `sourcebook documents list --failed`, or try again with --retry-failed."
        )


def tell_what_was_left(report: AddReport) -> None:
    """Where to look if files were not read, or if there were none."""
    if not (
        _did_something(report)
        or report.unchanged
        or report.still_failed
        or report.duplicates
        or report.skipped
        or report.interrupted
    ):
        tell("There is nothing to read there: no files, or only hidden ones.")
    elif any(reason in report.skipped for reason in _KEPT_WITH_A_REASON):
        tell("`sourcebook documents list --failed` lists what was not read, and says what to do.")


def _show_plan(call: Invocation, plan: AddPlan) -> None:
    if call.as_json:
        say_json(plan.as_dict())
    else:
        say_rows(
            ("action", "path", "from"), [(step.action, step.path, step.moved_from) for step in plan.steps]
        )
        tell(as_text(plan.report))
        _tell_failures(plan.report)
        if plan.refused is not None:
            tell(f"{plan.refused} {TooManyRemovals().hint}")
    if plan.refused is not None:
        raise typer.Exit(ExitCode.CONFLICT)


def _together(one: AddReport, other: AddReport) -> AddReport:
    """Both reports in one. Counts of unchanged files come from the later."""
    summed = {
        name: getattr(one, name) + getattr(other, name)
        for name in ("added", "updated", "moved", "removed", "duplicates")
    }
    failed = {file.path: file for file in (*one.failed, *other.failed)}
    return replace(other, **summed, failed=list(failed.values()))


def _did_something(report: AddReport) -> bool:
    return bool(report.added or report.updated or report.moved or report.removed or report.failed)


def _read_stdin() -> bytes:
    return sys.stdin.buffer.read()
