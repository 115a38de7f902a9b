"""The filters for a chosen subcategory, and for the general entries that follow it.

Entries without a subcategory are general, and so are those of `<culture>_общая`, where the culture is the part before
the first `_`: `малина_ремонтантная` is followed by `малина_общая` and by entries without a subcategory.
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
    """The entries that are general for this subcategory, without those in it."""
    # Every text but the empty one is greater than it.
    without = Not(GreaterThan(FIELD, ""))
    return _both(Or((without, In(FIELD, general_names(subcategory)))), within)


def general_names(subcategory: str) -> list[str]:
    """The general subcategories of the same culture, in normal form."""
    chosen = normal_form(subcategory)
    culture = chosen.split("_")[0]
    return [name for word in GENERAL_WORDS if (name := f"{culture}_{word}") != chosen]


def _both(one: MetadataFilter, other: MetadataFilter | None) -> MetadataFilter:
    return one if other is None else And((other, one))
