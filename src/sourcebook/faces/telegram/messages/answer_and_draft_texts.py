"""What people see of answers, sources and drafts."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from sourcebook.consult.answer.shown_highlight import shown_highlights
from sourcebook.consult.citations.watched_sources import missing_in_sources
from sourcebook.faces.answer_notice import changed_sources, outdated_key, says_now_key, stale_key
from sourcebook.faces.draft_json_shapes import nearest, rejected, resembling
from sourcebook.faces.source_place import below_title, source_place
from sourcebook.faces.telegram.messages.rich_text import (
    RichText,
    bold,
    clean,
    from_markdown,
    in_bold,
    italic,
    joined,
    quote,
)
from sourcebook.model.chat import Citation, SourceState, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sourcebook.faces.telegram.bot_services import BotTerms
    from sourcebook.locale import Texts
    from sourcebook.model.chat import Answer
    from sourcebook.model.consultations import Reply
    from sourcebook.model.curation import CuratedAnswer, CuratedSource, SourceChange, Term
    from sourcebook.model.moderation import Digest, Draft
    from sourcebook.model.people import User
    from sourcebook.model.search import SearchResult

_LONGEST_NAME = 120
_LONGEST_QUOTE = 3000
_LONGEST_SAID = 500
_GAPS = 5


def answer(texts: Texts, reply: Reply, terms: BotTerms) -> RichText:
    """The answer, its sources, and what it cost."""
    given = reply.answer
    return joined(
        [
            italic(texts(stale_key(given))) if given.details.get("stale") else RichText(),
            _with_highlights(given),
            source_list(texts, given.citations),
            *_notes(texts, given),
            _cost(texts, reply, terms),
        ]
    )


def _with_highlights(given: Answer) -> RichText:
    """The text of an answer, with what carries it in bold."""
    rich, place = RichText(), 0
    for start, end in shown_highlights(given):
        rich = (
            rich + from_markdown(given.answer[place:start]) + in_bold(from_markdown(given.answer[start:end]))
        )
        place = end
    return rich + from_markdown(given.answer[place:])


def source_list(texts: Texts, citations: Iterable[Citation]) -> RichText:
    """Each place once, with the numbers that lead there."""
    places: dict[str, str] = {}
    for citation in by_number(citations):
        name = place(texts, citation)
        places[name] = f"{places.get(name, '')}[{citation.number}]"
    lines = [f"{numbers} {name}" for name, numbers in places.items()]
    return joined([bold(texts("sources")), *lines], "\n") if lines else RichText()


def by_number(citations: Iterable[Citation]) -> list[Citation]:
    """One citation for each number, in their order."""
    first: dict[int, Citation] = {}
    for citation in citations:
        first.setdefault(citation.number, citation)
    return [first[number] for number in sorted(first)]


def place(texts: Texts, source: Citation | CuratedSource) -> str:
    """The title, the file, the section and the page, as far as there are any."""
    name = _name(source.document_path, source.document_title)
    section = source.section_name if isinstance(source, Citation) else None
    page = None if source.page is None else texts("page", page=source.page)
    return source_place(name, clean(section or "", _LONGEST_NAME), page)


def source(texts: Texts, cited: Sequence[Citation]) -> RichText:
    """What stands behind one number, in its own words: all that the answer takes from there."""
    first = cited[0]
    head = texts("source_quote", name=f"[{first.number}] {place(texts, first)}")
    words = dict.fromkeys(citation.quote.strip() for citation in cited)
    gone = italic(texts("source_gone")) if first.state is SourceState.REMOVED else RichText()
    return joined([bold(head), quote("\n\n".join(words)[:_LONGEST_QUOTE]), gone])


def _notes(texts: Texts, given: Answer) -> list[RichText]:
    notes = list[str]()
    if given.tier is Tier.CURATED:
        notes += _approval(texts, given)
    elif given.tier is not Tier.NONE:
        if any(sentence.is_doubtful for sentence in given.sentences):
            notes.append(" ".join([texts("unverified"), *_reasons(texts, given)]))
        elif any(not sentence.verified for sentence in given.sentences):
            notes.append(texts("reworded"))
    if given.tier is Tier.DOCUMENTS and given.details.get("other_language"):
        notes.append(texts("other_language"))
    if given.details.get("outdated"):
        notes.append(texts(outdated_key(given)))
    if given.similar:
        questions = [f"• {clean(each.question, _LONGEST_NAME)}" for each in given.similar]
        notes.append("\n".join([texts("similar_offer"), *questions]))
    if given.nearest:
        notes.append(texts("closest", name=near_place(texts, given.nearest[0])))
    return [italic(note) for note in notes] + _quoted(texts, given)


def _quoted(texts: Texts, given: Answer) -> list[RichText]:
    """What came closest to a question that is declined, or may answer as well as what is quoted."""
    shown: list[RichText] = []
    for place, said in enumerate(given.nearest_excerpts):
        if said is not None:
            shown += [italic(near_place(texts, given.nearest[place]))] if place else []
            shown.append(quote(from_markdown(said).text))
    if given.nearest_excerpt is not None:
        shown.append(italic(texts("closest_may_not_answer")))
    if given.see_also:
        shown.append(italic(f"{texts('likely')} {texts('see_also')}"))
    for near, said in zip(given.see_also, given.see_also_excerpts, strict=True):
        shown.append(italic(near_place(texts, near)))
        shown += [quote(from_markdown(said).text)] if said is not None else []
    return shown


def _approval(texts: Texts, given: Answer) -> list[str]:
    """Who vouches for an approved answer, and what has changed since."""
    notes = [texts("approved"), texts("expert_only")] if given.is_expert_only else [texts("approved")]
    is_changed = any(citation.state is not SourceState.CURRENT for citation in given.citations)
    if is_changed and not given.details.get("stale"):
        notes.append(texts(stale_key(given)))
    elif given.details.get("context_changed"):
        notes.append(texts("context_changed"))
    return [*notes, *_said_now(texts, given)]


def _said_now(texts: Texts, given: Answer) -> list[str]:
    """What the changed sources of an approved answer say by now."""
    notes = list[str]()
    for change in changed_sources(given.details):
        name = _name(str(change.get("document_path")), None)
        said = clean(" ".join(str(change.get("after")).split()), _LONGEST_SAID)
        notes.append(texts(says_now_key(change), name=name, text=said))
    return notes


def _reasons(texts: Texts, given: Answer) -> list[str]:
    """What speaks against the sentences that a source was named for, each reason once."""
    doubts = dict.fromkeys(doubt for sentence in given.sentences for doubt in sentence.doubts)
    return [texts(f"doubt_{doubt}") for doubt in doubts if f"doubt_{doubt}" in texts.entries]


def near_place(texts: Texts, result: SearchResult) -> str:
    """Where a passage stands: its title and file, its section, its page."""
    chunk = result.chunk
    return _titled_place(texts, result.document_path, result.document_title, chunk.section, chunk.page)


def _titled_place(texts: Texts, path: str, title: str | None, section: str | None, page: int | None) -> str:
    headings = clean(below_title(title, section), _LONGEST_NAME)
    return source_place(_name(path, title), headings, None if page is None else texts("page", page=page))


def _name(path: str, title: str | None) -> str:
    """`title (file)`, or the one that there is."""
    file, called = clean(PurePosixPath(path).name, _LONGEST_NAME), clean(title or "", _LONGEST_NAME)
    return f"{called} ({file})" if called and called != file else file or called


def how_to_get_tokens(texts: Texts, terms: BotTerms) -> str:
    return texts("tokens_for_sale" if terms.stars else "tokens_from_owner")


def _cost(texts: Texts, reply: Reply, terms: BotTerms) -> RichText:
    given = reply.answer
    if given.tier is Tier.NONE:
        waits = texts("expert_will_answer") if reply.draft_id is not None else ""
        return joined([waits], " ")
    if given.tier is Tier.CURATED:
        return italic(texts("was_free"))
    if not terms.prices.new_topic:
        return RichText()
    if reply.follow_ups_left:
        return italic(texts("follow_ups_left", n=reply.follow_ups_left))
    if reply.balance < min(terms.prices.more_questions, terms.prices.new_topic):
        return italic(f"{texts('no_follow_ups_left')} {how_to_get_tokens(texts, terms)}")
    return italic(texts("no_follow_ups_left"))


def draft(texts: Texts, item: Draft, waiting: int = 0, changes: Sequence[SourceChange] = ()) -> RichText:
    """A draft as an expert sees it: what was asked and how often, what was answered, on what, what has changed."""
    head = bold(texts(f"draft_{item.kind}", id=item.id))
    if waiting > 1:
        head = head + " " + texts("draft_waits", n=waiting)
    if item.has_changed_sources:
        head = joined([head, bold(texts("draft_source_changed"))])
    category = " / ".join(part for part in (item.category_guess, item.subcategory_guess) if part)
    return joined(
        [
            head,
            joined([bold(texts("asked")), quote(item.question)], "\n"),
            italic(texts("asked_after", question=clean(item.asked_after, _LONGEST_NAME)))
            if item.asked_after
            else RichText(),
            italic(texts("draft_asked", n=item.people, times=item.asked)) if item.asked > 1 else RichText(),
            *_resembling(texts, item),
            *_closest(texts, item),
            joined([bold(texts("proposed")), from_markdown(item.answer)], "\n")
            if item.answer
            else RichText(),
            source_list(texts, item.citations),
            *(_change(texts, change) for change in changes),
            italic(texts("category_guess", category=clean(category, _LONGEST_NAME)))
            if category
            else RichText(),
            italic(clean(item.reason)) if item.reason else RichText(),
        ]
    )


def _resembling(texts: Texts, item: Draft) -> list[RichText]:
    return [
        italic(
            texts(
                "draft_resembles", id=row.get("id"), question=clean(str(row.get("question")), _LONGEST_NAME)
            )
        )
        for row in resembling(item)
    ]


def _closest(texts: Texts, item: Draft) -> list[RichText]:
    """What came closest to a declined question, or that what was found had been rejected, and why."""
    shown: list[RichText] = []
    for place, row in enumerate(nearest(item)):
        said = row["excerpt"]
        if place == 0 or said is not None:
            key = "closest_next" if place else "closest"
            gone = [texts("source_gone")] if row["state"] == SourceState.REMOVED.value else []
            shown.append(italic(" ".join([texts(key, name=_near_name(texts, row)), *gone])))
        if said is not None:
            shown.append(quote(from_markdown(said[:_LONGEST_QUOTE]).text))
    if found := rejected(item):
        reason = clean(str(found.get("reason") or ""), _LONGEST_NAME)
        shown.append(italic(joined([texts("draft_rejected", id=found.get("draft_id")), reason], " ").text))
    return shown


def _near_name(texts: Texts, row: Mapping[str, Any]) -> str:
    path = str(row.get("document_path"))
    return _titled_place(texts, path, row.get("title"), row.get("section"), row.get("page"))


def _change(texts: Texts, change: SourceChange) -> RichText:
    """What a source said, and what stands there now."""
    name = clean(PurePosixPath(change.document_path).name, _LONGEST_NAME)
    after = change.told_after
    now = quote(after[:_LONGEST_QUOTE]) if after else italic(texts(_nothing_left(change)))
    return joined(
        [
            bold(texts("source_was", name=name)),
            quote(change.told_before[:_LONGEST_QUOTE]),
            bold(texts("source_now")),
            now,
        ],
        "\n",
    )


def _nothing_left(change: SourceChange) -> str:
    return "source_gone" if change.state is SourceState.REMOVED else "source_nothing_left"


def watched(texts: Texts, entry: CuratedAnswer) -> str:
    """Which places an approved answer is watched against, each once, and which of its facts they do not have."""
    names = dict.fromkeys(place(texts, each) for each in entry.sources)
    told = texts("watched", names="; ".join(names))
    facts = missing_in_sources(entry)
    return (
        f"{told}\n{texts('watched_lacks', facts=clean(', '.join(facts), _LONGEST_SAID))}" if facts else told
    )


def answer_found(texts: Texts, item: Draft) -> RichText:
    """That the documents answer a question that waited, as the asker sees it."""
    return joined(
        [
            bold(texts("answer_found")),
            quote(item.question),
            from_markdown(item.answer or ""),
            source_list(texts, item.citations),
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
            joined([bold(texts("sources")), *lines], "\n") if lines else italic(texts("expert_only")),
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


def users(texts: Texts, found: Sequence[User], total: int) -> RichText:
    """People as an admin sees them: how to name them in a command, what they have, whether they are kept out."""
    lines = [
        joined(
            [
                clean(user.shown_name, _LONGEST_NAME),
                f"@{clean(user.username, _LONGEST_NAME)}" if user.username else "",
                "" if user.telegram_user_id is None else str(user.telegram_user_id),
                texts("tokens", n=user.token_balance),
                texts("is_blocked") if user.is_blocked else "",
            ],
            " · ",
        )
        for user in found
    ]
    return joined([bold(texts("users_head", total=total)), *lines], "\n")


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
