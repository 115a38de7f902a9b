"""A chosen subcategory, and the general entries that are searched behind it.

Entries without a subcategory are general, and so are those of `<culture>_общая`; the culture is what stands before the
first `_`. Behind `малина_ремонтантная` come `малина_общая` and the entries without a subcategory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.model.search import And, Equals, GreaterThan, In, Not, Or
from sourcebook.text.case_and_accents import normal_form

if TYPE_CHECKING:
    from sourcebook.model.search import MetadataFilter

FIELD = "subcategory"
GENERAL_WORDS = ("общая", "general", "geral")


def own_entries(subcategory: str, within: MetadataFilter | None) -> MetadataFilter:
    return _both(Equals(FIELD, subcategory), within)


def general_entries(subcategory: str, within: MetadataFilter | None) -> MetadataFilter:
    """The entries that are general for this subcategory, without its own."""
    # Only a text that is not empty comes after the empty one.
    without = Not(GreaterThan(FIELD, ""))
    return _both(Or((without, In(FIELD, general_names(subcategory)))), within)


def general_names(subcategory: str) -> list[str]:
    """What the general entries of a subcategory's culture are called, in the form in which names compare."""
    chosen = normal_form(subcategory)
    culture = chosen.split("_")[0]
    return [name for word in GENERAL_WORDS if (name := f"{culture}_{word}") != chosen]


def _both(one: MetadataFilter, other: MetadataFilter | None) -> MetadataFilter:
    return one if other is None else And((other, one))
