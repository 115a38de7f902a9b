"""An evaluation as a table and as a chart, and a replay as JSON."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from statistics import fmean
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from sourcebook.faces.cli.terminal.charts import Bars, as_svg, as_text
from sourcebook.faces.cli.terminal.output import say_rows, stderr, tell
from sourcebook.faces.cli.terminal.plurals import counted

if TYPE_CHECKING:
    from pathlib import Path

    from sourcebook.faces.evaluation_json_shapes import AskedSet
    from sourcebook.retrieve.evaluation.evaluate import Evaluation, MetricDifference, Replayed

_MISSED_SHOWN = 5
_LUCK = 0.05


@contextmanager
def counting_bar(what: str) -> Generator[Callable[[int, int], None] | None]:
    """A progress bar on stderr, if that is a terminal."""
    console = stderr()
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def counting_bars() -> Generator[Callable[[str, int, int], None] | None]:
    """The same for work of several parts, each told by its name."""
    console = stderr()
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)


def show(asked: AskedSet) -> None:
    k = asked.k
    heading = ["search", f"nDCG@{k}", f"recall@{k}", f"MRR@{k}", "p50 ms", "p95 ms"]
    with_answers = any(one.figures.answer_at_1 is not None for one in asked.evaluations)
    if with_answers:
        heading += ["answer@1", "answer@3"]
    against = {difference.setting: difference for difference in asked.differences}
    if against:
        heading += [f"vs {asked.evaluations[0].setting}", "by luck"]
    say_rows(heading, [_row(one, against, with_answers=with_answers) for one in asked.evaluations])
    first = asked.evaluations[0]
    tell(f"{asked.name}: {first.figures.questions} questions, {asked.documents} documents.")
    if against:
        tell(f"By luck: how often chance alone would cause such a difference; below {_LUCK} it is unlikely.")
    _tell_unanswerable(asked)
    _tell_missed(first)


def _row(one: Evaluation, against: dict[str, MetricDifference], *, with_answers: bool) -> list[str]:
    figures = one.figures
    row = [one.setting, *(f"{value:.4f}" for value in (figures.ndcg, figures.recall, figures.mrr))]
    row += [f"{figures.p50_ms:.1f}", f"{figures.p95_ms:.1f}"]
    if with_answers:
        row += ["" if v is None else f"{v:.3f}" for v in (figures.answer_at_1, figures.answer_at_3)]
    if against:
        difference = against.get(one.setting)
        row += ["", ""] if difference is None else [f"{difference.ndcg:+.4f}", _luck(difference.chance)]
    return row


def _luck(chance: float) -> str:
    return "< 0.001" if chance < 0.001 else f"{chance:.3f}"


def _tell_unanswerable(asked: AskedSet) -> None:
    if not asked.unanswerable:
        return
    apart = asked.evaluations[0].told_apart
    told = (
        ""
        if apart is None
        else f" Questions with an answer find something nearer in {apart:.0%} of comparisons."
    )
    tell(f"{counted(asked.unanswerable, 'more question')} should be declined.{told}")


def _tell_missed(first: Evaluation) -> None:
    missed = first.missed
    if missed:
        tell(f"{len(missed)} questions did not find their document with {first.setting}, among them:")
    for outcome in missed[:_MISSED_SHOWN]:
        tell(f"  {outcome.question.text}")


def drawn(asked: AskedSet, plot: Path) -> str:
    """The figures as bars: an SVG picture, or text."""
    k = asked.k
    groups = (f"nDCG@{k}", f"recall@{k}", f"MRR@{k}")
    bars = Bars(
        title=f"{asked.name}: {asked.evaluations[0].figures.questions} questions, {asked.documents} documents",
        groups=groups,
        series={
            one.setting: (one.figures.ndcg, one.figures.recall, one.figures.mrr) for one in asked.evaluations
        },
    )
    return as_svg(bars) if plot.suffix.lower() == ".svg" else as_text(bars)


def replay_as_json(replayed: Sequence[Replayed], before: str, after: str) -> dict[str, Any]:
    return {
        "before": before,
        "after": after,
        "overlap": _mean_overlap(replayed),
        "questions": [
            {
                "question": one.question,
                "overlap": one.overlap,
                "before": list(one.before),
                "after": list(one.after),
                "moved": {name: list(ranks) for name, ranks in one.moved.items()},
            }
            for one in replayed
        ],
    }


def replay_as_text(replayed: Sequence[Replayed], before: str, after: str) -> str:
    changed = [one for one in replayed if one.moved]
    lines = [
        f"{len(replayed)} questions, {len(changed)} of them answered otherwise by {after} than by {before}; "
        f"{_mean_overlap(replayed):.0%} of the first five documents are the same."
    ]
    for one in sorted(changed, key=lambda one: one.overlap):
        lines.append(f"\n{one.question} ({one.overlap:.0%} the same)")
        lines += [f"  {_place(was)} → {_place(now)}  {name}" for name, (was, now) in one.moved.items()]
    return "\n".join(lines)


def _place(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def _mean_overlap(replayed: Sequence[Replayed]) -> float:
    return fmean(one.overlap for one in replayed) if replayed else 1.0
