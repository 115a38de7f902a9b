import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from sourcebook.consult.answer.transcript import moment
from sourcebook.errors import UsageError
from sourcebook.faces import draft_json_shapes, json_shapes
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.curated_text import change_lines
from sourcebook.faces.cli.terminal.draft_text import ASKED_AGAIN, draft_lines, saved_lines, short
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.faces.cli.terminal.text_layout import Cut
from sourcebook.model.curation import CuratedAnswer, SourceChange
from sourcebook.model.moderation import (
    AskedAgain,
    Digest,
    Draft,
    DraftKind,
    DraftStatus,
    Gap,
    Keep,
    LostSupport,
)
from sourcebook.sync import Sourcebook

LOCAL_USER = 1
_MOST = 1000
_DAY = 86_400

Number = Annotated[int, typer.Argument(metavar="ID", help="The draft's number in `moderate list`.")]
Admin = Annotated[
    int,
    typer.Option("--as", metavar="USER", help="The user number of the expert or administrator who decides."),
]
Category = Annotated[
    str | None,
    typer.Option("--category", metavar="X", help="The answer's category.", show_default="as guessed"),
]
Subcategory = Annotated[
    str | None, typer.Option("--subcategory", metavar="Y", help="The answer's subcategory.")
]
Source = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="N|PATH",
        help="Where the answer comes from: the number of a passage in `moderate show`, or a document. "
        "Repeat for several.",
        show_default="what says the same words",
    ),
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="WHEN", help="A date such as 2026-11-15, or days back such as 7d."),
]


