"""What the product is built on may be built on: the licences of the pinned packages."""

from __future__ import annotations

import pytest
from scripts.licences import Licence, licences, pinned


def test_every_pinned_package_has_a_licence_on_the_list() -> None:
    found = list(licences(pinned("base.txt", "image.txt", "dev.txt")))
    assert len(found) > 50
    assert [each for each in found if not each.is_allowed] == []


@pytest.mark.parametrize(
    ("says", "is_allowed"),
    [
        ("MIT", True),
        ("LGPL-3.0-only", True),
        ("Apache-2.0 AND (MIT OR BSD-3-Clause)", True),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-or-later", False),
        ("AGPL-3.0", False),
        ("MIT AND GPL-2.0-only", False),
        ("GNU General Public License v3 (GPLv3)", False),
        ("SSPL-1.0", False),
        ("Proprietary", False),
        ("says nothing", False),
    ],
)
def test_a_licence_is_judged_by_its_name(says: str, is_allowed: bool) -> None:
    assert Licence("package", says).is_allowed is is_allowed
