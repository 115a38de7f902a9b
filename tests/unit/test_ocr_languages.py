"""Which languages tesseract is told to read."""

from __future__ import annotations

import pytest

from sourcebook.errors import NeedsOcr
from sourcebook.ingest.parsers.image.ocr import chosen_packs


def test_pictures_are_read_in_the_languages_of_the_collection_and_a_missing_pack_is_named() -> None:
    assert chosen_packs(["ru", "de"], ["deu", "eng", "osd", "rus"]) == "rus+deu+eng"
    assert chosen_packs(["ru"], ["osd", "rus"]) == "rus"
    assert chosen_packs([], ["eng", "osd", "rus"]) == "rus+eng"
    assert chosen_packs(["", "xx"], ["fin", "osd"]) == "fin"
    with pytest.raises(NeedsOcr, match=r"no pack .* \(heb, kat\)"):
        chosen_packs(["ka", "he"], ["eng", "osd"])
