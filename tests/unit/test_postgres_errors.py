"""What a server says, and the error of ours that stands for it."""

from __future__ import annotations

import pytest
from asyncpg import exceptions

from sourcebook.errors import BaseUnreachable, Conflict, ConnectionLost, StorageError
from sourcebook.storage.postgres import driver

VIOLATED = 'insert or update on table "words_102017" violates foreign key constraint "words_chunk_102017"'
LOST = (
    "connection to the remote node postgres@worker:5432 failed with the following error: Connection refused"
)


def test_a_violated_key_that_a_coordinator_reports_as_its_own_failure_is_a_conflict() -> None:
    assert type(driver.translation(exceptions.InternalServerError(VIOLATED))) is Conflict


def test_any_other_failure_inside_of_the_server_is_one() -> None:
    assert type(driver.translation(exceptions.InternalServerError("cache lookup failed"))) is StorageError


def test_a_lost_worker_is_named_and_the_connection_to_the_coordinator_is_kept() -> None:
    with pytest.raises(BaseUnreachable, match="A server of the cluster") as caught, driver.in_use():
        raise exceptions.ConnectionFailureError(LOST)
    assert not isinstance(caught.value, ConnectionLost)
    assert "worker" in caught.value.hint


def test_a_connection_that_fails_in_use_was_lost() -> None:
    with pytest.raises(ConnectionLost), driver.in_use():
        raise exceptions.ConnectionFailureError("server closed the connection unexpectedly")