def list_drafts(
    call: Invocation,
    *,
    kind: Annotated[DraftKind | None, typer.Option("--kind", help="List only drafts of this kind.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="Show at most N.")] = 20,
    after: Annotated[
        int, typer.Option("--after", metavar="ID", min=0, help="List the drafts after this one.")
    ] = 0,
) -> None:
    """List the drafts waiting for a decision, oldest first: answers, questions for the expert, stale answers."""
    with call.open() as book:
        drafts: list[Draft] = book.moderation.get_pending_moderation_items(limit, kind=kind, after=after)
        last = drafts[-1].id if drafts else after
        following: list[Draft] = book.moderation.get_pending_moderation_items(_MOST, kind=kind, after=last)
        wordings: int = book.curated.open_wordings()
    if call.as_json:
        shown = [draft_json_shapes.draft(each) for each in drafts]
        say_json({"drafts": shown, "more": len(following), "wordings": wordings})
        return
    say_rows(
        ("id", "kind", "since", "times", "category", "question", "answer"),
        [
            (
                d.id,
                f"{d.kind.value}, source changed" if d.has_changed_sources else d.kind.value,
                moment(d.created_at),
                _times(d),
                d.category_guess,
                short(d.question),
                short(d.answer),
            )
            for d in drafts
        ],
        cuts={"question": Cut.END, "answer": Cut.END},
        spare=("category", "times", "since"),
    )
    if following:
        more = f"{len(following)}{'+' if len(following) == _MOST else ''}"
        only = "" if kind is None else f" --kind {kind.value}"
        tell(f"{more} more wait: `sourcebook moderate list{only} --after {last}`.")
    if wordings:
        waits = (
            "wording of a curated question waits" if wordings == 1 else "wordings of curated questions wait"
        )
        tell(f"{wordings} {waits} for a decision: `sourcebook kb wordings`.")


def show(call: Invocation, draft_id: Number) -> None:
    """Show a draft: the question, the answer with its sources, what was searched, and similar drafts.

    Of an answer whose source has changed, also the old and the new text, with the removed and added words.
    """
    with call.open() as book:
        draft: Draft = book.moderation.get_item(draft_id)
        similar: list[Draft] = book.moderation.similar(draft_id)
        entry_id = draft.kb_id or draft.stale_kb_id
        entry: CuratedAnswer | None = None if entry_id is None else book.stores.curated.kb_get(entry_id)
        changes: list[SourceChange] = book.moderation.changes(draft_id)
        renewed: str | None = book.moderation.in_new_words(draft_id)
    if call.as_json:
        say_json({"draft": draft_json_shapes.draft_with_details(draft, similar, entry, changes, renewed)})
        return
    say("\n".join([*draft_lines(draft, similar, entry), *change_lines(changes)]))
    if renewed is not None:
        say(
            f"\nThe answer as the sources say it now (`sourcebook moderate approve {draft.id} --new-words`):\n{renewed}"
        )


def approve(
    call: Invocation,
    draft_id: Number,
    *,
    answer: Annotated[
        str | None,
        typer.Option("--answer", metavar="TEXT", help="The edited answer. Use - to read it from stdin."),
    ] = None,
    question: Annotated[
        str | None, typer.Option("--question", metavar="TEXT", help="The edited question.")
    ] = None,
    category: Category = None,
    subcategory: Subcategory = None,
    source: Source = None,
    admin: Admin = LOCAL_USER,
    new_words: Annotated[
        bool,
        typer.Option("--new-words", help="Approve an answer as its changed sources say it now."),
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Approve an answer although the documents no longer say what it says."),
    ] = False,
) -> None:
    """Approve a draft, as it is or edited. It becomes a curated answer bound to its sources."""
    with call.open() as book:
        entry: CuratedAnswer = book.moderation.approve_moderation_item(
            draft_id,
            admin,
            answer=_in_new_words(book, draft_id) if new_words else _read(answer),
            question=question,
            category=category,
            subcategory=subcategory,
            on_lost_support=LostSupport.ACCEPT if force else LostSupport.REFUSE,
            sources=_named(source),
        )
        draft: Draft = book.moderation.get_item(draft_id)
    _say_entry(call, draft, entry, is_guessed=category is None and entry.revision == 1)


def _say_entry(call: Invocation, draft: Draft, entry: CuratedAnswer, *, is_guessed: bool) -> None:
    if call.as_json:
        say_json({"entry": json_shapes.curated_answer(entry)})
        return
    for line in saved_lines(draft, entry, is_guessed=is_guessed):
        tell(line)


def _in_new_words(book: Sourcebook, draft_id: int) -> str | None:
    """The answer to approve. Of a draft that is decided its own, for it is refused anyway."""
    draft: Draft = book.moderation.get_item(draft_id)
    if draft.status is not DraftStatus.PENDING:
        return draft.answer
    renewed = book.moderation.in_new_words(draft_id)
    if renewed is None:
        raise UsageError(
            f"No sentence of draft {draft_id} can be put in the new words of its sources.",
            hint=f"See `sourcebook moderate show {draft_id}`, and give the answer with `--answer`.",
        )
    return renewed


def reject(
    call: Invocation,
    draft_id: Number,
    *,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="The reason.")] = "",
    admin: Admin = LOCAL_USER,
) -> None:
    """Reject a draft. A stale curated answer is then no longer used."""
    with call.open() as book:
        draft: Draft = book.moderation.reject_moderation_item(draft_id, admin, reason)
        again: AskedAgain | None = book.moderation.asked_again(draft_id)
    if call.as_json:
        shown = None if again is None else again.value
        say_json({"draft": draft_json_shapes.draft(draft), "asked_again": shown})
        return
    tell(f"Rejected draft {draft.id}.{'' if again is None else ASKED_AGAIN[again]}")


def answer(
    call: Invocation,
    draft_id: Number,
    words: Annotated[
        list[str], typer.Argument(metavar="ANSWER", help="The answer. Use - to read it from stdin.")
    ],
    *,
    keep: Annotated[
        Keep,
        typer.Option("--keep", help="Keep it as a curated answer, or only send it to the person who asked."),
    ] = Keep.CURATED,
    category: Category = None,
    subcategory: Subcategory = None,
    source: Source = None,
    admin: Admin = LOCAL_USER,
) -> None:
    """Answer a question that the base could not answer. The person who asked receives it.

    An answer that is kept comes back for review when one of its sources changes. What the documents say in the same
    words is found; for an answer in other words, name the source.
    """
    with call.open() as book:
        draft: Draft = book.moderation.answer_item(
            draft_id,
            admin,
            _read(" ".join(words)) or "",
            keep=keep,
            category=category,
            subcategory=subcategory,
            sources=_named(source),
        )
        entry: CuratedAnswer | None = None if draft.kb_id is None else book.stores.curated.kb_get(draft.kb_id)
    if call.as_json:
        shown = None if entry is None else json_shapes.curated_answer(entry)
        say_json({"draft": draft_json_shapes.draft(draft), "entry": shown})
        return
    tell(f"Answered question {draft.id}.")
    if draft.people > 1:
        tell(f"It goes to the {draft.people} people who asked.")
    if entry is None:
        tell(f"`sourcebook moderate keep {draft.id}` keeps it as a curated answer.")
        return
    for line in saved_lines(draft, entry, is_guessed=category is None and entry.revision == 1):
        tell(line)


