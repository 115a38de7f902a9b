"""S03, S04, S11, L09: who comes in, by which way, how often, and what a browser can be made to send."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from argon2 import PasswordHasher
from tests.conftest import address_of, on_both_databases
from tests.faces.server_desk import OWN, PASSWORD, ServerDesk, server_desk, use_passwords

from sourcebook.errors import NobodyMayEnter
from sourcebook.faces.http.auth.identification import require_somebody
from sourcebook.faces.http.auth.sign_in import COOKIE
from sourcebook.people.passwords import Passwords
from sourcebook.settings import Settings

if TYPE_CHECKING:
    import httpx2 as httpx

pytestmark = pytest.mark.anyio
LOCAL = "127.0.0.1"
SEARCH = {"query": "raspberries"}


@pytest.fixture
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return address_of(request, tmp_path)


@pytest.fixture
async def desk(db: str) -> AsyncGenerator[ServerDesk, None]:
    async with server_desk(db) as made:
        yield made


@pytest.fixture
async def local(db: str) -> AsyncGenerator[ServerDesk, None]:
    """On a loopback address, before anybody has an account."""
    async with server_desk(db, host=LOCAL, with_people=False) as made:
        yield made


async def signed_in(
    desk: ServerDesk, login: str = "reader", address: str = "203.0.113.7"
) -> httpx.AsyncClient:
    client = desk.client(address=address)
    answer = await client.post("/api/login", json={"login": login, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    return client


async def test_without_a_key_nobody_comes_in(desk: ServerDesk) -> None:
    answer = await desk.client().post("/api/search", json=SEARCH)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.json()["code"] == "not_signed_in"
    assert (await desk.client("reader").post("/api/search", json=SEARCH)).status_code == 200


async def test_the_caller_is_known_before_the_body_is_read(desk: ServerDesk) -> None:
    read: list[bytes] = []

    async def body() -> AsyncGenerator[bytes, None]:
        read.append(b"{")
        yield b"{"

    for refused in (desk.client(), desk.client("sb_wrong"), await signed_in(desk)):
        assert (await refused.post("/api/search", content=body())).status_code in (401, 403)
    assert read == []
    assert (await desk.client("reader").post("/api/search", content=body())).status_code == 422
    assert read


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer sb_"},
        {"Authorization": "Bearer null"},
        {"Authorization": "Bearer []"},
        {"Authorization": "Basic YWRtaW46YWRtaW4="},
        {"X-API-Key": ""},
        {"X-API-Key": "sb_' or 1=1 --"},
        {"Cookie": f"{COOKIE}="},
        {"Cookie": f"{COOKIE}=x"},
        {"X-Forwarded-For": "127.0.0.1"},
        {"X-Forwarded-User": "admin"},
    ],
)
async def test_what_is_no_key_opens_nothing(desk: ServerDesk, headers: dict[str, str]) -> None:
    assert (await desk.client(**headers).get("/api/me")).status_code == 401


async def test_a_key_counts_in_both_headers_and_never_in_the_address(desk: ServerDesk) -> None:
    key = desk.keys["reader"]
    assert (await desk.client("reader").get("/api/me")).json()["signed_in_with"] == "key"
    assert (await desk.client(**{"X-API-Key": key}).get("/api/me")).status_code == 200
    for name in ("key", "api_key", "token", "access_token", "authorization"):
        assert (await desk.client().get("/api/me", params={name: key})).status_code == 401


@on_both_databases
async def test_a_revoked_key_is_refused_at_once(desk: ServerDesk) -> None:
    client = desk.client("reader")
    assert (await client.get("/api/me")).status_code == 200
    number = next(key.id for key in await desk.book.keys.all() if key.name == "reader's")
    await desk.book.keys.revoke(number)
    assert (await client.get("/api/me")).status_code == 401


@on_both_databases
async def test_somebody_blocked_is_refused_at_once_on_every_way(desk: ServerDesk) -> None:
    browser, program = await signed_in(desk), desk.client("reader")
    user = (await browser.get("/api/me")).json()["user_id"]
    await desk.book.people.block_user(user)
    assert (await browser.get("/api/me")).status_code == 401
    assert (await program.get("/api/me")).status_code == 401
    again = await desk.client().post("/api/login", json={"login": "reader", "password": PASSWORD})
    assert (again.status_code, again.json()["code"]) == (401, "wrong_password")


@on_both_databases
async def test_a_password_opens_and_signing_out_closes(desk: ServerDesk) -> None:
    one, other = await signed_in(desk), await signed_in(desk)
    cookie = next(iter(one.cookies.jar))
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite") == "lax"
    known = (await one.get("/api/me")).json()
    assert (known["name"], known["role"], known["signed_in_with"]) == ("reader", "reader", "account")
    mark = {"X-CSRF-Token": known["csrf_token"]}
    assert (await one.post("/api/logout", headers=mark)).json() == {"signed_out": 1}
    assert (await one.get("/api/me")).status_code == 401
    assert (await other.get("/api/me")).status_code == 200
    mark = {"X-CSRF-Token": (await other.get("/api/me")).json()["csrf_token"]}
    await signed_in(desk)
    ended = await other.post("/api/logout", headers=mark, json={"everywhere": True})
    assert ended.json() == {"signed_out": 2}
    assert (await other.get("/api/me")).status_code == 401


@on_both_databases
async def test_an_old_cookie_is_worth_nothing_after_signing_in_again(desk: ServerDesk) -> None:
    client = await signed_in(desk)
    old = client.cookies[COOKIE]
    await client.post("/api/login", json={"login": "reader", "password": PASSWORD})
    assert client.cookies[COOKIE] != old
    assert (await desk.client(Cookie=f"{COOKIE}={old}").get("/api/me")).status_code == 401


async def test_a_cookie_over_https_never_leaves_it(desk: ServerDesk) -> None:
    client = desk.client(base_url="https://kb.test")
    answer = await client.post("/api/login", json={"login": "reader", "password": PASSWORD})
    assert "secure" in answer.headers["set-cookie"].lower()


async def test_wrong_names_and_wrong_passwords_are_told_alike(desk: ServerDesk) -> None:
    wrong = [
        await desk.client().post("/api/login", json={"login": login, "password": password})
        for login, password in (("reader", "wrong"), ("nobody", "wrong"), ("no body!", "x"), ("", ""))
    ]
    assert {answer.status_code for answer in wrong} == {401}
    assert len({answer.text for answer in wrong}) == 1


async def test_a_name_that_does_not_exist_takes_the_same_work(desk: ServerDesk) -> None:
    checked: list[str] = []

    class Counting(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            checked.append(str(hash))
            return super().verify(hash, password)

    use_passwords(desk.book, Passwords(Counting(time_cost=1, memory_cost=8, parallelism=1)))
    for login in ("reader", "nobody", "no body!"):
        await desk.client().post("/api/login", json={"login": login, "password": "wrong"})
    assert len(checked) == 3


@on_both_databases
async def test_guessing_has_to_wait_for_names_that_exist_and_for_others(desk: ServerDesk) -> None:
    for login, address in (("reader", "198.51.100.1"), ("nobody", "198.51.100.2")):
        client = desk.client(address=address)
        codes = [
            (await client.post("/api/login", json={"login": login, "password": f"guess {n}"})).status_code
            for n in range(6)
        ]
        assert codes == [401] * 5 + [429]
        right = await client.post("/api/login", json={"login": login, "password": PASSWORD})
        assert right.status_code == 429, "even the right one waits"
        assert 0 < int(right.headers["retry-after"]) <= 60
    await signed_in(desk, address="198.51.100.3")


@on_both_databases
async def test_one_address_cannot_guess_at_many_accounts(desk: ServerDesk) -> None:
    client = desk.client(address="198.51.100.9")
    codes = [
        (await client.post("/api/login", json={"login": f"name{n}", "password": "x"})).status_code
        for n in range(21)
    ]
    assert codes == [401] * 20 + [429]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"X-CSRF-Token": "x"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://evil.test"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://kb.test.evil.test"}, 403),
        ({"Origin": OWN}, 200),
        ({"Origin": "null", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "null", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": OWN, "Sec-Fetch-Site": "same-origin"}, 200),
    ],
)
async def test_a_cookie_alone_changes_nothing(desk: ServerDesk, headers: dict[str, str], status: int) -> None:
    client = await signed_in(desk)
    answer = await client.post("/api/search", json=SEARCH, headers=headers)
    assert answer.status_code == status, answer.text
    token = (await client.get("/api/me")).json()["csrf_token"]
    with_token = await client.post("/api/search", json=SEARCH, headers=headers | {"X-CSRF-Token": token})
    is_foreign = status == 403 and not {"Origin", "Sec-Fetch-Site"}.isdisjoint(headers)
    assert with_token.status_code == (403 if is_foreign else 200)


async def test_the_token_of_another_sign_in_does_not_count(desk: ServerDesk) -> None:
    one, other = await signed_in(desk), await signed_in(desk)
    token = (await other.get("/api/me")).json()["csrf_token"]
    answer = await one.post("/api/search", json=SEARCH, headers={"X-CSRF-Token": token})
    assert answer.status_code == 403


async def test_another_site_cannot_sign_somebody_in(desk: ServerDesk) -> None:
    body = {"login": "reader", "password": PASSWORD}
    answer = await desk.client(Origin="http://evil.test").post("/api/login", json=body)
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


@on_both_databases
async def test_a_role_that_is_missing_is_no_missing_sign_in(desk: ServerDesk) -> None:
    assert (await desk.client("bound reader").get("/api/me")).json()["collections"] == ["default"]
    answer = await desk.client("bound reader").post("/api/search", json=SEARCH | {"collections": ["secret"]})
    absent = await desk.client("bound reader").post("/api/search", json=SEARCH | {"collections": ["absent"]})
    assert (answer.status_code, absent.status_code) == (404, 404)
    assert answer.text.replace("secret", "absent") == absent.text


async def test_too_many_requests_of_one_key_leave_the_others_alone(db: str) -> None:
    async with server_desk(db, requests_per_minute=3, questions_per_minute=1) as desk:
        reader = desk.client("reader")
        codes = [(await reader.get("/api/me")).status_code for _ in range(4)]
        assert codes == [200, 200, 200, 429]
        assert 0 < int((await reader.get("/api/me")).headers["retry-after"]) <= 60
        expert = desk.client("expert")
        asked = [(await expert.post("/api/ask", json={"question": "Why?"})).status_code for _ in range(2)]
        assert asked == [200, 429]
        assert (await expert.get("/api/me")).status_code == 200


async def test_what_one_key_may_ask_in_a_day_is_bounded(db: str) -> None:
    async with server_desk(db, questions_per_day=2) as desk:
        expert, question = desk.client("expert"), {"question": "Why?"}
        answers = [await expert.post("/api/ask", json=question) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert 60 < int(answers[-1].headers["retry-after"]) <= 86_400
        assert "questions_per_day" in answers[-1].json()["hint"]
        assert (await desk.client("reader").post("/api/ask", json=question)).status_code == 200


async def test_on_this_machine_one_person_needs_no_login(local: ServerDesk) -> None:
    client = local.client(address=LOCAL, base_url="http://localhost:8080")
    me = (await client.get("/api/me")).json()
    assert (me["name"], me["role"], me["signed_in_with"]) == ("local", "admin", "local")
    assert (await client.post("/api/search", json=SEARCH)).status_code == 200


@pytest.mark.parametrize(
    "name",
    ["evil.test", "evil.test:8080", "127.0.0.1.evil.test", "localhost@evil.test", "127.0.0.1/x", "[", ""],
)
async def test_a_name_that_somebody_made_lead_here_is_refused(local: ServerDesk, name: str) -> None:
    client = local.client(address=LOCAL)
    for path in ("/api/me", "/healthz", "/api/login"):
        answer = await client.get(path, headers={"Host": name})
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign_request")


@pytest.mark.parametrize(
    "name", ["localhost", "localhost:9", "127.0.0.1:8080", "[::1]:8080", "kb.example.org"]
)
async def test_names_of_this_machine_and_of_the_setting_are_known(db: str, name: str) -> None:
    hosts = "kb.example.org, other.example.org"
    async with server_desk(db, host=LOCAL, with_people=False, allowed_hosts=hosts) as desk:
        answer = await desk.client(address=LOCAL).get("/api/me", headers={"Host": name})
        assert answer.status_code == 200


async def test_a_page_of_another_site_changes_nothing_on_this_machine(local: ServerDesk) -> None:
    client = local.client(address=LOCAL, base_url="http://localhost:8080")
    for headers in (
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://localhost:3000"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        answer = await client.post("/api/search", json=SEARCH, headers=headers)
        assert answer.status_code == 403, headers
        assert "access-control-allow-origin" not in answer.headers
    own = {"Origin": "http://localhost:8080", "Sec-Fetch-Site": "same-origin"}
    assert (await client.post("/api/search", json=SEARCH, headers=own)).status_code == 200


async def test_behind_a_proxy_nobody_is_the_person_at_this_machine(local: ServerDesk) -> None:
    client = local.client(address="203.0.113.7", base_url="http://localhost:8080")
    assert (await client.get("/api/me")).status_code == 401


@on_both_databases
async def test_the_first_account_ends_the_time_without_a_login(local: ServerDesk) -> None:
    client = local.client(address=LOCAL, base_url="http://localhost:8080")
    assert (await client.get("/api/me")).status_code == 200
    await local.book.accounts.add("ada", PASSWORD)
    assert (await client.get("/api/me")).status_code == 401


@on_both_databases
async def test_on_this_machine_any_key_will_do_but_a_revoked_one(local: ServerDesk) -> None:
    def called(key: str) -> httpx.AsyncClient:
        return local.client(key, address=LOCAL, base_url="http://localhost:8080")

    assert (await called("sk-none").get("/api/me")).json()["name"] == "local"
    made = await local.book.keys.create("program")
    assert (await called(made.secret).get("/api/me")).json()["role"] == "reader"
    await local.book.keys.revoke(made.key.id)
    assert (await called(made.secret).get("/api/me")).status_code == 401


@on_both_databases
async def test_a_server_that_others_reach_needs_somebody_who_may_come_in(local: ServerDesk) -> None:
    settings = Settings()
    for host in ("127.0.0.1", "localhost", "::1", "127.8.8.8"):
        await require_somebody(local.book, settings, host)
    for host in ("0.0.0.0", "::", "192.0.2.1", "kb.test", ""):  # noqa: S104
        with pytest.raises(NobodyMayEnter) as refused:
            await require_somebody(local.book, settings, host)
        assert "sourcebook accounts add" in refused.value.hint
    with pytest.raises(NobodyMayEnter):
        await require_somebody(local.book, Settings(login="always"), LOCAL)
    made = await local.book.keys.create("program")
    await require_somebody(local.book, settings, "0.0.0.0")  # noqa: S104
    await local.book.keys.revoke(made.key.id)
    with pytest.raises(NobodyMayEnter):
        await require_somebody(local.book, settings, "0.0.0.0")  # noqa: S104


async def test_a_browser_is_led_to_the_sign_in_page(desk: ServerDesk) -> None:
    answer = await desk.client(Accept="text/html").get("/documents?a=b&c=//evil.test")
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        "/login?next=/documents%3Fa%3Db%26c%3D//evil.test",
    )
    assert (await desk.client(Accept="text/html").get("/api/me")).status_code == 401


async def test_a_person_signs_in_on_a_page_and_goes_where_they_wanted(desk: ServerDesk) -> None:
    client = desk.client(**{"Accept": "text/html", "Accept-Language": "pt-BR,en;q=0.5"})
    shown = await client.get("/login", params={"next": "/documents?a=b"})
    assert 'value="/documents?a=b"' in shown.text
    assert "Palavra-passe" in shown.text
    wrong = await client.post("/login", data={"login": "reader", "password": "x", "next": "/documents"})
    assert (wrong.status_code, COOKIE in client.cookies) == (401, False)
    assert "www-authenticate" not in wrong.headers
    right = await client.post("/login", data={"login": "reader", "password": PASSWORD, "next": "/documents"})
    assert (right.status_code, right.headers["location"]) == (303, "/documents")
    assert (await client.get("/api/me")).json()["name"] == "reader"
    left = await client.post("/logout", headers={"Sec-Fetch-Site": "same-origin"})
    assert (left.status_code, left.headers["location"]) == (303, "/login")
    assert (await client.get("/api/me")).status_code == 401


@pytest.mark.parametrize(
    "place",
    ["//evil.test", "/\\evil.test", "https://evil.test", "javascript:x", "/a\nb", "\\\\evil.test", ""],
)
async def test_signing_in_leads_to_no_other_site(desk: ServerDesk, place: str) -> None:
    body = {"login": "reader", "password": PASSWORD, "next": place}
    answer = await desk.client().post("/login", data=body)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


async def test_the_sign_in_page_shows_what_it_is_given_as_text(desk: ServerDesk) -> None:
    shown = await desk.client().get("/login", params={"next": '/"><script>alert(1)</script>'})
    assert "<script" not in shown.text
    assert "default-src 'none'" in shown.headers["content-security-policy"]
