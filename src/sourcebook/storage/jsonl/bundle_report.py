"""What an export or an import did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sourcebook.model.backup import OnExisting as OnExisting


@dataclass(frozen=True, slots=True)
class BundleReport:
    """What an export or import read and wrote.

    An import leaves `unchanged` what the base held already. Documents whose bytes it holds under another id are
    `duplicates`, and `skipped` are rows of an index that have no vector that fits. `rows` says how many rows of other
    tables were written, `renewed` how many of those that were there were brought to the state of the old base, and
    `left_out` what could not be taken over as it was, by the reason.
    """

    collections: Sequence[str] = ()
    documents: int = 0
    chunks: int = 0
    vectors: int = 0
    unchanged: int = 0
    duplicates: int = 0
    skipped: int = 0
    rows: Mapping[str, int] = field(default_factory=dict[str, int])
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    renewed: Mapping[str, int] = field(default_factory=dict[str, int])
    curated: int = 0
    """Curated answers that were written; of an import, without those that the base had already."""
    curated_unchanged: int = 0

    def as_dict(self) -> dict[str, int | list[str] | dict[str, int]]:
        """The report as JSON, the same on every face."""
        return {
            "collections": list(self.collections),
            "documents": self.documents,
            "chunks": self.chunks,
            "vectors": self.vectors,
            "unchanged": self.unchanged,
            "duplicates": self.duplicates,
            "skipped": self.skipped,
            "rows": dict(self.rows),
            "left_out": dict(self.left_out),
            "renewed": dict(self.renewed),
            "curated": self.curated,
            "curated_unchanged": self.curated_unchanged,
        }
