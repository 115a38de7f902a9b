import sys
from collections.abc import Callable
from dataclasses import dataclass
from io import TextIOWrapper
from typing import cast

import typer

from sourcebook import Sourcebook
from sourcebook.errors import NothingAsked, SourcebookError, UsageError
from sourcebook.faces.cli.commands.asking.ask import Category, CollectionNames, Session, Subcategory
from sourcebook.faces.cli.exit_codes import ExitCode
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.answer_reasons import reasons
from sourcebook.faces.cli.terminal.answer_text import (
    say_sources,
    sources,
    streamed,
    tell_next_steps,
)
from sourcebook.faces.cli.terminal.output import flush, say, say_error, tell
from sourcebook.faces.small_talk_reply import reply_to
from sourcebook.locale import texts
from sourcebook.model.chat import Answer, AnswerEvent

PROMPT = "> "
COMMANDS = """\
/help            these commands
/help QUESTION   an answer from your project's documentation and Sourcebook's manual
/sources         the sources of the last answer
/similar 1       take the approved answer to the first similar question that was offered
/why             how the last answer was chosen, and what was rejected
/new             start a new conversation
/exit            leave (or Ctrl-D, or Ctrl-C twice)
Ctrl-C stops an answer. It is not stored, and the conversation continues."""


@dataclass
class Talk:
    """One chat: its limits, and where it stands."""

    book: Sourcebook
    session: str | None
    category: str | None
    subcategory: str | None
    collection: list[str] | None
    last: Answer | None = None
    help_session: str | None = None
    has_begun_anew: bool = False

    def ask(self, question: str, similar: int | None = None) -> None:
        def asked(show: Callable[[AnswerEvent], None]) -> Answer:
            return self.book.ask(
                question,
                session=self.session,
                collection=self.collection,
                category=self.category,
                subcategory=self.subcategory,
                similar=similar,
                on_event=show,
            )

        self.last = streamed(asked)
        self.session = self.last.session_id
        say_sources(self.last)
        if self.last.similar:
            tell(texts(self.last.language)("terminal_chat_similar"))
        tell_next_steps(self.book, self.last, self.collection)

    def similar(self, number: str) -> None:
        """Take the answer that was offered in this place, and let the wording be remembered."""
        offered = () if self.last is None else self.last.similar
        place = int(number or "1") if (number or "1").isdecimal() else 0
        if self.last is None or not 1 <= place <= len(offered):
            raise UsageError("No such answer was offered.", hint="`/similar 1` takes the first one.")
        self.ask(self.last.question, offered[place - 1].id)

    def help(self, question: str) -> None:
        """Help is a separate conversation, so that questions about the tool do not mix with the others."""
        if not question:
            tell(COMMANDS)
            return
        self.last = streamed(
            lambda show: self.book.help(
                question, session=self.help_session, collection=self.collection, on_event=show
            )
        )
        self.help_session = self.last.session_id
        say_sources(self.last)

    def sources(self, _: str) -> None:
        if found := list(sources(self.last.citations)) if self.last else []:
            say("\n".join(found))
        elif self.last is not None:
            tell("The last answer has no sources.")
        elif self.has_begun_anew:
            tell("There is no answer in the new conversation yet.")
        else:
            tell("There is no answer with sources yet.")

    def why(self, _: str) -> None:
        say(reasons(self.last)) if self.last else tell("You have not asked anything yet.")

    def new(self, _: str) -> None:
        self.session = self.help_session = self.last = None
        self.has_begun_anew = True
        tell("Started a new conversation.")


def chat(
    call: Invocation,
    *,
    session: Session = None,
    category: Category = None,
    subcategory: Subcategory = None,
    collection: CollectionNames = None,
) -> None:
    """Ask several questions in a conversation, one per line. Each may build on the ones before.

    Type /help for the commands. Questions may also come from a pipe; each is then printed before its answer.
    There is no --json here; programs use `sourcebook ask --json --session ID`.
    """
    if call.as_json:
        raise UsageError(
            "`chat` is interactive and has no --json.", hint="Use `sourcebook ask --json --session ID`."
        )
    _read_anything()
    with call.open() as book:
        if session is not None:
            book.conversations.get(session)  # Fail now rather than after the first question.
        talk = Talk(book, session, category, subcategory, collection)
        code = _converse(talk, is_terminal=sys.stdin.isatty())
    if talk.session is not None:
        tell(f"Session {talk.session}")
    if code is ExitCode.INTERRUPTED:
        call.has_told_interruption = True
        raise typer.Exit(code)


def _read_anything() -> None:
    """Input may contain bytes that are not valid text."""
    given: object = sys.stdin
    if isinstance(given, TextIOWrapper):
        cast("TextIOWrapper", given).reconfigure(errors="replace")


def _converse(talk: Talk, *, is_terminal: bool) -> ExitCode:
    """Read until the last line. A second Ctrl-C in a row leaves."""
    if is_terminal:
        tell("Ask a question. /help lists the commands.")
    was_interrupted = False
    line: str | None = None
    while True:
        try:
            line = _next_line(is_terminal=is_terminal)
            if line is None or line == "/exit":
                return ExitCode.OK
            if line and not is_terminal:
                say(PROMPT + line)  # At a terminal it stands there already.
            _respond(talk, line)
            flush()
            was_interrupted = False
        except KeyboardInterrupt:
            if was_interrupted or not is_terminal:
                return ExitCode.INTERRUPTED
            was_interrupted = True
            tell("\nStopped. Press Ctrl-C again or type /exit to leave.")
        except NothingAsked as error:
            tell(reply_to(error.kind, line or ""))
        except SourcebookError as error:
            if not is_terminal:
                raise
            say_error(error, as_json=False)


def _respond(talk: Talk, line: str) -> None:
    verbs: dict[str, Callable[[str], None]] = {
        "/help": talk.help,
        "/sources": talk.sources,
        "/similar": talk.similar,
        "/why": talk.why,
        "/new": talk.new,
    }
    word, _, rest = line.partition(" ")
    if word in verbs:
        verbs[word](rest.strip())
    elif word.startswith("/"):
        raise UsageError(f"There is no command {word}.", hint="/help lists the commands.")
    elif line:
        talk.ask(line)


def _next_line(*, is_terminal: bool) -> str | None:
    """The next line, stripped. None at the end."""
    if is_terminal and sys.stdout.isatty():
        try:
            return input(PROMPT).strip()
        except EOFError:
            tell("")
            return None
    if is_terminal:
        sys.stderr.write(PROMPT)
        sys.stderr.flush()
    line = sys.stdin.readline()
    return line.strip() if line else None
