"""Why an answer is what it is: what was searched, what was found, and what was thrown away."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sourcebook.faces.web.answer_view import file_name, rows
from sourcebook.locale import Texts
from sourcebook.model.chat import Citation


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that was looked at. `width` is how close it came, in hundredths; `part` the key of what it was for."""

    title: str
    file: str
    closeness: float
    width: int
    taken: bool
    part: str


@dataclass(frozen=True, slots=True)
class FoundCurated:
    id: int
    distance: float
    taken: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Share:
    """What one number adds to the decision to answer, or takes from it."""

    name: str
    value: float
    share: float
    width: int


@dataclass(frozen=True, slots=True)
class WhyView:
    searched: str
    expansions: Sequence[str]
    written_by: str | None
    passages: Sequence[FoundPassage]
    curated: Sequence[FoundCurated]
    shares: Sequence[Share]
    """They add up to the score. The first is where every question starts."""
    score: float | None
    needed: float | None
    verdict: str
    """The key of what was decided."""


def why_view(texts: Texts, details: Mapping[str, Any], citations: Sequence[Citation] = ()) -> WhyView:
    """The details of an answer, as they are drawn."""
    judgement = details.get("judgement")
    told = cast("dict[str, Any]", judgement) if isinstance(judgement, dict) else {}
    expansions = details.get("expansions")
    return WhyView(
        searched=str(details.get("searched") or ""),
        expansions=[str(each) for each in cast("list[Any]", expansions or [])],
        written_by=cast("str | None", details.get("model")),
        passages=_passages(details, {each.chunk_id for each in citations}),
        curated=_curated(texts, details),
        shares=_shares(texts, told),
        score=_rounded(told.get("score")),
        needed=told.get("needed"),
        verdict=_verdict(details, told),
    )


def _verdict(details: Mapping[str, Any], judgement: Mapping[str, Any]) -> str:
    if judgement.get("accepted"):
        return "why_enough"
    return "why_left_to_model" if details.get("left_to_model") else "why_not_enough"


def _passages(details: Mapping[str, Any], cited: Collection[str | None]) -> list[FoundPassage]:
    found = rows(details.get("passages"))
    for_answer = "passage_cited" if details.get("model") else "passage_quoted"
    return [
        FoundPassage(
            title=str(row.get("title") or file_name(str(row.get("document_path")))),
            file=file_name(str(row.get("document_path"))),
            closeness=_number(row.get("closeness")),
            width=_width(_number(row.get("closeness"))),
            taken=bool(row.get("taken")),
            part=for_answer
            if row.get("chunk_id") in cited
            else "passage_read"
            if row.get("taken")
            else "not_taken",
        )
        for row in found
    ]


def _curated(texts: Texts, details: Mapping[str, Any]) -> list[FoundCurated]:
    found: list[FoundCurated] = []
    for row in rows(details.get("curated")):
        key = f"differs_{row.get('reason')}"
        reason = texts(key) if key in texts.entries else str(row.get("reason") or "")
        found.append(
            FoundCurated(
                int(row["id"]), max(0.0, _number(row.get("distance"))), bool(row.get("taken")), reason
            )
        )
    return found


def _shares(texts: Texts, judgement: Mapping[str, Any]) -> list[Share]:
    numbers = judgement.get("numbers")
    each = cast("dict[str, dict[str, Any]]", numbers) if isinstance(numbers, dict) else {}
    if not each:
        return []
    found = [
        (
            texts(f"judged_{name}") if f"judged_{name}" in texts.entries else name,
            _number(row.get("value")),
            _number(row.get("share")),
        )
        for name, row in each.items()
    ]
    start = _number(judgement.get("score")) - sum(share for _, _, share in found)
    found.insert(0, (texts("judged_start"), 0.0, start))
    largest = max(abs(share) for _, _, share in found) or 1.0
    return [Share(name, value, share, round(50 * abs(share) / largest)) for name, value, share in found]


def _rounded(value: object) -> float | None:
    """To two places, and never a nought below nought."""
    return round(float(value), 2) + 0.0 if isinstance(value, int | float) else None


def _width(closeness: float) -> int:
    """A bar for a closeness, which may be below nought: half of it at nought, and never quite nothing or all."""
    return max(2, round(100 / (1 + math.exp(-max(-30.0, min(30.0, closeness))))))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
