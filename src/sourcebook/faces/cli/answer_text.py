"""Answers as text: the answer as it is written, its numbered sources, and its unsupported sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from sourcebook.consult.answer.transcript import STATES, moment
from sourcebook.faces.cli.output import Stream, say, tell
from sourcebook.faces.source_place import source_place
from sourcebook.model.chat import Tier, TokenWritten

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcebook.model.chat import Answer, AnswerEvent, Citation
    from sourcebook.model.search import SearchResult

_DOUBTS = {
    "no_citation": "it cites no source",
    "unknown_number": "it cites a source that was not provided",
    "number": "a number is not in the source",
    "unit": "a unit is not in the source",
    "name": "a name is not in the source",
    "negation": "it contradicts the source",
    "turned_around": "a time or direction is not in the source",
    "exchanged": "a number or name stands in the place of another",
    "opposite": "a word is the opposite of the source's",
    "degree": "it says more or less than the source, such as all for some or must for may",
    "hedge": "the source is less sure",
    "reworded": "it is put in other words than the source",
    "words": "the source contains too few of its words",
    "no_quote": "the source contains none of its words",
}

_DIFFERENCES = {
    "kind": "it asks for a different kind of thing",
    "denial": "one of them contains a negation",
    "number": "the numbers differ",
    "decisive_word": "times or directions differ",
    "one_word": "one word differs",
    "name": "the names differ",
    "opposite": "one says the opposite of the other",
    "far": "it is too far away",
    "other_words": "the words differ",
    "order": "the words are in a different order",
}


def streamed(ask: Callable[[Callable[[AnswerEvent], None]], Answer]) -> Answer:
    """Ask, and show the answer as it is written."""
    with Stream(is_on=True) as stream:

        def show(event: AnswerEvent) -> None:
            if isinstance(event, TokenWritten):
                stream.write(event.text)

        answer = ask(show)
        stream.end()
    # What is declined or curated was not written piece by piece; a model may decline after some words.
    if not stream.has_written or answer.tier is Tier.NONE:
        say(answer.answer)
    return answer


def say_sources(answer: Answer) -> None:
    """The answer's sources, its unsupported sentences, and the words that were replaced."""
    if answer.tier is Tier.CURATED:
        say(_approval(answer))
    if answer.citations:
        say("\n" + "\n".join(sources(answer.citations, answer.answer)))
    for sentence in answer.sentences:
        if sentence.is_doubtful:
            said = " ".join(answer.answer[sentence.start : sentence.end].split())
            say(f"Unverified: {said} ({_reasons(sentence.doubts)})")
    for each in answer.similar:
        say(
            f"Approved answer to a similar question: {each.question} (number {each.id} in `sourcebook kb list`)"
        )
    if answer.nearest:
        say(f"Closest: {near_place(answer.nearest[0])}")
        tell(
            "Is the answer there? `sourcebook calibrate` fits the threshold to questions whose answers you know."
        )
    if (spoken := answer.details.get("other_language")) and answer.tier is Tier.DOCUMENTS:
        tell(
            f"Note: the base has nothing in the language of the question. This is in another one ({spoken})."
        )
    for use in _rows(answer.details.get("terms")):
        done = "is kept as" if use["corrected"] else "should be"
        tell(f"Note: “{use['term']}” {done} “{use['preferred']}”.")


def sources(citations: Sequence[Citation], said: str = "") -> Iterator[str]:
    """Each source once, with everything quoted from it. A quote that is already in the answer is not repeated."""
    already = " ".join(said.split())
    numbers: dict[int, list[Citation]] = {}
    for citation in citations:
        numbers.setdefault(citation.number, []).append(citation)
    for number, cited in numbers.items():
        yield f"[{number}] {_place(cited[0])}"
        for citation in dict.fromkeys(cited):
            quote, notes = " ".join(citation.quote.split()), _notes(citation)
            # An excerpt was said without its markup.
            is_said = quote in already or (bool(already) and bool(citation.highlight))
            if notes or not is_said:
                yield f"    “{quote}”{notes}"


