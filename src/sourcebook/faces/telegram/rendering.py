"""What people see of answers, sources and drafts."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sourcebook.faces.telegram.rich_text import RichText, bold, clean, from_markdown, italic, joined, quote
from sourcebook.model.chat import SourceState, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sourcebook.locale import Texts
    from sourcebook.model.chat import Answer, Citation
    from sourcebook.model.curation import CuratedSource, Term
    from sourcebook.model.moderation import Digest, Draft
    from sourcebook.model.people import Reply
    from sourcebook.model.search import SearchResult

_LONGEST_NAME = 120
_LONGEST_QUOTE = 3000
_GAPS = 5


def answer(texts: Texts, reply: Reply) -> RichText:
    """The answer, its sources, and what it cost."""
    given = reply.answer
    return joined(
        [
            from_markdown(given.answer),
            source_list(texts, given.citations),
            *_notes(texts, given),
            _cost(texts, reply),
        ]
    )


def source_list(texts: Texts, citations: Iterable[Citation]) -> RichText:
    lines = [f"[{citation.number}] {place(texts, citation)}" for citation in by_number(citations)]
    return joined([bold(texts("sources")), *lines], "\n") if lines else RichText()


def by_number(citations: Iterable[Citation]) -> list[Citation]:
    """One citation for each number, in their order."""
    first: dict[int, Citation] = {}
    for citation in citations:
        first.setdefault(citation.number, citation)
    return [first[number] for number in sorted(first)]


def place(texts: Texts, source: Citation | CuratedSource) -> str:
    """The title, the file and the page, as far as there are any."""
    file = clean(PurePosixPath(source.document_path).name, _LONGEST_NAME)
    title = clean(source.document_title or "", _LONGEST_NAME)
    name = f"{title} ({file})" if title and title != file else file or title
    return name if source.page is None else f"{name}, {texts('page', page=source.page)}"


def source(texts: Texts, citation: Citation) -> RichText:
    """A source in its own words."""
    head = texts("source_quote", name=f"[{citation.number}] {place(texts, citation)}")
    gone = italic(texts("source_gone")) if citation.state is SourceState.REMOVED else RichText()
    return joined([bold(head), quote(citation.quote.strip()[:_LONGEST_QUOTE]), gone])


def _notes(texts: Texts, given: Answer) -> list[RichText]:
    notes = list[str]()
    if given.tier is Tier.CURATED:
        notes.append(texts("approved"))
        if any(citation.state is not SourceState.CURRENT for citation in given.citations):
            notes.append(texts("stale"))
    elif given.tier is not Tier.NONE and any(not sentence.verified for sentence in given.sentences):
        notes.append(texts("unverified"))
    if given.tier is Tier.DOCUMENTS and given.details.get("other_language"):
        notes.append(texts("other_language"))
    if given.nearest:
        notes.append(texts("closest", name=near_place(texts, given.nearest[0])))
    return [italic(note) for note in notes]


def near_place(texts: Texts, result: SearchResult) -> str:
    """Where a passage stands: its file, its section, its page."""
    name = clean(PurePosixPath(result.document_path).name, _LONGEST_NAME)
    section = clean(result.chunk.section or "", _LONGEST_NAME)
    name = f"{name} › {section}" if section else name
    return name if result.chunk.page is None else f"{name}, {texts('page', page=result.chunk.page)}"


def _cost(texts: Texts, reply: Reply) -> RichText:
    given = reply.answer
    if given.tier is Tier.NONE:
        waits = texts("expert_will_answer") if reply.draft_id is not None else ""
        return joined([waits], " ")
    if given.tier is Tier.CURATED:
        return italic(texts("was_free"))
    if reply.follow_ups_left:
        return italic(texts("follow_ups_left", n=reply.follow_ups_left))
    return italic(texts("no_follow_ups_left"))


def draft(texts: Texts, item: Draft, waiting: int = 0) -> RichText:
    """A draft as an expert sees it: what was asked, what was answered, on what."""
    head = bold(texts(f"draft_{item.kind}", id=item.id))
    if waiting > 1:
        head = head + " " + texts("draft_waits", n=waiting)
    category = item.subcategory_guess or item.category_guess
    return joined(
        [
            head,
            joined([bold(texts("asked")), quote(item.question)], "\n"),
            joined([bold(texts("proposed")), from_markdown(item.answer)], "\n")
            if item.answer
            else RichText(),
            source_list(texts, item.citations),
            italic(texts("category_guess", category=clean(category, _LONGEST_NAME)))
            if category
            else RichText(),
            italic(clean(item.reason)) if item.reason else RichText(),
        ]
    )


def expert_answer(texts: Texts, item: Draft, sources: Sequence[CuratedSource] = ()) -> RichText:
    """An expert's reply as the asker sees it."""
    lines = [f"[{number}] {place(texts, found)}" for number, found in enumerate(sources, 1)]
    return joined(
        [
            bold(texts("expert_answer")),
            quote(item.question),
            from_markdown(item.answer or ""),
            joined([bold(texts("sources")), *lines], "\n") if lines else RichText(),
        ]
    )


def question_rejected(texts: Texts, item: Draft, reason: str) -> RichText:
    """That nobody will answer a question, and why, as the asker sees it."""
    return joined([quote(item.question), texts("question_rejected", reason=clean(reason, _LONGEST_QUOTE))])


def terms(texts: Texts, found: Sequence[Term]) -> RichText:
    if not found:
        return RichText(texts("no_terms"))
    lines = [f"{clean(term.term)} → {clean(term.preferred_phrase)}" for term in found]
    return joined([bold(texts("terms_head")), *lines], "\n")


def digest(texts: Texts, found: Digest, since: str, until: str) -> RichText:
    body = texts(
        "digest_body",
        questions=found.questions,
        curated=found.tiers.get(Tier.CURATED, 0),
        documents=found.tiers.get(Tier.DOCUMENTS, 0),
        declined=found.declined,
        stale=len(found.became_stale),
        tokens=found.tokens_spent,
    )
    gaps = [f"• {clean(gap.question, _LONGEST_NAME)} ({gap.count})" for gap in found.to_write[:_GAPS]]
    return joined(
        [
            bold(texts("digest_head", since=since, until=until)),
            body.strip(),
            joined([bold(texts("digest_write")), *gaps], "\n") if gaps else RichText(),
        ]
    )
