"""A file that an admin sends is added to the library, once it is known what it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from aiogram.exceptions import TelegramAPIError
from aiohttp import ClientError

from sourcebook.errors import SourcebookError
from sourcebook.faces.telegram.messages import keyboards
from sourcebook.faces.telegram.messages.rich_text import clean
from sourcebook.faces.telegram.updates.incoming_message import words
from sourcebook.model.documents import WriteOutcome
from sourcebook.text.case_and_accents import made_storable, normal_form

if TYPE_CHECKING:
    from aiogram.types import Message

    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.faces.telegram.updates.permissions import Guest
    from sourcebook.model.documents import JsonValue, WriteReport

_BYTES = 1_000_000


async def took(message: Message, guest: Guest, office: BotServices) -> bool:
    """Whether a message is a file for the library; then the admin is asked what it is about."""
    file = message.document
    if file is None or not guest.is_admin or not guest.place.is_private:
        return False
    name = clean(made_storable(file.file_name or "file"), 120)
    if not await office.is_new(guest, f"[{name}] {words(message)}"):
        return True
    if (file.file_size or 0) > office.terms.max_file_mb * _BYTES:
        await office.close(
            guest, guest.texts("file_too_large", name=name, limit=f"{office.terms.max_file_mb:g}")
        )
        return True
    found: dict[str, JsonValue] = {"what": "file", "file_id": file.file_id, "name": name}
    if label := words(message):
        await _add(guest, office, file.file_id, name, _known(await office.labels(), label))
        return True
    labels = subcategories(await office.labels())
    markup = keyboards.for_file(guest.texts, labels)
    await office.ask(guest, guest.texts("file_received", name=name), found, markup)
    return True


async def choose(guest: Guest, office: BotServices, message_id: int, word: str) -> bool:
    """Add the file that a message asked about, under the label that was pressed. False if that is no longer known."""
    row = await office.book.people.find_message(office.message_key(guest.place.chat_id, message_id))
    asked = None if row is None else row.meta.get("expects")
    if row is None or not isinstance(asked, Mapping) or asked.get("what") != "file":
        return False
    labels = await office.labels()
    label = keyboards.chosen(subcategories(labels), word)
    if label is None and word != keyboards.NO_LABEL:
        return False
    await office.book.people.update_message_meta(row.id, {"expects": {}})
    pair = (None, None) if label is None else _known(labels, label)
    await _add(guest, office, str(asked["file_id"]), str(asked["name"]), pair)
    return True


async def _add(
    guest: Guest, office: BotServices, file_id: str, name: str, labels: tuple[str | None, str | None]
) -> None:
    await office.say(guest, guest.texts("file_working", name=name))
    try:
        async with office.typing(guest):
            data = await office.bot.download(file_id)
            written = await office.book.add_bytes(
                name, b"" if data is None else data.read(), category=labels[0], subcategory=labels[1]
            )
    except (TelegramAPIError, ClientError, TimeoutError):
        await office.close(guest, guest.texts("file_expired"))
    except SourcebookError as error:
        await office.close(guest, guest.texts("file_failed", name=name, reason=clean(error.message)))
    else:
        await office.close(guest, _status(guest, name, written))


def _status(guest: Guest, name: str, written: WriteReport) -> str:
    match written.outcome:
        case WriteOutcome.DUPLICATE:
            return guest.texts("file_duplicate", name=name)
        case WriteOutcome.UNCHANGED:
            return guest.texts("file_unchanged", name=name)
        case WriteOutcome.WRITTEN:
            return guest.texts("file_added", name=name)


def subcategories(labels: Iterable[tuple[str | None, str | None]]) -> list[str]:
    """The subcategories; categories that have none stand for themselves."""
    found = [sub or category for category, sub in labels]
    return list(dict.fromkeys(label for label in found if label))


def _known(labels: Iterable[tuple[str | None, str | None]], label: str) -> tuple[str | None, str | None]:
    """The category of a subcategory, as the library has it; a new label is a subcategory of none."""
    for category, sub in labels:
        if sub is not None and normal_form(sub) == normal_form(label):
            return category, sub
    return None, label
