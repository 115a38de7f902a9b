"""What an examination of a base found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be: how often, one example, and what to do about it."""

    code: str
    message: str
    hint: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The versions at work, what the base holds, and everything that is wrong with it."""

    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    findings: Sequence[Finding] = ()

    @property
    def ok(self) -> bool:
        return not self.findings

    def as_dict(self) -> dict[str, object]:
        return {
            "ok": self.ok,
            "versions": dict(self.versions),
            "counts": dict(self.counts),
            "findings": [asdict(finding) for finding in self.findings],
        }
