from typing import Annotated

import typer

from sourcebook.errors import TermNotFound
from sourcebook.faces import shapes
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.output import say_json, say_rows, tell

Word = Annotated[str, typer.Argument(metavar="TERM", help="The word to avoid.")]


def list_terms(call: Invocation) -> None:
    """List the words to avoid and what to say for them."""
    with call.open() as book:
        terms = book.terminology.all()
    if call.as_json:
        say_json({"terms": [shapes.term(term) for term in terms]})
        return
    say_rows(
        ("term", "preferred phrase", "language", "description"),
        [(term.term, term.preferred_phrase, term.language, term.description) for term in terms],
    )


def add(
    call: Invocation,
    term: Word,
    phrase: Annotated[str, typer.Argument(metavar="PHRASE", help="What to say for it.")],
    *,
    description: Annotated[
        str | None, typer.Option("--description", metavar="TEXT", help="What it is about.")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language", metavar="CODE", help="For answers in this language only, such as en, ru or pt."
        ),
    ] = None,
) -> None:
    """Add a word and what to say for it, or change it.

    Answers of a chat model are told the phrase and corrected; a question with either name finds both.
    """
    with call.open_or_make() as book:
        added = book.terminology.add(term, phrase, description=description, language=language)
    if call.as_json:
        say_json({"term": shapes.term(added)})
    else:
        tell(f"“{added.preferred_phrase}” is said for “{added.term}” now.")


def remove(call: Invocation, term: Word) -> None:
    """Remove a word from the terminology."""
    with call.open() as book:
        if not book.terminology.remove(term):
            raise TermNotFound(f"There is no term {term!r}.")
    if call.as_json:
        say_json({"removed": term})
    else:
        tell(f"“{term}” may be said again.")
