from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sourcebook.consult.answer.transcript import moment
from sourcebook.errors import Conflict, PathNotFound, SessionNotFound
from sourcebook.faces import json_shapes
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.answer_text import sources
from sourcebook.faces.cli.terminal.output import as_json_text, say, say_json, say_rows, tell
from sourcebook.faces.cli.terminal.text_layout import Cut
from sourcebook.model.chat import ChatMessage, Role

SessionId = Annotated[str, typer.Argument(metavar="ID", help="The conversation's id in `sessions list`.")]


class ExportForm(StrEnum):
    MARKDOWN = "markdown"
    JSON = "json"


def list_sessions(
    call: Invocation,
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many to show.")] = 50,
) -> None:
    """List your conversations, newest first."""
    with call.open() as book:
        found = book.conversations.latest(limit)
    if call.as_json:
        say_json({"sessions": [json_shapes.session(session) for session in found]})
        return
    say_rows(
        ("title", "messages", "last used", "face", "id"),
        [(s.title, s.message_count, moment(s.updated_at), s.face, s.id) for s in found],
        cuts={"title": Cut.END},
        spare=("face", "messages", "last used"),
    )


def show(call: Invocation, session_id: SessionId) -> None:
    """Show a conversation. Each source says whether it has since changed or been removed."""
    with call.open() as book:
        conversation = book.conversations.get(session_id)
    if call.as_json:
        say_json({"session": json_shapes.conversation(conversation)})
        return
    say(conversation.session.title or "")
    for message in conversation.messages:
        say("\n" + _as_text(message))


def _as_text(message: ChatMessage) -> str:
    if message.role is Role.USER:
        return f"> {message.content}"
    return "\n".join([message.content, *sources(message.citations)])


def rename(
    call: Invocation,
    session_id: SessionId,
    words: Annotated[list[str], typer.Argument(metavar="TITLE", help="The new title.")],
) -> None:
    """Rename a conversation."""
    title = " ".join(words)
    with call.open() as book:
        book.conversations.rename(session_id, title)
    call.confirm(
        {"session": {"id": session_id, "title": title}}, f"Renamed session {session_id} to {title!r}."
    )


def remove(call: Invocation, session_id: SessionId) -> None:
    """Remove a conversation and its messages."""
    with call.open() as book:
        if not book.conversations.remove(session_id):
            raise SessionNotFound(f"There is no session {session_id!r}.")
    call.confirm({"removed": session_id}, f"Removed session {session_id}.")


def export(
    call: Invocation,
    session_id: SessionId,
    target: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="The file to write. Default: stdout.", show_default=False),
    ] = None,
    *,
    form: Annotated[
        ExportForm | None,
        typer.Option("--format", help="The format to write.", show_default="by the file's name, or markdown"),
    ] = None,
) -> None:
    """Write a conversation as Markdown or JSON, with its sources."""
    chosen = form or _form_of(target, as_json=call.as_json)
    with call.open() as book:
        if chosen is ExportForm.JSON:
            text = as_json_text({"session": json_shapes.conversation(book.conversations.get(session_id))})
        else:
            text = book.conversations.export(session_id)
    if target is not None:
        _write(target, text)
    if call.as_json and (target is not None or chosen is ExportForm.MARKDOWN):
        say_json(
            {"session": session_id, "file": str(target) if target else None, "text": None if target else text}
        )
    elif target is None:
        say(text.rstrip("\n"))
    else:
        tell(f"Wrote {target}.")


def _form_of(target: Path | None, *, as_json: bool) -> ExportForm:
    if target is None:
        return ExportForm.JSON if as_json else ExportForm.MARKDOWN
    return ExportForm.JSON if target.suffix.lower() == ".json" else ExportForm.MARKDOWN


def _write(target: Path, text: str) -> None:
    """Never overwrites a file."""
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise Conflict(f"{target} already exists.", hint="Choose another file.") from error
    except OSError as error:
        raise PathNotFound(f"{target} cannot be written: {error.strerror}.") from error
