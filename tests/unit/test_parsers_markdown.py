"""What Markdown holds besides Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sourcebook.ingest.parsers.text import html_tables
from sourcebook.ingest.parsers.text.markdown import parse_markdown
from sourcebook.ingest.parsers.web.markup_table import table_ends

if TYPE_CHECKING:
    from collections.abc import Sequence


def of(source: str) -> str:
    return parse_markdown(source.encode()).text


def test_the_rows_of_an_html_table_are_lines() -> None:
    table = "<table>\n<tr><th>Branch</th><th>Sat</th></tr>\n\n<tr><td>Old <b>Town</b></td><td>10–14</td></tr>\n</table>"
    text = of(f"# Hours\n\n{table}\n\nClosed on Sunday.\n")
    assert text.split("\n\n") == [
        "# Hours",
        "\n| Branch | Sat |\n| Old Town | 10–14 |",
        "\nClosed on Sunday.\n",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "```html\n<table><tr><td>a</td></tr></table>\n```",
        "<table><tr><td>never closed",
        "`<table>` begins one.",
        "<table>\n<tr><td>a</td></tr>\n\n```html\n</table>\n```\n\n</table>",
        "<table>\n<tr><td>a</td></tr>\n```html\n</table>\n```\n",
    ],
)
def test_what_only_looks_like_a_table_stays_as_it_is(source: str) -> None:
    assert of(source) == source


@pytest.mark.parametrize(
    "cell",
    ["## Install", "```sh\npip install x\n```", "- oak\n- elm", "| a |\n|---|\n| 1 |", "List<String> names"],
)
def test_a_table_that_lays_out_blocks_of_markdown_stays_as_it_is(cell: str) -> None:
    source = f"# T\n\n<table>\n<tr><td>\n\n{cell}\n\n</td></tr>\n</table>\n\n## After"
    assert of(source) == source


def test_the_headings_in_a_table_that_lays_out_a_page_are_sections() -> None:
    parsed = parse_markdown(b"# T\n\n<table><tr><td>\n\n## Install\n\nx\n\n</td></tr></table>\n")
    assert [section.path for section in parsed.sections] == ["T", "T > Install"]


def test_the_end_of_a_table_inside_of_a_comment_does_not_end_it() -> None:
    rows = of(
        "<table>\n<tr><td>a</td></tr>\n<!-- </table> -->\n<tr><td>b</td></tr>\n</table>\n<!-- no -->\n\nEnd"
    )
    assert rows.split() == ["|", "a", "|", "|", "b", "|", "End"]


def test_a_table_behind_one_that_is_never_closed_has_rows() -> None:
    assert of("<table>\n\n<table>\n<tr><td>a</td></tr>\n</table>").split() == ["<table>", "|", "a", "|"]


def test_the_ends_of_tables_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    def count(lines: Sequence[str]) -> dict[int, int]:
        looked_at.append(len(lines))
        return table_ends(lines)

    monkeypatch.setattr(html_tables, "table_ends", count)
    source = "\n\n".join(["<table>"] * 50)
    assert of(source) == source
    assert looked_at == [99]


def test_remarks_of_a_vault_are_left_out() -> None:
    assert of("Oak.\n\n%% ask Ann %%\n\nElm.") == "Oak.\n\n\n\nElm."
    assert of("It costs 5 %% or `%% so %%`.") == "It costs 5 %% or `%% so %%`."
    assert of("A %% hidden %% b, %% and 5 of these %%.") == "A  b, %% and 5 of these %%."
    assert of("%% ask again in 2027 %%") == ""


@pytest.mark.parametrize(
    "source",
    [
        "Costs 50 %% of the price and %% rises to 60",
        "Costs 50 %% of the price, then %% rises to 60 %% later.",
        "100 %% sure, 20 %% off",
        "Of all, (20) %% stay, %% leave and %% return.",
    ],
)
def test_percent_signs_are_no_remarks(source: str) -> None:
    assert of(source) == source
