"""Folders as Obsidian and Notion write them."""

from __future__ import annotations

import json
from pathlib import Path

from sourcebook import RetrievalConfig, RetrievalMode, Settings, Sourcebook
from sourcebook.ingest.parsers.text.markdown import parse_markdown
from sourcebook.ingest.parsers.text.notebook import parse_notebook
from sourcebook.retrieve.filters.where_language import parse_where
from sourcebook.testing.fakes import FakeEmbedder

OBSIDIAN = """---
tags: [garden, berries]
aliases: Raspberry
---
# Raspberries

See [[Soil]] and [[Tools/Shears|the shears]], but not `[[code]]`. ![[photo.png]]

#pruning/spring starts in March. A colour is #fff, an issue #12, a page https://example.org/#part.

```
#define NO_TAG
```
"""
NOTION = """# Watering plan

Created: May 1, 2024 10:00 AM
Tags: water, summer
Status: Done

Ten litres a week.
"""


def test_tags_and_links_of_a_note_are_metadata_and_its_text_stays_as_it_is() -> None:
    parsed = parse_markdown(OBSIDIAN.encode())
    assert parsed.metadata["tags"] == ["garden", "berries", "pruning/spring"]
    assert parsed.metadata["links"] == ["Soil", "Tools/Shears", "photo.png"]
    assert "[[Tools/Shears|the shears]]" in parsed.text


def test_properties_that_notion_writes_below_a_title_are_metadata() -> None:
    parsed = parse_markdown(NOTION.encode())
    assert (parsed.title, parsed.metadata["tags"], parsed.metadata["status"]) == (
        "Watering plan",
        ["water", "summer"],
        "Done",
    )


def test_a_text_that_only_looks_so_has_no_properties() -> None:
    assert parse_markdown(b"# Title\n\nNote: this is a sentence.\n\nMore.").metadata == {}
    assert parse_markdown(b"# C#\n\nUse #include and # alone.").metadata == {"tags": ["include"]}


def test_a_vault_is_searched_by_its_tags(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian" / "app.json").write_text("{}")
    (vault / "Raspberries.md").write_text(OBSIDIAN)
    (vault / "Watering plan 0123456789abcdef0123456789abcdef.md").write_text(NOTION)
    (vault / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    settings = Settings(db=str(tmp_path / "base.db"), embedder="none")
    with Sourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        assert book.add(vault).added == 2
        config = RetrievalConfig(mode=RetrievalMode.KEYWORD, filter=parse_where("tags = berries"))
        (found,) = book.search("March litres", config)
    assert found.document_path.endswith("Raspberries.md")


def test_the_mark_that_links_lead_to_is_no_part_of_a_heading() -> None:
    parsed = parse_markdown(b"# Feeding ^feeding-1\n\nTwice a day.\n\n# 2 ^ 3\n\nEight.\n")
    assert [section.path for section in parsed.sections] == ["Feeding", "2 ^ 3"]


def test_what_stands_for_a_picture_in_a_notebook_is_no_text() -> None:
    data = {"image/png": "iVBOR", "text/plain": ["<Figure size 640x480 with 1 Axes>"]}
    shown = [{"output_type": "display_data", "data": data}, {"output_type": "stream", "text": "mean <b>\n"}]
    cell = {"cell_type": "code", "source": "df.plot()", "outputs": shown}
    parsed = parse_notebook(json.dumps({"nbformat": 4, "cells": [cell]}).encode())
    assert parsed.text == "```python\ndf.plot()\n```\n\n```\nmean <b>\n```"