def keep_reply(
    call: Invocation,
    draft_id: Number,
    *,
    category: Category = None,
    subcategory: Subcategory = None,
    source: Source = None,
    admin: Admin = LOCAL_USER,
) -> None:
    """Keep a reply as a curated answer. With `--source`, bind what a draft became to its sources."""
    with call.open() as book:
        known: int | None = book.moderation.get_item(draft_id).kb_id
        entry: CuratedAnswer = book.moderation.keep_answer(
            draft_id, admin, category=category, subcategory=subcategory, sources=_named(source)
        )
        draft: Draft = book.moderation.get_item(draft_id)
    _say_entry(call, draft, entry, is_guessed=category is None and known is None)


def _named(sources: Sequence[str] | None) -> list[int | str]:
    """What `--source` names: numbers of passages, and documents."""
    return [int(name) if name.isdecimal() else name for name in sources or ()]


def gaps(
    call: Invocation,
    *,
    since: Since = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="Show at most N.")] = 20,
) -> None:
    """Show what to write next: declined, rejected and weakly supported questions, grouped."""
    with call.open() as book:
        found: list[Gap] = book.moderation.gaps(_moment(since), limit)
    if call.as_json:
        say_json({"gaps": [draft_json_shapes.gap(each) for each in found]})
        return
    if not found:
        tell("There are no gaps.")
    for each in found:
        say("\n".join(_gap(each)))


def digest(call: Invocation, *, since: Since = "7d") -> None:
    """Summarise a period: questions and how they were answered, stale answers, what to write, tokens."""
    with call.open() as book:
        summed: Digest = book.moderation.digest(_moment(since))
    if call.as_json:
        say_json({"digest": draft_json_shapes.digest(summed)})
    else:
        say("\n".join(_digest(summed)))


def _read(text: str | None) -> str | None:
    return sys.stdin.read() if text == "-" else text


def _moment(since: str | None) -> int:
    if since is None:
        return 0
    now = int(datetime.now(UTC).timestamp())
    if since.endswith("d") and since[:-1].isdecimal():
        return now - int(since[:-1]) * _DAY
    try:
        return int(datetime.fromisoformat(since).replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise UsageError(
            f"{since!r} is not a date.", hint="Write a date such as 2026-11-15, or days back such as 7d."
        ) from None


def _times(draft: Draft) -> str:
    """How often it was asked, if more than once, and by how many people."""
    if draft.asked <= 1:
        return ""
    return f"{draft.asked}×" + (f", {draft.people} people" if draft.people > 1 else "")


def _gap(gap: Gap) -> list[str]:
    reasons = ", ".join(f"{count} {reason}" for reason, count in gap.reasons.items())
    lines = [f"{gap.count} × {gap.question} ({reasons}; asked by {gap.people})"]
    lines += [f"    {example}" for example in gap.examples[1:]]
    return lines + ([f"    nearest: {', '.join(gap.near)}"] if gap.near else [])


def _digest(digest: Digest) -> list[str]:
    tiers = ", ".join(f"{count} {tier}" for tier, count in sorted(digest.tiers.items())) or "none"
    decided = ", ".join(f"{count} {status}" for status, count in sorted(digest.drafts.items())) or "nothing"
    lines = [
        f"From {moment(digest.since)} to {moment(digest.until)}",
        f"Questions: {digest.questions}, asked by {digest.people} ({tiers}); declined: {digest.declined}",
        f"Decided: {decided}; {digest.pending} waiting",
        f"Tokens: {digest.tokens_spent} spent, {digest.tokens_given} given",
    ]
    lines += [f"Became stale: {e.id} {short(e.question or e.answer)}" for e in digest.became_stale]
    return [*lines, *(f"To write: {gap.count} × {short(gap.question)}" for gap in digest.to_write)]
