"""Settings: what is set and where it came from, and the chat model, tried and chosen with one click."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import get_annotations
from typing import Annotated, Any

import anyio
from anyio import to_thread
from fastapi import Form, Response

from sourcebook.assembly import make_chat_model
from sourcebook.errors import SourcebookError
from sourcebook.faces.http.charged_questions import server_book
from sourcebook.faces.web.error_words import Said, words_for
from sourcebook.faces.web.page_frame import Overseeing, Page
from sourcebook.faces.web.page_routes import page_router
from sourcebook.locale import DEFAULT, setting_texts
from sourcebook.ports.chat import PromptMessage
from sourcebook.ports.providers import Closing
from sourcebook.providers.local_servers import LocalServer, find_local_servers
from sourcebook.settings import SettingOrigin, Settings, load, masked, write_setting

router = page_router()
_PATIENCE = 30.0
_ENOUGH = 200


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A setting, its value as it may be shown, and where it came from."""

    key: str
    value: str
    origin: str
    description: str
    language: str
    """The language of the description."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a chat model did when it was tried."""

    ok: bool
    text: str
    milliseconds: int = 0
    hint: str = ""
    detail: str = ""


@router.get("/settings")
async def settings(page: Overseeing) -> Response:
    return await _shown(page)


@router.post("/settings/try")
async def try_model(page: Overseeing) -> Response:
    """Ask the chat model for a word, as a question would."""
    return await _shown(page, trial=await _tried(page, page.settings))


@router.post("/settings/find")
async def find(page: Overseeing) -> Response:
    """Look for model servers on this machine, because somebody asked."""
    return await _shown(page, servers=await _servers(page))


@router.post("/settings/use")
async def use(
    page: Overseeing, model: Annotated[str, Form(max_length=300)], server: Annotated[str, Form()]
) -> Response:
    """Answer with a model of a server on this machine, from now on and after the next start."""
    offered = {(each.base_url, name): each for each in await _servers(page) for name in each.models}
    chosen = offered.get((server, model))
    if chosen is None:
        raise Said(page.texts("model_gone"), hint=page.texts("model_gone_hint"))
    values = {"chat_model": chosen.setting(model), "chat_base_url": chosen.base_url}
    changed = Settings.model_validate({**page.settings.model_dump(), **values})
    trial = await _tried(page, changed)
    if not trial.ok:
        return await _shown(page, trial=trial, servers=list(dict.fromkeys(offered.values())))
    for key, value in values.items():
        await to_thread.run_sync(write_setting, key, value)
    await _answer_with(page, changed)
    return page.go("/settings?done=model_chosen")


async def _answer_with(page: Page, changed: Settings) -> None:
    """Let later questions go to a base with the new settings. The old one is closed with the server."""
    app = page.request.app
    app.state.book = await server_book(changed).open()
    app.state.settings = changed


async def _shown(
    page: Page, trial: Trial | None = None, servers: list[LocalServer] | None = None
) -> Response:
    rows = _rows(page.settings, page.texts.language)
    return await page.show(
        "settings.html",
        "settings",
        own=[row for row in rows if row.origin != SettingOrigin.DEFAULT.value],
        groups=_grouped(rows),
        chat_model=page.settings.chat_model,
        trial=trial,
        servers=servers,
    )


def _rows(settings: Settings, language: str) -> list[SettingRow]:
    """What differs from what the files and the environment say was given when the server was started."""
    loaded = load()
    described = setting_texts(language)
    found: list[SettingRow] = []
    for key, value in settings:
        origin = loaded.origins.get(key, SettingOrigin.DEFAULT)
        if value != getattr(loaded.settings, key):
            origin = SettingOrigin.FLAG
        shown = masked(value)
        description = described.get(key) or Settings.model_fields[key].description or ""
        written_in = language if key in described else DEFAULT
        value_shown = "–" if shown is None else str(shown)
        found.append(SettingRow(key, value_shown, origin.value, description, written_in))
    return found


def _grouped(rows: Sequence[SettingRow]) -> dict[str, list[SettingRow]]:
    """The settings by the class that declares them, in its order; the page has a heading for each."""
    found: dict[str, list[SettingRow]] = {}
    for row in rows:
        owner = next(each for each in Settings.__mro__ if row.key in get_annotations(each))
        found.setdefault(owner.__name__, []).append(row)
    return found


async def _servers(page: Page) -> list[LocalServer]:
    own = page.request.url.port
    return await to_thread.run_sync(lambda: find_local_servers(own))


async def _tried(page: Page, settings: Settings) -> Trial:
    began = time.monotonic()
    model: Any = None
    said = ""
    try:
        model = make_chat_model(settings)
        if model is None:
            return Trial(False, page.texts("no_model"))
        with anyio.fail_after(_PATIENCE):
            async for piece in model.stream([PromptMessage("user", "Answer with one word: ready")]):
                said += piece
                if len(said) > _ENOUGH:
                    break
    except SourcebookError as error:
        words = words_for(page.texts, error)
        return Trial(False, words.said, hint=words.hint, detail=words.detail)
    except TimeoutError:
        return Trial(False, page.texts("model_silent", seconds=int(_PATIENCE)))
    finally:
        if isinstance(model, Closing):
            await model.close()
    return Trial(True, said.strip()[:_ENOUGH], int(1000 * (time.monotonic() - began)))
