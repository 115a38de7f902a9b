from pathlib import Path
from typing import Annotated

import typer

from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json
from sourcebook.faces.cli.terminal.plurals import counted
from sourcebook.faces.cli.terminal.progress import progress_bar
from sourcebook.model.backup import OnExisting


def backup(
    call: Invocation,
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing backup.")] = False,
) -> None:
    """Back up the whole base and its uploads to one file, while others keep using it.

    The file appears only once it is complete and verified. `sourcebook restore FILE` restores it.
    """
    with progress_bar() as on_progress:
        report = call.closed().backup(
            target,
            on_existing=OnExisting.REPLACE if force else OnExisting.REFUSE,
            on_progress=on_progress,
        )
    if call.as_json:
        say_json(report.as_dict())
    else:
        say(
            f"{counted(report.counts['documents'], 'document')}, "
            f"{counted(report.counts['curated_answers'], 'curated answer')}, "
            f"{counted(report.counts['sessions'], 'session')} and {counted(report.stored_files, 'upload')} are in "
            f"{report.path} "
            f"({report.size:,} bytes, verified)."
        )