def near_place(result: SearchResult) -> str:
    """Where a passage stands: `file › section, page`."""
    return source_place(result.document_path, result.chunk.section, _page(result.chunk.page))


def _place(citation: Citation) -> str:
    title, path = citation.document_title, citation.document_path
    place = source_place(path if title is None else title, citation.section_name, _page(citation.page))
    return place if title in (None, path) else f"{place} · {path}"


def _page(page: int | None) -> str | None:
    return None if page is None else f"page {page}"


def _notes(citation: Citation) -> str:
    state = STATES[citation.state]
    notes = [] if citation.verified else [_reservation(citation)]
    notes += [state] if state else []
    return f" ({'; '.join(notes)})" if notes else ""


def _reservation(citation: Citation) -> str:
    if citation.is_doubtful:
        return f"unverified: {_reasons(citation.doubts)}"
    return "reworded: the source says it in other words"


def _reasons(doubts: Sequence[str]) -> str:
    return ", ".join(_DOUBTS.get(doubt, doubt) for doubt in doubts)


def _approval(answer: Answer) -> str:
    who, when = answer.details.get("approved_by"), answer.details.get("approved_at")
    by = f", approved by user {who}" if who is not None else ""
    at = f" on {moment(when)}" if isinstance(when, int) else ""
    stale = answer.details.get("stale")
    return f"\nCurated answer {answer.curated_id}{by}{at}." + (f" Stale: {stale}." if stale else "")


def reasons(answer: Answer) -> str:
    """How an answer was chosen."""
    details = answer.details
    lines = [f"Tier: {answer.tier.value}. Searched for: {details.get('searched')}"]
    if expansions := cast("list[str]", details.get("expansions") or []):
        lines.append(f"  and for: {', '.join(expansions)}")
    if answer.tier is not Tier.NONE:
        lines.append(f"  written by: {details.get('model') or 'nobody; it is quoted'}")
    for entry in _rows(details.get("curated")):
        reason = str(entry["reason"])
        verdict = "taken" if entry["taken"] else f"not taken: {_DIFFERENCES.get(reason, reason)}"
        lines.append(f"  curated answer {entry['id']}, distance {_number(entry['distance'])}: {verdict}")
    lines += _judgement(details.get("judgement"))
    for passage in _rows(details.get("passages")):
        left_out = (
            "damaged on disk; run `sourcebook doctor`" if passage.get("damaged") else "not close enough"
        )
        verdict = "taken" if passage["taken"] else left_out
        lines.append(
            f"  {passage['document_path']}: {verdict} (closeness {_number(passage['closeness'])}, "
            f"holds {_number(passage['share'])} of the question, similarity {_number(passage['similarity'])})"
        )
    if answer.tier is Tier.NONE and not _rows(details.get("passages")):
        lines.append("  nothing was found")
    return "\n".join(lines)


_NUMBERS = {
    "share": "words of the question in the closest passage",
    "sentence_share": "in its best sentence",
    "bare_share": "in that sentence without the title",
    "similarity": "nearest vector",
    "gap": "ahead of the next document",
    "names_found": "names and numbers found",
    "score": "score of the first result",
    "agreement": "words and vectors agree",
    "unknown": "words that the base holds nowhere",
}


def _judgement(value: object) -> list[str]:
    """The decision and what each number adds to it."""
    if not isinstance(value, dict):
        return []
    told = cast("dict[str, Any]", value)
    verdict = "enough to answer" if told["accepted"] else "not enough to answer"
    sure = ", by its vectors alone" if told["sure"] or told["by"] == "meaning" else ""
    lines = [f"  judged: {verdict}{sure} (score {told['score']:.2f}, needed {told['needed']:.2f})"]
    start = told["score"] - sum(number["share"] for number in told["numbers"].values())
    lines.append(f"    {start:+.2f}  where every question starts")
    for name, number in told["numbers"].items():
        lines.append(f"    {number['share']:+.2f}  {_NUMBERS.get(name, name)}: {number['value']:.2f}")
    return lines


def _rows(value: object) -> list[dict[str, object]]:
    rows = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, object]", row) for row in rows if isinstance(row, dict)]


def _number(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
