from typing import Annotated

import typer

from sourcebook.faces.cli.browser import open_when_ready
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import tell


def serve(
    call: Invocation,
    *,
    host: Annotated[
        str, typer.Option(help="The address to listen at. Others than this machine's own need accounts.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen at. 0 picks a free one.")
    ] = 8080,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="How many processes serve. More than one needs PostgreSQL.")
    ] = 1,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Run the server: the page, the HTTP API and the OpenAI-compatible endpoint, until Ctrl-C.

    It also takes in what is uploaded. When it stops, it finishes the answers it is working on.
    """
    # The libraries of a server cost a third of a second that no other command should pay.
    from sourcebook.faces.http.server import serve as run  # noqa: PLC0415

    def ready(address: str) -> None:
        tell(f"Sourcebook is at {address}. Press Ctrl-C to stop it.")
        if open_page:
            open_when_ready(address)

    run(call.loaded.settings, host, port, workers=workers, on_ready=ready)
    call.confirm({"stopped": True}, "The server has stopped.")
