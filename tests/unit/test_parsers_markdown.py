"""What Markdown holds besides Markdown."""

from __future__ import annotations

import pytest

from sourcebook.ingest.parsers.text.markdown import parse_markdown


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
    ],
)
def test_what_only_looks_like_a_table_stays_as_it_is(source: str) -> None:
    assert of(source) == source


def test_remarks_of_a_vault_are_left_out() -> None:
    assert of("Oak.\n\n%% ask Ann %%\n\nElm.") == "Oak.\n\n\n\nElm."
    assert of("It costs 5 %% or `%% so %%`.") == "It costs 5 %% or `%% so %%`."
