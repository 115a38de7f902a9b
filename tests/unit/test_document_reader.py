"""A document for reading: its text as it is, below its title."""

from __future__ import annotations

import pytest

from sourcebook.faces.web.document_reader import part_of
from sourcebook.model.documents import Document

TEXT = "# Pool & sauna\n\nIt opens at seven.\n\n# Pool & sauna\n\nIt closes at nine.\n"


def read(text: str, span: tuple[int, int] | None = None, kind: str = "text/markdown") -> str:
    document = Document(
        id="d", content=text, file_path="pool.md", title="Pool & sauna", layout={"kind": kind}
    )
    return "".join(page.html for page in part_of(document, 0, span).pages)


def test_the_title_that_stands_above_the_text_is_not_its_first_line_as_well() -> None:
    assert read(TEXT).count("Pool &amp; sauna") == 1
    assert read("Pool & sauna\n\nIt opens at seven.", kind="text/plain") == "<p>It opens at seven.</p>"


@pytest.mark.parametrize(("words", "times"), [("Pool & sauna", 2), ("seven", 1)])
def test_one_comes_to_the_place_that_is_marked_even_if_it_is_the_title(words: str, times: int) -> None:
    start = TEXT.index(words)
    html = read(TEXT, (start, start + len(words)))
    assert html.count('<mark id="quote" tabindex="-1">') == 1
    assert html.count("Pool &amp; sauna") == times
