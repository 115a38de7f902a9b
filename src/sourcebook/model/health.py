"""What `doctor` found, and what a repair did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum


class Weight(StrEnum):
    """Whether a finding is a fault or only a note."""

    FAULT = "fault"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem: how often it occurs, an example, and what to do about it.

    `rows` names what it concerns, as far as it can be named: documents by their path, other rows by table and id.
    """

    code: str
    message: str
    hint: str
    count: int = 1
    weight: Weight = Weight.FAULT
    rows: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Repair:
    """Something that was repaired, and how often."""

    code: str
    message: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class OptionalPart:
    """An optional part of the program, and what it lacks on this machine."""

    name: str
    command: str | None = None
    """The command that installs the packages it lacks."""
    programs: Sequence[str] = ()
    """Programs of the system that it lacks."""
    purpose: str = ""
    """What cannot be done without it."""
    is_needed: bool = True
    """False for one that is only kept for later: everything works without it."""

    @property
    def is_installed(self) -> bool:
        """Whether it lacks nothing."""
        return self.command is None and not self.programs

    @property
    def state(self) -> str:
        """What it lacks, in one line of English, or `installed`."""
        if not (self.is_needed or self.is_installed):
            return "not needed, everything works without it"
        wanted = [
            *([self.command] if self.command else []),
            *(f"the program {name}" for name in self.programs),
        ]
        purpose = f", for {self.purpose}" if self.purpose else ""
        return f"needs {', '.join(wanted)}{purpose}" if wanted else "installed"

    def as_dict(self) -> dict[str, object]:
        """The shape in which `doctor --json` prints it."""
        return {
            "name": self.name,
            "installed": self.is_installed,
            "command": self.command,
            "programs": list(self.programs),
            "purpose": self.purpose,
            "needed": self.is_needed,
        }


@dataclass(frozen=True, slots=True)
class HealthReport:
    """Versions, counts, and everything that is wrong with a base.

    `optional_parts` are those of the program, each with what it lacks, and `extras` says the same in a line each;
    `disk` is in bytes. After a repair, `repairs` tells what was done, and `findings` what is left.
    """

    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    findings: Sequence[Finding] = ()
    extras: Mapping[str, str] = field(default_factory=dict[str, str])
    disk: Mapping[str, int] = field(default_factory=dict[str, int])
    repairs: Sequence[Repair] = ()
    optional_parts: Sequence[OptionalPart] = ()
    open_jobs: Mapping[str, int] = field(default_factory=dict[str, int])
    """Work that waits or is under way, by its kind: `message`, `uploads`, `draft`."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults

    @property
    def faults(self) -> list[Finding]:
        """What is wrong."""
        return [finding for finding in self.findings if finding.weight is Weight.FAULT]

    @property
    def notes(self) -> list[Finding]:
        """What is worth knowing and not wrong."""
        return [finding for finding in self.findings if finding.weight is Weight.NOTE]

    def as_dict(self) -> dict[str, object]:
        """The shape in which `doctor --json` prints it."""
        return {
            "ok": self.ok,
            "versions": dict(self.versions),
            "counts": dict(self.counts),
            "extras": dict(self.extras),
            "optional_parts": [part.as_dict() for part in self.optional_parts],
            "disk": dict(self.disk),
            "open_jobs": dict(self.open_jobs),
            "findings": [{**asdict(f), "rows": list(f.rows)} for f in self.findings],
            "repairs": [asdict(repair) for repair in self.repairs],
        }
