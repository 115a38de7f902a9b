"""Limits to collections, as they are set on the page: nobody sees more by a name that does not exist, nor by a slip."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faces.server_desk import OWN, ServerDesk, server_desk

from sourcebook.model.accounts import AccountRole

if TYPE_CHECKING:
    import httpx2 as httpx

pytestmark = pytest.mark.anyio


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[ServerDesk, None]:
    async with server_desk(str(tmp_path / "base.db")) as made:
        yield made


async def sent(desk: ServerDesk, path: str, **fields: str | list[str]) -> httpx.Response:
    async with desk.client("admin", Accept="text/html", Origin=OWN) as client:
        return await client.post(path, data=fields)


async def limit_of(desk: ServerDesk, login: str) -> tuple[str, ...] | None:
    return (await desk.book.accounts.get(login)).collections


@pytest.mark.parametrize("more", [{}, {"sees": "only"}])
async def test_a_limit_to_an_unknown_collection_is_refused(desk: ServerDesk, more: dict[str, str]) -> None:
    keys = len(await desk.book.keys.all())
    fields = {"collections": ["default", "doesnotexist"], **more}
    made = [
        await sent(desk, "/settings/keys", name="site", **fields),
        await sent(desk, "/settings/accounts", login="vera", **fields),
        await sent(desk, "/settings/accounts/change", login="bound", role="expert", **fields),
    ]
    assert all(400 <= each.status_code < 500 for each in made)
    assert len(await desk.book.keys.all()) == keys
    assert "vera" not in [each.login for each in await desk.book.accounts.all()]
    bound = await desk.book.accounts.get("bound")
    assert (bound.role, bound.collections) == (AccountRole.READER, ("default",))


async def test_what_is_ticked_is_the_limit_and_everything_is_chosen_by_name(desk: ServerDesk) -> None:
    for login, fields in {
        "one": {"sees": "only", "collections": ["secret"]},
        "ticked": {"collections": ["secret"]},
        "none": {"sees": "only"},
        "all": {"sees": "all"},
    }.items():
        assert (await sent(desk, "/settings/accounts", login=login, **fields)).status_code == 200
        assert (await sent(desk, "/settings/keys", name=login, **fields)).status_code == 200
    wanted = {"one": ("secret",), "ticked": ("secret",), "none": (), "all": None}
    assert {login: await limit_of(desk, login) for login in wanted} == wanted
    keys = {each.name: each.collections for each in await desk.book.keys.all()}
    assert {name: keys[name] for name in wanted} == wanted


async def test_another_role_leaves_the_limit_as_it_is(desk: ServerDesk) -> None:
    await desk.book.accounts.set_collections("bound", ["secret"])
    await desk.book.library.remove_collection("secret")
    shown = await shown_fields(desk, "bound")
    assert shown == {"sees": "only"}
    for role, fields in (("expert", shown), ("reader", {})):
        answer = await sent(desk, "/settings/accounts/change", login="bound", role=role, **fields)
        assert answer.status_code == 303
        account = await desk.book.accounts.get("bound")
        assert (account.role.value, account.collections) == (role, ())
    await sent(desk, "/settings/accounts/change", login="bound", role="reader", sees="all")
    assert await limit_of(desk, "bound") is None


async def shown_fields(desk: ServerDesk, login: str) -> dict[str, str]:
    """What the form of this account sends about collections if nothing in it is touched."""
    async with desk.client("admin", Accept="text/html") as client:
        html = (await client.get("/settings/access")).text
    forms = [each.split("</form>")[0] for each in html.split("<form") if "accounts/change" in each]
    form = next(each for each in forms if f'value="{login}"' in each)
    ticked = re.findall(r'<input type="(?:radio|checkbox)" name="(\w+)" value="(\w+)"[^>]* checked', form)
    return dict(ticked)
