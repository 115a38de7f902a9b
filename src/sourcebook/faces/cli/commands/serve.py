from typing import Annotated

import typer

from sourcebook.client import AsyncSourcebook
from sourcebook.faces.cli.browser import open_when_ready, page_address
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.output import tell


def serve(
    call: Invocation,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen at.")] = 8080,
    *,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Run the server: the page, the HTTP API and the OpenAI-compatible endpoint, until Ctrl-C."""
    import uvicorn  # noqa: PLC0415 - costs a third of a second that no other command should pay

    from sourcebook.faces.http.app import create_app  # noqa: PLC0415

    settings = call.loaded.settings
    app = create_app(AsyncSourcebook(settings=settings, face="http"), settings)
    tell(f"Sourcebook is at {page_address(host, port)}. Press Ctrl-C to stop it.")
    if open_page:
        open_when_ready(page_address(host, port))
    uvicorn.run(app, host=host, port=port, log_level="warning")
