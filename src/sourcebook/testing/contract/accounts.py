"""What every store of accounts, sign-ins and API keys promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sourcebook.errors import AccountExists, AccountNotFound, CollectionNotFound, KeyNotFound, UserNotFound
from sourcebook.model.accounts import AccountRole, LockRule
from sourcebook.model.documents import Collection
from sourcebook.model.people import UserRole
from sourcebook.testing.contract.people import a_person, at_once, together

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.accounts import Account, ApiKey
    from sourcebook.testing.fakes import FixedClock

READER, EXPERT, ADMIN = AccountRole.READER, AccountRole.EXPERT, AccountRole.ADMIN


async def shelves(base: OpenBase, *names: str) -> None:
    for name in names:
        await base.stores.vectors.create_collection(Collection(name, 3))


@pytest.mark.anyio
class AccountsContract:
    """Also needs a fixture `clock`: the `FixedClock` that the base was opened with."""

    async def test_an_account_has_a_user_with_its_role(self, base: OpenBase) -> None:
        made = await base.stores.accounts.create_account("ada", "hash", EXPERT)
        user = await base.stores.users.get_user(made.user_id)
        assert (made.login, made.role, made.collections) == ("ada", EXPERT, None)
        assert (user.username, user.role, user.id != 1) == ("ada", UserRole.EXPERT, True)
        assert await base.stores.accounts.get_account("ada") == made
        assert await base.stores.accounts.list_accounts() == [made]
        assert await base.stores.accounts.password_hash("ada") == "hash"

    async def test_an_account_may_be_that_of_somebody_who_is_known(self, base: OpenBase) -> None:
        person = await a_person(base)
        made = await base.stores.accounts.create_account("ada", "hash", ADMIN, user_id=person.id)
        assert made.user_id == person.id
        assert (await base.stores.users.get_user(person.id)).role is UserRole.ADMIN
        with pytest.raises(AccountExists):
            await base.stores.accounts.create_account("other", "hash", READER, user_id=person.id)
        with pytest.raises(UserNotFound):
            await base.stores.accounts.create_account("nobody", "hash", READER, user_id=999)

    async def test_a_name_is_given_once_and_a_refusal_leaves_nothing(self, base: OpenBase) -> None:
        async def make(_: int) -> Account:
            return await base.stores.accounts.create_account("ada", "hash", READER)

        made = await at_once(6, make)
        assert sum(isinstance(each, AccountExists) for each in made) == 5
        assert await base.stores.users.count_all_users() == 1

    async def test_who_was_bound_to_a_removed_collection_sees_nothing(self, base: OpenBase) -> None:
        await shelves(base, "a", "b")
        accounts, keys = base.stores.accounts, base.stores.keys
        bound = await accounts.create_account("ada", "hash", READER, ["a"])
        await keys.create_key("program", "sb_x", "hash of key", READER, ["a"])
        assert bound.collections == ("a",)
        await base.stores.vectors.delete_collection("a")
        assert (await accounts.get_account("ada")).collections == ()
        found = await keys.identify("hash of key")
        assert found is not None
        assert found.collections == frozenset()

    async def test_collections_can_be_changed_and_must_exist(self, base: OpenBase) -> None:
        await shelves(base, "a", "b")
        accounts = base.stores.accounts
        await accounts.create_account("ada", "hash", READER)
        assert (await accounts.set_collections("ada", ["b", "a"])).collections == ("a", "b")
        assert (await accounts.set_collections("ada", None)).collections is None
        with pytest.raises(CollectionNotFound):
            await accounts.set_collections("ada", ["c"])
        with pytest.raises(CollectionNotFound):
            await accounts.create_account("bob", "hash", READER, ["c"])
        with pytest.raises(AccountNotFound):
            await accounts.get_account("bob")

    async def test_a_sign_in_ends_by_time(self, base: OpenBase, clock: FixedClock) -> None:
        accounts = base.stores.accounts
        await accounts.create_account("ada", "hash", READER)
        _, ends = await accounts.sign_in("ada", "token hash", 100)
        assert ends == clock.now() + 100
        found = await accounts.signed_in("token hash")
        assert found is not None
        assert (found.login, found.last_login_at) == ("ada", clock.now())
        clock.wait(100)
        assert await accounts.signed_in("token hash") is None

    async def test_signing_out_ends_one_or_all(self, base: OpenBase) -> None:
        accounts = base.stores.accounts
        await accounts.create_account("ada", "hash", READER)
        await accounts.create_account("bob", "hash", READER)
        for token in ("one", "two", "three"):
            await accounts.sign_in("ada", token, 100)
        await accounts.sign_in("bob", "bobs", 100)
        assert await accounts.sign_out("one")
        assert not await accounts.sign_out("one")
        assert await accounts.signed_in("one") is None
        assert await accounts.signed_in("two") is not None
        assert await accounts.sign_out_everywhere("ada") == 2
        assert await accounts.signed_in("two") is None
        assert await accounts.signed_in("bobs") is not None

    async def test_a_new_password_signs_everybody_out(self, base: OpenBase) -> None:
        accounts = base.stores.accounts
        await accounts.create_account("ada", "hash", READER)
        await accounts.sign_in("ada", "token", 100)
        await accounts.set_password("ada", "stronger", signs_out=False)
        assert await accounts.signed_in("token") is not None
        await accounts.set_password("ada", "other")
        assert await accounts.signed_in("token") is None
        assert await accounts.password_hash("ada") == "other"

    async def test_removing_an_account_takes_its_sign_ins_and_keys(self, base: OpenBase) -> None:
        accounts, keys = base.stores.accounts, base.stores.keys
        made = await accounts.create_account("ada", "hash", READER)
        await accounts.sign_in("ada", "token", 100)
        await keys.create_key("program", "sb_x", "key hash", READER, login="ada")
        await accounts.remove_account("ada")
        assert await accounts.signed_in("token") is None
        assert await keys.identify("key hash") is None
        assert not await accounts.any_account()
        assert (await base.stores.users.get_user(made.user_id)).username == "ada"
        with pytest.raises(AccountNotFound):
            await accounts.remove_account("ada")

    async def test_somebody_forgotten_is_signed_out(self, base: OpenBase) -> None:
        accounts = base.stores.accounts
        made = await accounts.create_account("ada", "hash", READER)
        await accounts.sign_in("ada", "token", 100)
        await base.stores.users.forget_user(made.user_id)
        assert await accounts.signed_in("token") is None
        assert await accounts.password_hash("ada") is None

    async def test_attempts_wait_longer_each_time(self, base: OpenBase, clock: FixedClock) -> None:
        rule = {"ada from here": LockRule(free=3, first_pause=10, longest_pause=35)}
        begin = base.stores.accounts.begin_attempt
        assert [await begin(rule) for _ in range(4)] == [0, 0, 0, 10]
        clock.wait(9)
        assert await begin(rule) == 1
        clock.wait(1)
        assert [await begin(rule), await begin(rule)] == [0, 20]
        clock.wait(20)
        assert [await begin(rule), await begin(rule)] == [0, 35]
        clock.wait(24 * 3600)
        assert [await begin(rule) for _ in range(4)] == [0, 0, 0, 10]

    async def test_guesses_at_the_same_time_are_all_counted(self, base: OpenBase) -> None:
        rule = {"ada": LockRule(free=5)}

        async def guess(_: int) -> int:
            return await base.stores.accounts.begin_attempt(rule)

        waits = await together(20, guess)
        assert sum(wait == 0 for wait in waits) == 5

    async def test_a_success_forgets_the_account_and_one_attempt_of_the_address(self, base: OpenBase) -> None:
        account, address = {"ada": LockRule(free=2)}, {"address": LockRule(free=2)}
        accounts = base.stores.accounts
        for _ in range(5):
            assert await accounts.begin_attempt(account | address) == 0
            await accounts.attempt_succeeded(["ada"], address)
        assert [await accounts.begin_attempt(address) for _ in range(3)] == [0, 0, 30]


@pytest.mark.anyio
class ApiKeysContract:
    """Also needs a fixture `clock`: the `FixedClock` that the base was opened with."""

    async def test_a_key_without_an_account_has_a_user_of_its_own(self, base: OpenBase) -> None:
        made = await base.stores.keys.create_key("program", "sb_abc", "hash", EXPERT)
        found = await base.stores.keys.identify("hash")
        assert found is not None
        assert (found.user_id, found.role, found.name, found.collections) == (
            made.user_id,
            EXPERT,
            "program",
            None,
        )
        assert made.user_id != 1
        assert found.source == f"key:{made.id}"
        assert await base.stores.keys.identify("another") is None

    async def test_a_key_allows_no_more_than_its_account(self, base: OpenBase) -> None:
        await shelves(base, "a", "b", "c")
        stores = base.stores
        account = await stores.accounts.create_account("ada", "hash", READER, ["a", "b"])
        await stores.keys.create_key("program", "sb_x", "wide", ADMIN, login="ada")
        await stores.keys.create_key("program", "sb_y", "narrow", ADMIN, ["b", "c"], login="ada")
        wide, narrow = await stores.keys.identify("wide"), await stores.keys.identify("narrow")
        assert wide is not None
        assert narrow is not None
        assert (wide.role, wide.user_id, wide.collections) == (READER, account.user_id, frozenset("ab"))
        assert (narrow.role, narrow.collections) == (READER, frozenset("b"))

    async def test_a_revoked_key_is_nobody(self, base: OpenBase, clock: FixedClock) -> None:
        keys = base.stores.keys
        made = await keys.create_key("program", "sb_x", "hash", READER)
        assert await keys.any_key()
        assert (await keys.revoke_key(made.id)).revoked_at == clock.now()
        first = clock.now()
        clock.wait(5)
        assert (await keys.revoke_key(made.id)).revoked_at == first
        assert await keys.identify("hash") is None
        assert not await keys.any_key()
        assert [key.id for key in await keys.list_keys()] == [made.id]
        with pytest.raises(KeyNotFound):
            await keys.revoke_key(999)

    async def test_a_key_ends_by_time(self, base: OpenBase, clock: FixedClock) -> None:
        keys = base.stores.keys
        made = await keys.create_key("program", "sb_x", "hash", READER, seconds=60)
        assert made.expires_at == clock.now() + 60
        clock.wait(59)
        assert await keys.identify("hash") is not None
        clock.wait(1)
        assert await keys.identify("hash") is None
        assert not await keys.any_key()

    async def test_the_key_of_somebody_blocked_is_nobody(self, base: OpenBase) -> None:
        made = await base.stores.keys.create_key("program", "sb_x", "hash", READER)
        await base.stores.users.set_blocked(made.user_id, is_blocked=True)
        assert await base.stores.keys.identify("hash") is None

    async def test_the_last_use_is_noted_once_a_minute(self, base: OpenBase, clock: FixedClock) -> None:
        keys = base.stores.keys
        made = await keys.create_key("program", "sb_x", "hash", READER)
        assert made.last_used_at is None

        async def used() -> ApiKey:
            await keys.identify("hash")
            return await keys.get_key(made.id)

        first = clock.now()
        assert (await used()).last_used_at == first
        clock.wait(59)
        assert (await used()).last_used_at == first
        clock.wait(1)
        assert (await used()).last_used_at == first + 60

    async def test_keys_are_listed_with_what_they_allow(self, base: OpenBase) -> None:
        await shelves(base, "a", "b")
        await base.stores.accounts.create_account("ada", "hash", READER)
        await base.stores.keys.create_key("one", "sb_x", "1", EXPERT, ["b", "a"], login="ada")
        await base.stores.keys.create_key("two", "sb_y", "2", READER)
        listed = await base.stores.keys.list_keys()
        assert [(key.name, key.prefix, key.role, key.collections, key.login) for key in listed] == [
            ("one", "sb_x", EXPERT, ("a", "b"), "ada"),
            ("two", "sb_y", READER, None, None),
        ]
