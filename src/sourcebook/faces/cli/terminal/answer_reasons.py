"""How an answer was chosen, as text: what was searched, what spoke for answering and what against, what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sourcebook.faces.cli.terminal.answer_text import detail_rows
from sourcebook.locale import page_texts
from sourcebook.model.chat import Tier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sourcebook.model.chat import Answer


def reasons(answer: Answer) -> str:
    """How an answer was chosen, in words. The numbers behind them are in JSON."""
    details = answer.details
    lines = [f"Tier: {answer.tier.value}. Searched for: {details.get('searched')}"]
    if expansions := cast("list[str]", details.get("expansions") or []):
        lines.append(f"  and for: {', '.join(expansions)}")
    if answer.tier is not Tier.NONE:
        lines.append(f"  written by: {details.get('model') or 'nobody; it is quoted'}")
    for entry in detail_rows(details.get("curated")):
        verdict = "taken" if entry["taken"] else f"not taken: {_difference(str(entry['reason']))}"
        lines.append(f"  curated answer {entry['id']}: {verdict}")
    lines += _judgement(details)
    passages = detail_rows(details.get("passages"))
    lines += [
        f"  {passage['document_path']}: {_verdict(passage)}, {_share(passage['share'])}"
        for passage in passages
    ]
    if answer.tier is Tier.NONE and not passages:
        lines.append("  nothing was found")
    return "\n".join(lines)


def _judgement(details: Mapping[str, Any]) -> list[str]:
    """The decision, and what spoke for it and against it, in the words of the page."""
    judgement = details.get("judgement")
    if not isinstance(judgement, dict):
        return []
    told, says = cast("dict[str, Any]", judgement), page_texts(None)
    otherwise = "why_left_to_model" if details.get("left_to_model") else "why_not_enough"
    by = ", by meaning alone" if told["sure"] or told["by"] == "meaning" else ""
    shares = {name: number["share"] for name, number in told["numbers"].items()}
    score = says("why_score", score=f"{told['score']:.2f}", needed=f"{told['needed']:.2f}")
    lines = [f"  {says('why_enough' if told['accepted'] else otherwise)}{by}. {score}"]
    lines.append(f"    {told['score'] - sum(shares.values()):+.2f}  {says('judged_start')}")
    contributed = ((f"judged_{name}", share) for name, share in shares.items() if round(share, 2))
    return [*lines, *(f"    {share:+.2f}  {says(key)}" for key, share in contributed)]


def _difference(reason: str) -> str:
    says, key = page_texts(None), f"differs_{reason}"
    return says(key) if key in says.entries else reason


def _verdict(passage: Mapping[str, Any]) -> str:
    if passage["taken"]:
        return "quoted" if passage.get("quoted") else "close enough, not quoted"
    return "damaged on disk; run `sourcebook doctor`" if passage.get("damaged") else "not close enough"


def _share(share: float) -> str:
    """How many of the words of the question a passage has. Rare words count for more."""
    if share <= 0:
        return "has no word of the question"
    return "has all words of the question" if share >= 1 else f"has {share:.0%} of the question"
