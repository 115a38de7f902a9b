"""One line of a page, as it is placed there."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text. `size` is the height of its letters.

    `is_hyphenated`: its last word goes on in the next one. `is_listing`: it is a line of a listing or a row of a table,
    which no other line goes on with.
    """

    text: str
    left: float
    right: float
    baseline: float
    size: float
    is_hyphenated: bool = False
    is_listing: bool = False
    is_table: bool = False
    """Whether it is a listing only because it is a row of a table."""

    @property
    def width(self) -> float:
        return self.right - self.left

    def to(self, other: Line, gap: str) -> Line:
        """Both as one line, which stands where the longer one does."""
        longer = self if len(self.text) >= len(other.text) else other
        return replace(
            longer,
            text=self.text + gap + other.text,
            left=min(self.left, other.left),
            right=max(self.right, other.right),
            is_hyphenated=other.is_hyphenated,
            is_listing=self.is_listing and other.is_listing,
        )
