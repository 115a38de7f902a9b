from pathlib import Path
from typing import Annotated, Any

import typer

from sourcebook.faces.cli.exit_codes import ExitCode
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.terminal.output import say_json, tell
from sourcebook.faces.cli.terminal.plurals import counted
from sourcebook.model.answer_check import FileTransfer


def export(
    call: Invocation,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder to write to; it is made if needed.")
    ],
    *,
    collection: CollectionName = None,
) -> None:
    """Write the curated answers to Markdown files, one each, to keep beside the documents.

    A file that has the same question already is written again under its own name. No file is removed.
    """
    with call.open() as book:
        done = book.answer_files.export(folder, collection=collection)
    if call.as_json:
        say_json(
            {
                "written": list(done.written),
                "unchanged": list(done.unchanged),
                "left_over": list(done.left_over),
            }
        )
        return
    tell(f"Wrote {counted(len(done.written), 'file')} to {folder}; {len(done.unchanged)} up to date.")
    for name in done.left_over:
        tell(f"  {name} is an answer that the base does not have. It was left alone.")


def import_(
    call: Invocation,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of answers, as `kb export` writes it.")
    ],
    *,
    collection: CollectionName = None,
) -> None:
    """Bring a folder of answers into the base, as approved. Add the documents they quote first.

    Each takes the place of the answer to the same question. One whose quotes are not in the documents is left out, with
    the reason, and the command exits with 1.
    """
    with call.open() as book:
        done = book.answer_files.read(folder, collection=collection)
    if call.as_json:
        say_json(_as_json(done))
    else:
        tell(f"Imported {counted(len(done.written), 'answer')}; {len(done.unchanged)} there already.")
        for file in done.failed:
            tell(f"  Left out {file.path}: {file.message}")
    if done.failed:
        raise typer.Exit(ExitCode.ERROR)


def _as_json(done: FileTransfer) -> dict[str, Any]:
    return {
        "imported": list(done.written),
        "unchanged": list(done.unchanged),
        "failed": [file.as_dict() for file in done.failed],
    }
