from pathlib import Path
from typing import Annotated

import typer

from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json, tell
from sourcebook.faces.cli.terminal.plurals import counted
from sourcebook.faces.cli.terminal.progress import progress_bar
from sourcebook.model.backup import OnExisting


def restore(
    call: Invocation,
    source: Annotated[Path, typer.Argument(metavar="FILE", help="A file written by `backup`.")],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing base.")] = False,
) -> None:
    """Restore the base from a backup, after verifying it. A replaced base is kept under another name."""
    with progress_bar() as on_progress:
        report = call.closed().restore(
            source,
            on_existing=OnExisting.REPLACE if force else OnExisting.REFUSE,
            on_progress=on_progress,
        )
    if call.as_json:
        say_json(report.as_dict())
        return
    say(
        f"{report.base} now has {counted(report.counts['documents'], 'document')}, "
        f"{counted(report.counts['curated_answers'], 'curated answer')}, "
        f"{counted(report.counts['sessions'], 'session')} and {counted(report.stored_files, 'upload')}."
    )
    if report.former is not None:
        tell(f"The old base is kept as {report.former}. Delete it when you no longer need it.")
