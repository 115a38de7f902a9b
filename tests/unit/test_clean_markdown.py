"""How quoted text is shown: nothing of the markup is left that a reader would stumble over."""

from __future__ import annotations

import pytest

from sourcebook.consult.excerpt.clean_markdown import clean_inline, markdown_of
from sourcebook.text.layout.blocks import BlockKind


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("See [CORS (Cross-Origin)](https://example.org/a_(b)) first.", "See CORS (Cross-Origin) first."),
        ("Use [`time.perf_counter()`](https://example.org) here.", "Use `time.perf_counter()` here."),
        ('A <abbr title="Central Unit">CPU</abbr> waits.', "A CPU waits."),
        ("FastAPI** knows it.", "FastAPI knows it."),
        ("**FastAPI** knows *it.", "**FastAPI** knows it."),
        ("It is 5 * 3 * 2.", "It is 5 * 3 * 2."),
        ("Write `**kwargs` and `<b>` as they are.", "Write `**kwargs` and `<b>` as they are."),
        ("A &lt;name&gt; of a <package> stays.", "A <name> of a <package> stays."),
        ("![logo](logo.png) Words[^1] { #anchor }", "Words"),
        ("Two\nlines   of text", "Two lines of text"),
        ("Broken ` backtick", "Broken backtick"),
    ],
)
def test_a_sentence_loses_its_markup_and_keeps_its_code(written: str, shown: str) -> None:
    assert clean_inline(written) == shown


def test_blocks_are_put_together_as_markdown() -> None:
    pieces = [
        (BlockKind.HEADING, "## **Keys** { #keys }"),
        (BlockKind.TEXT, "Use the command:"),
        (BlockKind.CODE, "```console\n<font>$ openssl rand</font>\n```"),
        (BlockKind.DEBRIS, "/// tip"),
        (BlockKind.TEXT, "Options are:"),
        (BlockKind.ITEM, "* One"),
        (BlockKind.ITEM, "  • two"),
        (BlockKind.ROW, "| `name` | `str` |  | The name. |"),
    ]
    assert markdown_of(pieces) == (
        "**Keys**\n\nUse the command:\n\n```console\n$ openssl rand\n```\n\nOptions are:\n- One\n  - two\n\n"
        "- `name` · `str` · The name."
    )


def test_a_command_without_a_fence_gets_one_and_is_no_heading() -> None:
    assert markdown_of([(BlockKind.CODE, "# shutdown -h now")]) == "```\n# shutdown -h now\n```"


def test_the_end_of_a_bracket_that_held_a_listing_is_not_shown() -> None:
    assert markdown_of([(BlockKind.TEXT, ") If you keep a log, add this.")]) == "If you keep a log, add this."
    assert markdown_of([(BlockKind.TEXT, "(If you keep a log.)")]) == "(If you keep a log.)"
