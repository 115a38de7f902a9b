"""The run: every engine builds alone, then all are asked in turns, so that the machine's moods hit all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from shutil import copytree
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from benchmarks.speed.meters import Memory
from benchmarks.speed.worker import (
    Answered,
    Ask,
    Build,
    Built,
    Failed,
    Open,
    Opened,
    Order,
    Stop,
    Stopped,
    Weigh,
    serve,
)

if TYPE_CHECKING:
    from benchmarks.speed.engine import EngineSpec, Question

Kind = TypeVar("Kind")


class EngineFailed(Exception):
    """The engine raised, ended or did not answer in time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a run is made. A cell that took `seconds` and `least` questions is not asked further.

    `untimed` further questions tell the recall more exactly than those whose time is measured.
    """

    k: int = 10
    queries: int = 200
    untimed: int = 0
    warm_up: int = 5
    batch: int = 10
    seconds: float = 6.0
    least: int = 10
    longest_build: float = 900.0
    longest_answer: float = 300.0


@dataclass(slots=True)
class Timing:
    """The questions of one cell that one engine was asked, in their order."""

    walls: list[float] = field(default_factory=list[float])
    cpu: float = 0.0
    answers: list[Sequence[int]] = field(default_factory=list[Sequence[int]])

    def extend(self, answered: Answered) -> None:
        self.walls.extend(answered.walls)
        self.cpu += answered.cpu
        self.answers.extend(answered.answers)

    def is_done(self, plan: Plan) -> bool:
        return len(self.walls) >= plan.least and sum(self.walls) >= plan.seconds


@dataclass(slots=True)
class Measured:
    """Everything that was measured of one engine. After an error, what was measured before it."""

    spec: EngineSpec
    error: str | None = None
    built: Built | None = None
    opened: Opened | None = None
    memory: Memory | None = None
    second: tuple[Memory, Memory] | None = None
    """A second process on the same base: before it opened, and after it answered."""
    cells: dict[str, Timing] = field(default_factory=dict[str, Timing])


@dataclass(frozen=True, slots=True)
class Task:
    """What all engines are to hold and to answer. The first questions of each cell warm up."""

    blocks: Iterable[Any]
    cells: Mapping[str, Sequence[Question]]


class EngineProcess:
    """An engine in a process of its own; leaving the context ends it."""

    def __init__(self, spec: EngineSpec, log: Path) -> None:
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, spec, log), name=spec.name, daemon=True)
        self._process.start()
        theirs.close()

    def order(self, order: Order, kind: type[Kind], limit: float) -> Kind:
        try:
            self._connection.send(order)
            if not self._connection.poll(limit):
                raise EngineFailed(f"no answer within {limit:.0f} s")
            reply = self._connection.recv()
        except (EOFError, ConnectionError) as error:
            self._process.join(10)
            raise EngineFailed(f"its process ended with code {self._process.exitcode}") from error
        if isinstance(reply, Failed):
            raise EngineFailed(reply.error)
        if not isinstance(reply, kind):
            raise EngineFailed(f"answered {reply!r}")
        return reply

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._process.is_alive():
                self.order(Stop(), Stopped, 60)
            self._process.join(60)
        except EngineFailed:
            pass
        if self._process.is_alive():
            self._process.kill()
        self._process.join(10)
        self._connection.close()


@dataclass(frozen=True, slots=True)
class Run:
    """One task in one folder. `second` names the engine that is opened by two processes at the end."""

    plan: Plan
    folder: Path
    tell: Callable[[str], None]
    second: str | None = None

    def measure(self, specs: Sequence[EngineSpec], task: Task) -> list[Measured]:
        measured = [Measured(spec) for spec in specs]
        by_name = {one.spec.name: one for one in measured}
        for one in measured:
            if one.spec.shares is None:
                self._guarded(one, "build", lambda one=one: self._build(one, task))
            else:
                self._copy(by_name[one.spec.shares], one)
        with ExitStack() as stack:
            self._ask_all([one for one in measured if one.error is None], task, stack)
        return measured

    def _build(self, one: Measured, task: Task) -> None:
        folder = self._folder(one.spec)
        folder.mkdir(parents=True)
        with self._process(one.spec) as process:
            one.built = process.order(Build(folder, task.blocks), Built, self.plan.longest_build)
        self.tell(f"{one.spec.name}: built in {one.built.spent.wall:.1f} s")

    def _copy(self, built: Measured, one: Measured) -> None:
        """The same base for another way to search it. Some engines let only one process in, so it is a copy."""
        one.built, one.error = built.built, built.error
        if built.error is None:
            copytree(self._folder(built.spec), self._folder(one.spec))

    def _ask_all(self, ready: Sequence[Measured], task: Task, stack: ExitStack) -> None:
        open_engines: list[tuple[Measured, EngineProcess]] = []
        for one in ready:
            process = stack.enter_context(self._process(one.spec))
            self._guarded(one, "open", lambda one=one, process=process: self._open(one, process, task))
            if one.error is None:
                open_engines.append((one, process))
        self._in_turns(open_engines, task)
        for one, process in open_engines:
            for name, questions in task.cells.items():
                self._ask_untimed(one, process, name, questions)
        for one, process in open_engines:
            if one.error is None:
                self._guarded(one, "weigh", lambda one=one, process=process: self._weigh(one, process, task))

    def _open(self, one: Measured, process: EngineProcess, task: Task) -> None:
        first = next(iter(task.cells.values()))[0]
        order = Open(self._folder(one.spec), first, self.plan.k)
        one.opened = process.order(order, Opened, self.plan.longest_build)
        for questions in task.cells.values():
            self._asked(process, questions[: self.plan.warm_up])
        self.tell(f"{one.spec.name}: opened in {one.opened.spent.wall:.2f} s")

    def _in_turns(self, engines: Sequence[tuple[Measured, EngineProcess]], task: Task) -> None:
        """A batch for each engine and cell, again and again; who begins changes with each turn."""
        plan = self.plan
        for turn, start in enumerate(range(plan.warm_up, plan.warm_up + plan.queries, plan.batch)):
            first = turn % max(1, len(engines))
            for name, questions in task.cells.items():
                batch = questions[start : min(start + plan.batch, plan.warm_up + plan.queries)]
                for one, process in [*engines[first:], *engines[:first]]:
                    timing = one.cells.setdefault(name, Timing())
                    if one.error is None and not timing.is_done(plan):
                        self._guarded(
                            one,
                            f"ask, {name}",
                            lambda t=timing, p=process, b=batch: t.extend(self._asked(p, b)),
                        )
            self.tell(f"asked {start + plan.batch - plan.warm_up} of {plan.queries} questions")

    def _ask_untimed(
        self, one: Measured, process: EngineProcess, name: str, questions: Sequence[Question]
    ) -> None:
        """Further questions, for half of the time that the timed ones may take; only their answers count."""
        timing = one.cells.get(name)
        start = self.plan.warm_up + self.plan.queries
        if timing is None or len(timing.answers) < self.plan.queries:
            return
        end = time.monotonic() + self.plan.seconds / 2
        for first in range(start, start + self.plan.untimed, 50):
            if one.error is not None or time.monotonic() > end:
                return
            batch = questions[first : min(first + 50, start + self.plan.untimed)]
            self._guarded(
                one, f"ask, {name}", lambda b=batch: timing.answers.extend(self._asked(process, b).answers)
            )

    def _weigh(self, one: Measured, process: EngineProcess, task: Task) -> None:
        one.memory = process.order(Weigh(), Memory, 60)
        if one.spec.name != self.second:
            return
        with self._process(one.spec) as other:
            first = next(iter(task.cells.values()))[0]
            opened = other.order(
                Open(self._folder(one.spec), first, self.plan.k), Opened, self.plan.longest_build
            )
            for questions in task.cells.values():
                self._asked(other, questions[: self.plan.warm_up + self.plan.batch])
            one.second = (opened.before, other.order(Weigh(), Memory, 60))

    def _asked(self, process: EngineProcess, questions: Sequence[Question]) -> Answered:
        return process.order(Ask(questions, self.plan.k), Answered, self.plan.longest_answer)

    def _guarded(self, one: Measured, step: str, do: Callable[[], None]) -> None:
        """An engine that fails is out of the run, and its row says why."""
        try:
            do()
        except EngineFailed as error:
            one.error = f"{step}: {error}"
            self.tell(f"{one.spec.name}: {one.error}")

    def _folder(self, spec: EngineSpec) -> Path:
        return self.folder / spec.name.replace(" ", "-")

    def _process(self, spec: EngineSpec) -> EngineProcess:
        return EngineProcess(spec, self.folder / f"{spec.name.replace(' ', '-')}.log")
