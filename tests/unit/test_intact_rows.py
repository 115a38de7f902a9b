"""A row that makes no sense is a sign of damage; a mistake in the program is none."""

from __future__ import annotations

from typing import Any

import pytest

from sourcebook.errors import BaseDamaged
from sourcebook.storage.rows import made_of_intact_rows


@pytest.mark.parametrize("value", [b"\xc3", None, 2, 2.5], ids=repr)
def test_a_value_of_another_kind_than_its_column_is_damage(value: Any) -> None:
    def encoded() -> bytes:
        return value.encode()

    def joined() -> str:
        return "-" + value

    for make in (encoded, joined):
        with pytest.raises(BaseDamaged, match="A row of the base is invalid"):
            made_of_intact_rows(make)


def test_a_mistake_in_the_program_is_told_as_it_is() -> None:
    session: Any = object()

    def mistaken() -> object:
        return session.no_such_name

    with pytest.raises(AttributeError):
        made_of_intact_rows(mistaken)
