"""Answers as text: the answer as it is written, its numbered sources, and its unsupported sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import indent, shorten
from typing import TYPE_CHECKING, Any, cast

from sourcebook.consult.answer.shown_highlight import shown_highlights
from sourcebook.consult.answer.transcript import STATES, moment
from sourcebook.consult.calibration.suggestions import has_enough
from sourcebook.consult.citations.source_binding import without_marks
from sourcebook.consult.question.inquiry import LOCAL_USER
from sourcebook.curate.quoted_rows import told_quote
from sourcebook.faces.answer_notice import (
    answer_notice,
    changed_sources,
    outdated_key,
    says_now_key,
    stale_reason,
)
from sourcebook.faces.cli.terminal.output import Stream, say, say_with_bold, tell
from sourcebook.faces.source_place import below_title, source_place
from sourcebook.locale import NAMES, texts
from sourcebook.model.chat import ExcerptFound, Tier, TokenWritten

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcebook.locale import Texts
    from sourcebook.model.chat import Answer, AnswerEvent, Citation
    from sourcebook.model.search import SearchResult
    from sourcebook.sync import Sourcebook

_TWO = 2
_LONGEST_BESIDE = 240
LOCAL_NAME = "local"
"""What the one user of a machine without accounts is called in the base."""
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
    "contradiction": "a model finds that it contradicts the source",
    "no_quote": "the source contains none of its words",
}


def streamed(ask: Callable[[Callable[[AnswerEvent], None]], Answer]) -> Answer:
    """Ask, and show the answer as it is written. One that comes in one piece is an excerpt: what answers is bold."""
    pieces: list[str] = []
    with Stream(is_on=True) as stream:

        def show(event: AnswerEvent) -> None:
            if isinstance(event, TokenWritten):
                pieces.append(event.text)
                if len(pieces) > 1:
                    stream.write(pieces[0] + event.text if len(pieces) == _TWO else event.text)
            elif isinstance(event, ExcerptFound):
                tell(f"The documents say (the model is still writing):\n{event.text}\n")

        answer = ask(show)
        stream.end()
    # What is declined or curated was not written piece by piece; a model may decline after some words.
    if not stream.has_written or answer.tier is Tier.NONE:
        if answer.details.get("stale"):
            told = texts(answer.language)
            say(told("terminal_still_stale", reason=stale_reason(answer, told)))
        say_with_bold(answer.answer, shown_highlights(answer))
    return answer


def say_sources(answer: Answer, takes_similar: Callable[[int], str] | None = None) -> None:
    """The answer's sources, its unsupported sentences, and the words that were replaced.

    Below each similar question stands the command that takes its answer, if there is one.
    """
    if answer.tier is Tier.CURATED:
        say(_approval(answer))
    told = texts(answer.language)
    if isinstance(outdated := answer.details.get("outdated"), dict):
        key = f"terminal_{outdated_key(answer)}"
        # Its marks would point to the sources of the answer above.
        said = " ".join(without_marks(str(outdated["answer"])).split())
        say("\n" + told(key, id=outdated["id"], said=said))
    if answer.citations:
        say("\n" + "\n".join(sources(answer.citations, answer.answer, told)))
    for sentence in answer.sentences:
        if sentence.is_doubtful:
            said = " ".join(answer.answer[sentence.start : sentence.end].split())
            say(f"Unverified: {said} ({_reasons(sentence.doubts)})")
    _say_similar(answer, told, takes_similar)
    for place, (near, excerpt) in enumerate(zip(answer.nearest, answer.nearest_excerpts, strict=True)):
        name = near_place(near, told)
        if excerpt is not None:
            key = "closest_also_says" if place else "closest_says"
            say(told(key, name=name, text=indent(excerpt, "  ")))
        elif place == 0:
            say(told("closest", name=name))
    _say_see_also(answer, told)
    if (spoken := answer.details.get("other_language")) and answer.tier is Tier.DOCUMENTS:
        tell(told("terminal_other_language", language=NAMES.get(str(spoken), spoken)))
    for use in detail_rows(answer.details.get("terms")):
        done = "is kept as" if use["corrected"] else "should be"
        tell(f"Note: “{use['term']}” {done} “{use['preferred']}”.")


def _say_see_also(answer: Answer, told: Texts) -> None:
    if answer.see_also:
        say(f"\n{told('likely')} {told('see_also')}")
    for near, excerpt in zip(answer.see_also, answer.see_also_excerpts, strict=True):
        say(f"- {near_place(near, told)}")
        if excerpt is not None:
            say(indent(shorten(excerpt, _LONGEST_BESIDE, placeholder=" …"), "  "))


def _say_similar(answer: Answer, told: Texts, takes_similar: Callable[[int], str] | None) -> None:
    for each in answer.similar:
        say(told("terminal_similar", question=each.question))
        if takes_similar is not None:
            tell(told("terminal_ask_similar", command=takes_similar(each.id)))


def tell_next_steps(book: Sourcebook, answer: Answer, collection: Sequence[str] | None = None) -> None:
    """After a decline: how it gets an answer and, once enough was decided to measure with, how to decline less.

    And that an answer is not kept, if the base can only be read, or that the filter was mistaken.
    """
    if answer.details.get("unkept"):
        tell("Note: The base can only be read, so this conversation is not kept.")
    for warning in cast("list[dict[str, Any]]", answer.details.get("filter_warnings") or []):
        tell(f"Note: {warning['message']}")
    if answer.tier is not Tier.NONE:
        return
    told = texts(answer.language)
    if (draft_id := answer.details.get("draft_id")) is not None:
        tell(told("terminal_draft", id=draft_id))
    may_be_there = bool(answer.nearest) and not answer.details.get("rejected")
    if may_be_there and not collection and has_enough(book.quality.decided_questions()):
        tell(told("terminal_calibrate"))


def sources(citations: Sequence[Citation], said: str = "", told: Texts | None = None) -> Iterator[str]:
    """Each source once, with everything quoted from it. A quote that is already in the answer is not repeated."""
    already = " ".join(said.split())
    numbers: dict[int, list[Citation]] = {}
    for citation in citations:
        numbers.setdefault(citation.number, []).append(citation)
    for number, cited in numbers.items():
        yield f"[{number}] {_place(cited[0])}"
        if also_in := dict.fromkeys(path for citation in cited for path in citation.also_in):
            yield "    " + (told or texts(None))("also_in", names=", ".join(also_in))
        for citation in dict.fromkeys(cited):
            quote, notes = told_quote(citation.quote, said), _notes(citation)
            # An excerpt was said without its markup.
            is_said = quote in already or (bool(already) and bool(citation.highlight))
            if notes or not is_said:
                yield f"    “{quote}”{notes}"


def near_place(result: SearchResult, told: Texts) -> str:
    """Where a passage stands: `title › section, page · file`."""
    page = result.chunk.page
    named = None if page is None else told("page", page=page)
    return titled_place(result.document_path, result.document_title, result.chunk.section, named)


def titled_place(path: str, title: str | None, section: str | None, page: str | None) -> str:
    """`title › section, page · file`, as far as there is each. A letter has its subject for a title."""
    place = source_place(title or path, below_title(title, section), page)
    return place if title in (None, "", path) else f"{place} · {path}"


def _place(citation: Citation) -> str:
    return titled_place(
        citation.document_path, citation.document_title, citation.section_name, _page(citation.page)
    )


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
    """Which approved answer it is, who approved it and when, and what has changed since."""
    told, details = texts(answer.language), answer.details
    who, when = details.get("approved_by_name"), details.get("approved_at")
    at = moment(when) if isinstance(when, int) else None
    # On a machine without accounts, nobody is called by the name of its one user.
    is_named = who is not None and not (who == LOCAL_NAME and details.get("approved_by") == LOCAL_USER)
    said = [_approved(told, answer.curated_id, str(who) if is_named else None, at)]
    if answer.is_expert_only:
        said.append(told("expert_only"))
    if details.get("stale"):
        said.append(told("terminal_stale", reason=stale_reason(answer, told)))
    elif notice := answer_notice(answer):
        said.append(notice)
    changes = [_says_now(change, told) for change in changed_sources(details)]
    return "\n".join(["", " ".join(said), *changes])


def _approved(told: Texts, entry_id: int | None, who: str | None, at: str | None) -> str:
    if at is None:
        return told("terminal_curated", id=entry_id)
    if who is None:
        return told("terminal_approved_on", id=entry_id, at=at)
    return told("terminal_approved_by", id=entry_id, name=who, at=at)


def _says_now(change: dict[str, object], told: Texts) -> str:
    """What the source of an approved answer that is out of date says by now."""
    text = " ".join(str(change.get("after")).split())
    return told(says_now_key(change), name=change.get("document_path"), text=text)


def detail_rows(value: object) -> list[dict[str, Any]]:
    """The rows of one part of an answer's details."""
    rows = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", row) for row in rows if isinstance(row, dict)]
