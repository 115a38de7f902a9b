from typing import Annotated

import typer

from sourcebook.errors import TermNotFound
from sourcebook.faces import json_shapes
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say_json, say_rows

Word = Annotated[str, typer.Argument(metavar="TERM", help="The word to avoid.")]


def list_terms(call: Invocation) -> None:
    """List the words to avoid and what to say instead."""
    with call.open() as book:
        terms = book.terminology.all()
    if call.as_json:
        say_json({"terms": [json_shapes.term(term) for term in terms]})
        return
    say_rows(
        ("term", "preferred phrase", "language", "description"),
        [(term.term, term.preferred_phrase, term.language, term.description) for term in terms],
    )


def add(
    call: Invocation,
    term: Word,
    words: Annotated[list[str], typer.Argument(metavar="PHRASE", help="The phrase to use instead.")],
    *,
    description: Annotated[
        str | None, typer.Option("--description", metavar="TEXT", help="A note on the term.")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language", metavar="CODE", help="Only for answers in this language, such as en, ru or pt."
        ),
    ] = None,
) -> None:
    """Add a word to avoid and the phrase to use instead, or change one.

    A chat model is told the phrase, and its answers are corrected. A question with either name finds both.
    """
    with call.open_or_make() as book:
        added = book.terminology.add(term, " ".join(words), description=description, language=language)
    call.confirm(
        {"term": json_shapes.term(added)},
        f"Answers will say “{added.preferred_phrase}” instead of “{added.term}”.",
    )


def remove(call: Invocation, term: Word) -> None:
    """Remove a word from the terminology."""
    with call.open() as book:
        if not book.terminology.remove(term):
            raise TermNotFound(f"There is no term {term!r}.")
    call.confirm({"removed": term}, f"Answers may say “{term}” again.")
