"""The beginning of a long file is embedded while its rest is still read."""

from __future__ import annotations

import io
import random
import weakref
import zipfile
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import numpy as np
import pytest
from docx import Document as WordDocument
from fpdf import FPDF

from sourcebook import AsyncSourcebook
from sourcebook.errors import BadText
from sourcebook.ingest.chunking.passages import BeginningCutter, chunk_document
from sourcebook.ingest.index.document_reader import ReadDocument
from sourcebook.ingest.index.pipeline import Admission, Item, Pipeline
from sourcebook.ingest.parsers.page_progress import listening
from sourcebook.ingest.parsers.parse import parse
from sourcebook.ingest.parsers.parsed_text import ParsedText, Section
from sourcebook.ingest.parsers.pdf.document import parse_pdf
from sourcebook.ingest.parsers.sections import TextBuilder
from sourcebook.ingest.parsers.shown_beginning import MOST_SHOWN, ShownBeginning
from sourcebook.model.documents import Chunk, ChunkLevel, Document
from sourcebook.ports.providers import TextRole
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from sourcebook.model.add_reports import Progress
    from sourcebook.model.documents import EmbeddingModel

WORDS = ("raspberry", "cane", "compost", "water", "garden", "spring", "autumn", "prune", "soil", "clay")


class Listening:
    """An embedder that remembers its texts. Its first call takes until `awaited` is set, if it is told to wait."""

    def __init__(self, awaited: anyio.Event | None = None) -> None:
        self.embedder = FakeEmbedder()
        self.texts: list[str] = []
        self.called = anyio.Event()
        self.awaited = awaited

    @property
    def model(self) -> EmbeddingModel:
        return self.embedder.model

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        self.called.set()
        self.texts += texts
        if self.awaited is not None:
            await self.awaited.wait()
        return await self.embedder.embed(texts, role)


def prose(chance: random.Random, sentences: int) -> str:
    return " ".join(" ".join(chance.choices(WORDS, k=12)).capitalize() + "." for _ in range(sentences))


def pdf(pages: int) -> bytes:
    document = FPDF()
    for number in range(pages):
        document.add_page()
        document.set_font("helvetica", size=18)
        document.cell(0, 12, f"Chapter {number + 1}", new_x="LMARGIN", new_y="NEXT")
        document.set_font("helvetica", size=10)
        for line in range(30):
            words = f"Line {line} of page {number} tells of raspberries."
            document.cell(0, 7, words, new_x="LMARGIN", new_y="NEXT")
    return bytes(document.output())


@pytest.mark.parametrize("has_headings", [True, False])
def test_what_is_cut_early_is_what_is_cut_in_the_end(has_headings: bool) -> None:
    chance = random.Random(2)
    text, sections, ends = "", list[Section](), list[int]()
    for number in range(40):
        if has_headings:
            sections.append(Section(len(text), f"Chapter {number}"))
        text += f"Chapter {number}\n\n{prose(chance, chance.randrange(1, 60))}\n\n"
        ends.append(len(text) - chance.randrange(2, 90))
    final = {chunk.content for chunk in chunk_document("d", text, sections)}
    cutter, early = BeginningCutter(), set[str]()
    for end in ends[3::9]:
        early.update(cutter.cut(text[:end], [section for section in sections if section.start < end]))
    assert early <= final
    assert len(early) > 0.7 * len(final)


def test_a_long_pdf_shows_its_beginning_while_it_is_read() -> None:
    shown: list[ParsedText] = []
    with listening(lambda _number, _count: None, shown.append):
        whole = parse_pdf(pdf(140))
    assert [len(parsed.pages) for parsed in shown] == [32, 128]
    assert all(whole.text.startswith(parsed.text) for parsed in shown)


@pytest.mark.anyio
async def test_a_long_pdf_is_embedded_while_it_is_read_and_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "long.pdf").write_bytes(pdf(400))
    a_later_page = anyio.Event()
    embedder = Listening(a_later_page)

    def on_progress(progress: Progress) -> None:
        if progress.pages and embedder.called.is_set():
            a_later_page.set()

    async with AsyncSourcebook(tmp_path / "base.db", embedder=embedder) as book:
        with anyio.fail_after(400):
            report = await book.add(tmp_path / "long.pdf", on_progress=on_progress)
    assert report.added == 1
    assert len(set(embedder.texts)) == len(embedder.texts)


def docx(paragraphs: int) -> bytes:
    document = WordDocument()
    for number in range(paragraphs):
        if number % 40 == 0:
            document.add_heading(f"Chapter {number}")
        document.add_paragraph(f"Paragraph {number}: {prose(random.Random(number), 6)}")
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def packed(parts: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return stream.getvalue()


def epub(chapters: int) -> bytes:
    container = "urn:oasis:names:tc:opendocument:xmlns:container"
    numbers = range(chapters)
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in numbers
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    texts = {
        f"c{n}.xhtml": f"<html><body><h1>Chapter {n}</h1><p>{prose(random.Random(n), 60)}</p></body></html>"
        for n in numbers
    }
    return packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": f'<container xmlns="{container}"><rootfiles><rootfile full-path="b.opf"/>'
            "</rootfiles></container>",
            "b.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest>'
            f"<spine>{spine}</spine></package>",
            **texts,
        }
    )


def inline(text: str) -> str:
    return f'<c t="inlineStr"><is><t>{text}</t></is></c>'


