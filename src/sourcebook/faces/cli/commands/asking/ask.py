import shlex
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from sourcebook import Sourcebook
from sourcebook.errors import NothingAsked, SessionNotFound, UsageError
from sourcebook.faces import json_shapes
from sourcebook.faces.cli.exit_codes import exit_code
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.answer_reasons import reasons
from sourcebook.faces.cli.terminal.answer_text import say_sources, streamed, tell_next_steps
from sourcebook.faces.cli.terminal.output import say, say_json, tell
from sourcebook.faces.small_talk_reply import reply_to
from sourcebook.model.chat import Answer, AnswerEvent
from sourcebook.retrieve.filters.where_language import parse_where
from sourcebook.text.secret_masks import without_secrets

Where = Annotated[
    str | None,
    typer.Option(
        "--where", metavar="FILTER", help='Ask only some documents: "language=en and category!=drafts".'
    ),
]
Session = Annotated[
    str | None,
    typer.Option("--session", metavar="ID", help="Continue this conversation.", show_default=False),
]
Category = Annotated[
    str | None, typer.Option("--category", metavar="X", help="Use only curated answers of this category.")
]
Subcategory = Annotated[
    str | None,
    typer.Option(
        "--subcategory", metavar="Y", help="Put documents of this subcategory first, then general ones."
    ),
]
CollectionNames = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        metavar="NAME",
        help="The collection to ask. Repeat for several.",
        show_default=False,
    ),
]


Similar = Annotated[
    int | None,
    typer.Option(
        "--similar",
        metavar="ID",
        help="Take the approved answer that was offered for this question, and remember the wording.",
        show_default=False,
    ),
]


def ask(
    call: Invocation,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="QUESTION", help="Your question. Quotes keep the shell from reading its signs."
        ),
    ],
    *,
    session: Session = None,
    goes_on: Annotated[
        bool, typer.Option("--continue", help="Continue the conversation that was used last.")
    ] = False,
    where: Where = None,
    category: Category = None,
    subcategory: Subcategory = None,
    collection: CollectionNames = None,
    similar: Similar = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what the answer was chosen from, and why.")
    ] = False,
) -> None:
    """Answer a question from the documents with checked citations, or decline."""
    if goes_on and session is not None:
        raise UsageError("--continue and --session cannot go together.")
    question = " ".join(words)
    limits = None if where is None else parse_where(where)
    with call.open() as book:
        if goes_on:
            session = _latest(book)

        def asked(show: Callable[[AnswerEvent], None] | None) -> Answer:
            return book.ask(
                question,
                session=session,
                collection=collection,
                category=category,
                subcategory=subcategory,
                similar=similar,
                filter=limits,
                on_event=show,
            )

        if call.as_json:
            say_json(json_shapes.answer(asked(None), with_details=explain))
            return
        try:
            answer = streamed(asked)
        except NothingAsked as error:
            tell(reply_to(error.kind, question))
            raise typer.Exit(exit_code(error)) from None
        say_sources(answer, lambda entry_id: _takes(entry_id, question, call, collection or ()))
        if explain:
            say(reasons(answer))
        tell_next_steps(book, answer, collection)
        if answer.session_id is not None:
            tell(f"Session {answer.session_id}")


def _takes(entry_id: int, question: str, call: Invocation, collections: Sequence[str]) -> str:
    """The command that takes the answer to a similar question, from the base and the collections that were asked."""
    # The address of a base may hold a password, which must not come to stand in a log.
    base = [] if (db := call.flags.get("db")) is None else ["--db", without_secrets(str(db))]
    asked = [part for name in collections for part in ("--collection", name)]
    return shlex.join(["sourcebook", "ask", question, "--similar", str(entry_id), *base, *asked])


def _latest(book: Sourcebook) -> str:
    """The conversation to continue. Of one that was never begun, an error says so."""
    found = book.conversations.latest(1)
    if not found:
        raise SessionNotFound("There is no conversation to continue.", hint="Ask without --continue first.")
    return found[0].id
