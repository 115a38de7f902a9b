"""The explanation of a search as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook.model.explanation import ArmName, ScanMethod

if TYPE_CHECKING:
    from sourcebook.model.explanation import (
        ArmExplanation,
        ArmPlace,
        CollectionExplanation,
        DocumentPlace,
        Explanation,
        ResultExplanation,
        SearchPlan,
    )

_ARMS = {ArmName.SEMANTIC: "meaning", ArmName.KEYWORD: "words"}


def of_result(result: ResultExplanation) -> str:
    """How one result was ranked, in one line."""
    parts = [
        _of_place(name, place)
        for name, place in (("meaning", result.semantic), ("words", result.keyword))
        if place is not None
    ]
    if result.fused_rank is not None and result.fused_score is not None:
        parts.append(f"together {result.fused_rank}. ({result.fused_score:.3f})")
    if result.rank_before_rerank is not None:
        score = "not judged" if result.rerank_score is None else f"{result.rerank_score:.3f}"
        parts.append(f"reranked from {result.rank_before_rerank}. to {result.rank}. ({score})")
    if result.is_general:
        parts.append("a general entry, after the chosen subcategory")
    return "   ↳ " + " · ".join(parts) + "\n"


def _of_place(arm: str, place: ArmPlace) -> str:
    if place.rank is None or place.score is None:
        return f"{arm}: not found, adds {place.term:+.3f}"
    return f"{arm}: {place.rank}. ({place.score:.3f}), adds {place.term:+.3f}"


def of_search(explanation: Explanation) -> str:
    """How the collections were searched, and how long it took."""
    lines = [line for collection in explanation.collections for line in _of_collection(collection)]
    lines += [
        f"  {demotion.chunk_id} was moved down: {demotion.reason}, like {demotion.because_of}"
        for demotion in explanation.demoted
    ]
    lines += [
        f"  {stage.stage}{f' in {stage.collection_id}' if stage.collection_id else ''}:"
        f" {stage.milliseconds:.1f} ms"
        for stage in explanation.stages
    ]
    lines.append(f"  total: {explanation.milliseconds:.1f} ms")
    return "How the search was done:\n" + "\n".join(lines)


def _of_collection(collection: CollectionExplanation) -> Iterator[str]:
    yield f"  collection {collection.collection_id}" + (
        f" where {collection.filter}" if collection.filter else ""
    )
    for arm in collection.arms:
        yield f"    {_ARMS[arm.arm]}: {_of_arm(arm)}"
    if collection.fusion is not None:
        weights = ", ".join(f"{_ARMS[arm.arm]} {arm.weight:g}" for arm in collection.arms)
        yield f"    fused by {collection.fusion}: {weights}"


def _of_arm(arm: ArmExplanation) -> str:
    if arm.found is None:
        return "not used"
    found = f"{arm.found} of {arm.asked} candidates found"
    return found if arm.plan is None else f"{found}; {_of_plan(arm.plan)}"


def _of_plan(plan: SearchPlan) -> str:
    allowed = "some" if plan.allowed is None else plan.allowed
    scored = "" if plan.scored is None else f"{plan.scored} "
    how = "scored exactly" if plan.method is ScanMethod.EXACT else "scored through an index"
    told = f"{allowed} of {plan.rows} rows match the filter, {scored}{how}"
    if plan.terms:
        told += "; in passages: " + ", ".join(f"{term.term} {term.passages}" for term in plan.terms)
    return told


def of_document(place: DocumentPlace) -> str:
    """Where a document ranks, or every reason why it is not found."""
    name = place.document_path or place.document
    if place.rank is not None:
        return f"{name} is result number {place.rank}."
    lines = [f"{name} is not among the results:", *(f"  - {reason.message}" for reason in place.reasons)]
    ranks = [
        f"{arm}: its best passage is number {rank}"
        for arm, rank in (("meaning", place.semantic_rank), ("words", place.keyword_rank))
        if rank is not None
    ]
    return "\n".join([*lines, *(f"  {line}" for line in ranks)])