def xlsx(rows: int) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relation = "http://schemas.openxmlformats.org/package/2006/relationships"
    cells = [("Bed", "Crop", "Remark")]
    cells += [(f"B{n}", WORDS[n % len(WORDS)], prose(random.Random(n), 1)) for n in range(rows)]
    body = "".join(f"<row>{''.join(map(inline, row))}</row>" for row in cells)
    sheets = '<sheets><sheet name="Beds" r:id="r1"/></sheets>'
    return packed(
        {
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}">{sheets}</workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{relation}"><Relationship Id="r1"'
            f' Type="{office}/worksheet" Target="sheet.xml"/></Relationships>',
            "xl/sheet.xml": f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
        }
    )


LONG_FILES = {"long.docx": lambda: docx(600), "long.epub": lambda: epub(60), "long.xlsx": lambda: xlsx(2500)}


@pytest.mark.parametrize("name", LONG_FILES)
def test_a_long_file_shows_its_beginning_while_it_is_read(name: str) -> None:
    shown: list[ParsedText] = []
    with listening(lambda _number, _count: None, shown.append):
        whole = parse(LONG_FILES[name](), name)
    assert len(shown) >= 2
    cutter, early = BeginningCutter(), set[str]()
    for parsed in shown:
        assert whole.text.startswith(parsed.text)
        assert parsed.sections == [section for section in whole.sections if section.start < len(parsed.text)]
        early.update(cutter.cut(parsed.text, parsed.sections))
    final = {chunk.content for chunk in chunk_document("d", whole.text, whole.sections)}
    assert early <= final
    assert len(early) > 0.3 * len(final)


def test_what_is_shown_of_an_endless_text_has_a_limit() -> None:
    shown: list[ParsedText] = []
    built = TextBuilder()
    beginning = ShownBeginning(built)
    with listening(lambda _number, _count: None, shown.append):
        while len(built) < 3 * MOST_SHOWN:
            built.add("water " * 5_000)
            beginning.grown()
    assert [len(parsed.text) for parsed in shown] == sorted({len(parsed.text) for parsed in shown})
    assert sum(len(parsed.text) for parsed in shown) <= 2 * MOST_SHOWN


@pytest.mark.anyio
async def test_a_long_sheet_is_embedded_while_it_is_read_and_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "long.xlsx").write_bytes(xlsx(2500))
    embedder = Listening()
    async with AsyncSourcebook(tmp_path / "base.db", embedder=embedder) as book:
        report = await book.add(tmp_path / "long.xlsx")
    assert report.added == 1
    assert len(set(embedder.texts)) == len(embedder.texts)


class Works:
    """A pipeline over one document of some texts, the first of which are known early."""

    def __init__(self, early: Sequence[str], final: Sequence[str] | None) -> None:
        self.early, self.final = early, final
        self.embedder = Listening()
        self.written: list[Item[str]] = []
        self.pipeline = Pipeline[str](read=self.read, write=self.write, embedder=self.embedder)

    async def read(self, work: str, admitted: Admission) -> Item[str]:
        self.pipeline.embed_ahead(work, self.early)
        await self.embedder.called.wait()
        if self.final is None:
            return Item(work, None, BadText("torn off"))
        levels = (ChunkLevel.PARENT, ChunkLevel.CHILD)
        chunks = [Chunk(str(n), "d", text, level=levels[n % 2]) for n, text in enumerate(self.final)]
        await admitted(1000)
        return Item(work, ReadDocument(Document("d", "x" * 1000), (), chunks))

    async def write(self, items: Sequence[Item[str]]) -> None:
        self.written += items


@pytest.mark.anyio
@pytest.mark.parametrize(
    "final", [["a", "b"], ["a", "b", "c"], ["c", "b"], ["b", "b"], []], ids=lambda texts: "".join(texts)
)
async def test_a_document_is_written_once_with_the_vectors_of_its_own_chunks(final: list[str]) -> None:
    works = Works(["a", "b"], final)
    await works.pipeline.run(["one"])
    assert [item.work for item in works.written] == ["one"]
    assert sorted(works.embedder.texts) == sorted({"a", "b", *final})
    embedded = works.written[0].embedded()
    assert [one.chunk.content for one in embedded] == final
    for one in embedded:
        wanted = await FakeEmbedder().embed([one.chunk.content], TextRole.PASSAGE)
        assert np.allclose(np.asarray(one.embedding), wanted[0])


@pytest.mark.anyio
async def test_a_file_that_breaks_off_fails_although_its_beginning_was_embedded() -> None:
    works = Works(["a", "b"], None)
    await works.pipeline.run(["one"])
    assert [(item.read, type(item.error)) for item in works.written] == [(None, BadText)]


class WatchedText(str):
    """A text that can be seen to be gone."""

    __slots__ = ("__weakref__",)


@pytest.mark.anyio
async def test_a_written_document_is_let_go_while_the_next_is_still_read() -> None:
    written = anyio.Event()
    texts: list[weakref.ref[WatchedText]] = []

    async def read(work: str, admitted: Admission) -> Item[str]:
        if work == "next":
            await written.wait()
            while texts[0]() is not None:
                await anyio.lowlevel.checkpoint()
        text = WatchedText(f"The {work} document.")
        texts.append(weakref.ref(text))
        await admitted(len(text))
        return Item(work, ReadDocument(Document(work, text), (), [Chunk(work, work, f"{text} A chunk.")]))

    async def write(items: Sequence[Item[str]]) -> None:
        written.set()

    pipeline = Pipeline[str](read=read, write=write, embedder=FakeEmbedder())
    with anyio.fail_after(30):
        await pipeline.run(["first", "next"])
