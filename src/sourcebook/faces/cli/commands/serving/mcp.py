import asyncio
from functools import partial
from importlib.util import find_spec
from typing import Annotated

import typer

from sourcebook.client import AsyncSourcebook
from sourcebook.errors import ProviderMissing
from sourcebook.faces.cli.invocation import Invocation


def mcp(
    call: Invocation,
    collections: Annotated[
        list[str] | None,
        typer.Option(
            "--collection", metavar="NAME", help="A collection it may read; repeatable.", show_default="all"
        ),
    ] = None,
) -> None:
    """Serve one MCP client over stdin and stdout, until it disconnects.

    The client starts this command itself; `docs/how-to/mcp.md` has the settings of the usual clients. `sourcebook
    serve` offers the same tools over HTTP, at /mcp.
    """
    if find_spec("mcp") is None:
        raise ProviderMissing(
            "This needs the package mcp, which is not installed.", hint="Run `pip install 'sourcebook[mcp]'`."
        )
    from sourcebook.faces.http.charged_questions import QuestionDesk  # noqa: PLC0415
    from sourcebook.faces.mcp.server import KnowledgeServer, local_caller  # noqa: PLC0415 - an extra

    call.require_base()
    settings = call.loaded.settings
    caller = local_caller(frozenset(collections) if collections else None)

    async def until_gone() -> None:
        # The person at this machine pays nothing.
        free = settings.model_copy(update={"price_new_topic": 0})
        async with AsyncSourcebook(settings=free, face="mcp") as book:
            await KnowledgeServer(partial(QuestionDesk, book, settings), local=caller).run_stdio()

    asyncio.run(until_gone())
