from typing import Annotated

import typer

from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json
from sourcebook.faces.cli.terminal.plurals import counted
from sourcebook.faces.cli.terminal.progress import progress_bar


def copy(
    call: Invocation,
    source: Annotated[str, typer.Argument(metavar="SRC", help="The base to copy: a path or an address.")],
    target: Annotated[str, typer.Argument(metavar="DST", help="An empty base. It is created if needed.")],
) -> None:
    """Copy a base, vectors included, to a file or a server. Run it again to resume an interrupted copy."""
    at_source = Invocation(call.as_json, {**call.flags, "db": source})
    with at_source.open() as book, progress_bar() as on_progress:
        report = book.maintenance.copy_to(target, on_progress=on_progress)
    if call.as_json:
        say_json(report.as_dict())
    else:
        say(f"Copied and compared {sum(report.rows.values())} rows in {len(report.rows)} tables.")
        if report.files:
            say(f"Copied {counted(report.files, 'uploaded file')}.")
        if report.missing_files:
            say(
                f"{len(report.missing_files)} uploaded files are missing beside the source. Their texts were copied;"
            )
            say("their pages cannot be shown.")
