import asyncio
import signal
from contextlib import suppress
from importlib.util import find_spec

from sourcebook.errors import ProviderMissing
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import tell
from sourcebook.faces.cli.terminal.plurals import counted


def bot(call: Invocation) -> None:
    """Run the Telegram bot until Ctrl-C.

    The setting telegram_token names the bot, and telegram_admins the people who review in it. With
    telegram_webhook_url the bot listens for messages; otherwise it polls Telegram. When it stops, it finishes the
    answers it is working on, and fetches the rest at the next start.
    """
    if find_spec("aiogram") is None:
        raise ProviderMissing(
            "The bot needs the package aiogram, which is not installed.",
            hint="Install it: pip install 'sourcebook[telegram]'.",
        )
    from sourcebook.faces.telegram.bot import Ended, run  # noqa: PLC0415 - an extra that may not be there

    async def until_told() -> Ended:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError, ValueError, RuntimeError):
                asyncio.get_running_loop().add_signal_handler(number, stop.set)
        return await run(call.loaded.settings, stop, _tell_ready)

    ended = asyncio.run(until_told())
    call.confirm(
        {"username": ended.username, "mode": ended.mode, "handled": ended.handled},
        f"The bot has stopped; it handled {counted(ended.handled, 'update')}.",
    )


def _tell_ready(username: str, where: str) -> None:
    tell(
        f"The bot @{username} is ready{f' and listens at {where}' if where else ''}. Press Ctrl-C to stop it."
    )
