"""What people come to: who they are, and the reception of their questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.consult.ask import Consultation
    from sourcebook.consult.reception.reception import Reception
    from sourcebook.curate.moderation import Moderation
    from sourcebook.model.token_prices import Prices
    from sourcebook.people.accounts import AccountService
    from sourcebook.people.api_keys import KeyService
    from sourcebook.people.passwords import Passwords
    from sourcebook.people.users import People
    from sourcebook.ports.stores import Stores
    from sourcebook.settings import Settings


def make_people(stores: Stores, settings: Settings, face: str) -> People:
    from sourcebook.people.users import People

    return People(
        users=stores.users,
        topics=stores.topics,
        messages=stores.messages,
        ledger=stores.ledger,
        prices=_prices(settings),
        reservation_seconds=settings.reservation_seconds,
        face=face,
    )


def make_passwords() -> Passwords:
    from sourcebook.people.passwords import Passwords

    return Passwords()


def make_accounts(stores: Stores, passwords: Passwords, settings: Settings) -> AccountService:
    from sourcebook.people.accounts import AccountService

    return AccountService(stores.accounts, passwords, settings.sign_in_days * 24 * 3600)


def make_keys(stores: Stores) -> KeyService:
    from sourcebook.people.api_keys import KeyService

    return KeyService(stores.keys)


def make_reception(
    stores: Stores,
    people: People,
    consultation: Consultation,
    moderation: Moderation,
    settings: Settings,
    face: str,
) -> Reception:
    from sourcebook.consult.reception.paid_answer import ReceptionPolicy
    from sourcebook.consult.reception.reception import Reception

    policy = ReceptionPolicy(_prices(settings), settings.reservation_seconds, face, (settings.collection,))
    return Reception(
        stores=stores, people=people, consultation=consultation, drafting=moderation, policy=policy
    )


def _prices(settings: Settings) -> Prices:
    from sourcebook.model.token_prices import Prices

    return Prices(
        welcome_tokens=settings.welcome_tokens,
        new_topic=settings.price_new_topic,
        follow_ups_included=settings.follow_ups_included,
        more_questions=settings.price_more_questions,
        questions_in_a_purchase=settings.more_questions,
    )
