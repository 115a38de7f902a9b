"""B07: whatever the bytes, a parser gives text that can be stored, or one of the errors that it declares."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Generator
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.faults import hostile_files

from sourcebook.errors import BadFile
from sourcebook.ingest.parsers.docx.document import parse_docx
from sourcebook.ingest.parsers.file_kinds import FileKind, kind_of
from sourcebook.ingest.parsers.process.pool import ParserPool
from sourcebook.ingest.parsers.text.csv import parse_csv
from sourcebook.ingest.parsers.text.json_records import parse_json, parse_json_lines
from sourcebook.ingest.parsers.text.markdown import parse_markdown
from sourcebook.ingest.parsers.text.plain import parse_plain, parse_source
from sourcebook.ingest.parsers.web.html import parse_html
from sourcebook.text.case_and_accents import storable

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import ParsedText

MARKDOWN = """---
title: "A: b"
tags: [x, 'y, z']
---
# Title *a* [b](c)

- item <div hidden>x</div>
  1. `code`

```
# no heading
```
| a | b |
|---|---|
<!-- comment --> &amp; \u200b
""".encode()
HTML = b"""<!doctype html><html lang=ru><head><meta charset="cp1251"><title>T</title></head><body><nav>n</nav><main>
<h1>Head<div>in</div></h1><p hidden>x<p>y<br>z<ul><li>a<ol><li>b</ol></ul><table><tr><th>k<td>v<tr><td><table><tr><td>
</table></table><pre> 1
  2</pre><dl><dt>t<dd>d</dl></main></body></html>"""
CSV = 'sep=;\nname;"value ""x""";n\nмалина;"two\nlines";3\n;;\n'.encode("cp1251")
JSON = '{"title": "A", "list": [1.10, null, true, {"b": "c\\nd"}], "ё": {"x": []}}'.encode()
DOCX_BODY = (
    '<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>'
    '<w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="2"/></w:numPr></w:pPr><w:r><w:t>item</w:t><w:tab/>'
    "<w:br/></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>"
    "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    '<w:p><w:r><w:rPr><w:vanish/><w:sz w:val="2"/></w:rPr><w:t>hidden</w:t></w:r></w:p>'
)
PDF = hostile_files.pdf("First page with some words.", "Second page, and more words.")


# Not the base class: that is what a process says when its parser raised something else.
DECLARED = tuple(BadFile.__subclasses__())


def broken(data: bytes) -> st.SearchStrategy[bytes]:
    """The bytes after a few accidents: changed, cut out, put in or repeated."""
    place = st.integers(0, len(data))
    accident = st.tuples(place, st.integers(0, 40), st.binary(max_size=8), st.integers(0, 3))

    def happen(accidents: list[tuple[int, int, bytes, int]]) -> bytes:
        result = data
        for start, length, put_in, times in accidents:
            result = (
                result[:start] + put_in + result[start : start + length] * times + result[start + length :]
            )
        return result

    return st.lists(accident, max_size=6).map(happen)


def check(parse: Callable[[bytes], ParsedText], data: bytes) -> None:
    try:
        parsed = parse(data)
    except DECLARED:
        return
    assert storable(parsed.text)
    assert parsed.title is None or storable(parsed.title)
    starts = [section.start for section in parsed.sections]
    assert starts == sorted(starts)
    assert all(0 <= start <= len(parsed.text) for start in starts)
    assert all(0 <= page.start <= page.end <= len(parsed.text) for page in parsed.pages)


often = settings(
    max_examples=examples(200, more=100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@often
@given(
    st.one_of(
        broken(MARKDOWN),
        st.binary(max_size=300),
        st.text(max_size=300).map(lambda t: t.encode(errors="replace")),
    )
)
def test_markdown(data: bytes) -> None:
    check(parse_markdown, data)


@often
@given(
    st.one_of(
        broken(HTML),
        st.binary(max_size=300),
        st.text("<>/=\"' \nabhdivpulit1!-&#;", max_size=300).map(str.encode),
    )
)
def test_html(data: bytes) -> None:
    check(parse_html, data)


@often
@given(
    st.one_of(broken(CSV), st.binary(max_size=200), st.text(',;\t|"\n\ra1 ', max_size=200).map(str.encode))
)
def test_csv(data: bytes) -> None:
    check(parse_csv, data)


@often
@given(
    st.one_of(
        broken(JSON), st.binary(max_size=200), st.text('{}[]":,\\\nutrue1.e ', max_size=200).map(str.encode)
    )
)
def test_json(data: bytes) -> None:
    check(parse_json, data)
    check(parse_json_lines, data)


@often
@given(st.binary(max_size=400))
def test_text(data: bytes) -> None:
    check(parse_plain, data)
    check(parse_source, data)


@often
@given(broken(hostile_files.document_xml(DOCX_BODY)), broken(hostile_files.content_types()))
def test_documents_whose_parts_are_broken(document: bytes, types: bytes) -> None:
    parts = {
        "[Content_Types].xml": types,
        "_rels/.rels": hostile_files.RELATIONSHIPS,
        "word/document.xml": document,
    }
    check(parse_docx, hostile_files.packed(parts))


@often
@given(broken(hostile_files.docx(DOCX_BODY)))
def test_documents_whose_package_is_broken(data: bytes) -> None:
    check(parse_docx, data)


@pytest.fixture(scope="module")
def portal() -> Generator[BlockingPortal]:
    with start_blocking_portal() as opened:
        yield opened


@pytest.fixture(scope="module")
def pool(portal: BlockingPortal) -> Generator[ParserPool]:
    opened = ParserPool(workers=1)
    yield opened
    portal.call(opened.close)


@settings(often, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.one_of(broken(PDF), st.binary(max_size=300).map(lambda noise: b"%PDF-1.7\n" + noise)))
def test_pdf(portal: BlockingPortal, pool: ParserPool, data: bytes) -> None:
    """In a process of its own, because nobody knows what the library does to this one."""
    check(lambda noise: portal.call(pool.parse, noise, "x.pdf"), data)


@often
@given(
    st.one_of(st.binary(max_size=300), st.sampled_from([PDF, HTML, CSV, JSON, MARKDOWN]).flatmap(broken)),
    st.text(max_size=20),
)
def test_the_kind_of_a_file(data: bytes, name: str) -> None:
    with suppress(*DECLARED):
        assert kind_of(data, name) in FileKind


@often
@given(st.binary(min_size=1, max_size=300))
def test_archives(noise: bytes) -> None:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("word/document.xml", noise)
    check(parse_docx, stream.getvalue())
    check(parse_docx, stream.getvalue()[: len(noise)] + noise)
