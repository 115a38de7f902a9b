"""Make the PDF and DOCX files of the sample from the texts in scripts/sample_sources.

`a/b.pdf.md` there becomes `sample/documents/a/b.pdf`. The same text gives the same file: dates and ids are fixed.
The font is DejaVu (Debian: fonts-dejavu-core), whose licence allows it to be embedded; a file holds the letters that
it uses.
"""

from __future__ import annotations

import argparse
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import docx
from fpdf import FPDF
from fpdf.enums import TableBordersLayout, XPos, YPos
from fpdf.fonts import FontFace

if TYPE_CHECKING:
    from docx.document import Document

ROOT = Path(__file__).parent.parent
SOURCES = Path(__file__).parent / "sample_sources"
DOCUMENTS = ROOT / "sample" / "documents"
FONTS = Path("/usr/share/fonts/truetype/dejavu")
AUTHOR = "The Sourcebook authors"
MADE = datetime(2024, 3, 1, 12, tzinfo=UTC)
PAGE_OF = {"en": "Page {} of {}", "pt": "Página {} de {}", "ru": "Страница {} из {}"}


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list: with numbers, if its marks are numbers."""

    numbered: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def marks(self) -> tuple[str, ...]:
        return self.numbered or ("•",) * len(self.texts)


@dataclass(frozen=True, slots=True)
class Table:
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Items | Table


@dataclass(frozen=True, slots=True)
class Source:
    """A text with what its head says: title, subtitle, subject, language, and the layout of its pages."""

    head: dict[str, str]
    blocks: tuple[Block, ...]


def sources() -> dict[Path, Path]:
    """Where each file is to stand, and the text it is made from."""
    found = sorted(SOURCES.glob("*/*.md"))
    return {DOCUMENTS / path.relative_to(SOURCES).with_suffix(""): path for path in found}


def read(path: Path) -> Source:
    _, head, body = path.read_text("utf-8").split("---\n", 2)
    entries = (line.partition(": ") for line in head.splitlines())
    blocks = (_block(text) for text in re.split(r"\n{2,}", body.strip()))
    return Source({key: value for key, _, value in entries}, tuple(blocks))


def _block(text: str) -> Block:
    lines = text.splitlines()
    if heading := re.fullmatch(r"(#+) (.+)", text):
        return Heading(len(heading[1]), heading[2])
    if text.startswith("|"):
        rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
        return Table((rows[0], *rows[2:]))
    if text.startswith("- "):
        return Items((), tuple(line[2:] for line in lines))
    if re.match(r"1\. ", text):
        pairs = [line.partition(" ") for line in lines]
        return Items(tuple(mark for mark, _, _ in pairs), tuple(words for _, _, words in pairs))
    return Paragraph(text)


class Handout(FPDF):
    """Pages of one or two columns, with a running title above and the number of the page below."""

    LINE = 5.2
    GAP = 8.0
    MARGIN = 20.0

    def __init__(self, source: Source, fonts: Path) -> None:
        super().__init__(format="A4")
        self.source = source
        self.columns = 2 if source.head["layout"] == "columns" else 1
        self.column, self.top = 0, self.MARGIN
        self.size = 9.0 if self.columns == 2 else 10.0
        self.add_font("serif", "", fonts / "DejaVuSerif.ttf")
        self.add_font("sans", "", fonts / "DejaVuSans.ttf")
        self.add_font("sans", "B", fonts / "DejaVuSans-Bold.ttf")
        self.set_margins(self.MARGIN, self.MARGIN, self.MARGIN)
        self.set_auto_page_break(False)
        self._describe()

    def _describe(self) -> None:
        self.set_title(self.source.head["title"])
        self.set_subject(self.source.head["subject"])
        self.set_author(AUTHOR)
        self.set_creator("scripts/sample.py")
        self.set_lang(self.source.head["language"])
        self.set_creation_date(MADE)

    @property
    def bottom(self) -> float:
        return self.h - self.MARGIN

    @property
    def width(self) -> float:
        return (self.epw_of_page - self.GAP * (self.columns - 1)) / self.columns

    @property
    def epw_of_page(self) -> float:
        return self.w - 2 * self.MARGIN

    def header(self) -> None:
        if self.page_no() > 1:
            self._small(12, self.source.head["title"])

    def footer(self) -> None:
        pattern = PAGE_OF[self.source.head["language"]]
        self._small(self.h - 14, pattern.format(self.page_no(), self.str_alias_nb_pages))

    def _small(self, y: float, text: str) -> None:
        self.set_font("sans", size=8)
        self.set_text_color(110)
        self.set_xy(self.MARGIN, y)
        self.cell(self.epw_of_page, 4, text, align="C")
        self.set_text_color(0)

    def write_all(self) -> bytes:
        self.add_page()
        self._cover()
        blocks = self.source.blocks
        for block, following in zip(blocks, [*blocks[1:], None], strict=True):
            self._write(block, following)
        return bytes(self.output())

    def _cover(self) -> None:
        self.set_xy(self.MARGIN, self.MARGIN)
        self.set_font("sans", "B", 18)
        self.multi_cell(
            self.epw_of_page, 8.5, self.source.head["title"], align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT
        )
        self.set_font("sans", size=10)
        self.set_text_color(90)
        self.multi_cell(
            self.epw_of_page,
            6,
            self.source.head["subtitle"],
            align="L",
            new_x=XPos.LMARGIN,
            new_y=YPos.NEXT,
        )
        self.set_text_color(0)
        self.line(self.MARGIN, self.get_y() + 2, self.w - self.MARGIN, self.get_y() + 2)
        self.top = self.get_y() + 6
        self.set_y(self.top)
        self._enter(0)

    def _enter(self, column: int) -> None:
        self.column = column
        self.set_left_margin(self.MARGIN + column * (self.width + self.GAP))
        self.set_xy(self.l_margin, self.top)

    def _make_room(self, height: float) -> None:
        """Go on in the next column, or on the next page, if what follows would not fit here."""
        if self.get_y() + height <= self.bottom:
            return
        if self.column + 1 < self.columns:
            self._enter(self.column + 1)
            return
        self.set_left_margin(self.MARGIN)
        self.add_page()
        self.top = self.MARGIN
        self._enter(0)

    def _write(self, block: Block, following: Block | None) -> None:
        match block:
            case Heading():
                self._heading(block, following)
            case Paragraph(text):
                self._lines(text, indent=0)
                self.ln(2)
            case Items():
                self._items(block)
            case Table(rows):
                self._table(rows)

    def _heading(self, heading: Heading, following: Block | None) -> None:
        size = self.size + (3.5 if heading.level == 1 else 1.5)
        self.set_font("sans", "B", size)
        lines = self._wrapped(heading.text, self.width)
        # A heading stays with two lines of what it heads, and with a heading or a table that follows.
        after = 27.0 if isinstance(following, Heading | Table) else 2 * self.LINE
        self._make_room(4 + len(lines) * 6 + after)
        self.ln(2 if self.get_y() > self.top else 0)
        self.start_section(heading.text, heading.level - 1)
        self.set_font("sans", "B", size)
        for line in lines:
            self.set_x(self.l_margin)
            self.cell(self.width, 6, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(1)

    def _items(self, items: Items) -> None:
        for mark, text in zip(items.marks, items.texts, strict=True):
            self._lines(text, indent=6, mark=mark)
        self.ln(2)

    def _lines(self, text: str, indent: float, mark: str = "") -> None:
        self.set_font("serif", size=self.size)
        for number, line in enumerate(self._wrapped(text, self.width - indent)):
            self._make_room(self.LINE)
            self.set_x(self.l_margin)
            if mark and number == 0:
                self.cell(indent, self.LINE, mark)
            self.set_x(self.l_margin + indent)
            self.cell(self.width - indent, self.LINE, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def _wrapped(self, text: str, width: float) -> Sequence[str]:
        found = self.multi_cell(width, self.LINE, text, align="L", dry_run=True, output="LINES")
        return [str(line) for line in found] if isinstance(found, list) else []

    def _table(self, rows: Sequence[Sequence[str]]) -> None:
        self._make_room(self._table_height(rows))
        self._draw_table(rows)
        self.ln(4)

    def _table_height(self, rows: Sequence[Sequence[str]]) -> float:
        with self.offset_rendering():
            start = self.get_y()
            self._draw_table(rows)
            return self.get_y() - start

    def _draw_table(self, rows: Sequence[Sequence[str]]) -> None:
        self.set_font("sans", size=self.size - 1)
        longest = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
        with self.table(
            borders_layout=TableBordersLayout.HORIZONTAL_LINES,
            col_widths=tuple(min(max(length, 12), 48) for length in longest),
            headings_style=FontFace(emphasis="BOLD", fill_color=(232, 238, 228)),
            line_height=self.LINE - 0.4,
            text_align="LEFT",
            align="LEFT",
            width=self.width,
            padding=1,
        ) as table:
            for row in rows:
                table.row(row)


def pdf(source: Source, fonts: Path = FONTS) -> bytes:
    return Handout(source, fonts).write_all()


def word(source: Source) -> bytes:
    made = docx.Document()
    _describe(made, source)
    made.add_heading(source.head["title"], 0)
    made.add_paragraph(source.head["subtitle"], style="Subtitle")
    for block in source.blocks:
        _append(made, block)
    return _still(made)


def _describe(made: Document, source: Source) -> None:
    about = made.core_properties
    about.title, about.subject = source.head["title"], source.head["subject"]
    about.author = about.last_modified_by = AUTHOR
    about.language, about.comments = source.head["language"], ""
    about.created = about.modified = MADE.replace(tzinfo=None)


def _append(made: Document, block: Block) -> None:
    match block:
        case Heading(level, text):
            made.add_heading(text, level)
        case Paragraph(text):
            made.add_paragraph(text)
        case Items(numbered, texts):
            for text in texts:
                made.add_paragraph(text, style="List Number" if numbered else "List Bullet")
        case Table(rows):
            table = made.add_table(rows=len(rows), cols=len(rows[0]), style="Light Grid Accent 3")
            for cells, row in zip(rows, table.rows, strict=True):
                for text, cell in zip(cells, row.cells, strict=True):
                    cell.text = text


def _still(made: Document) -> bytes:
    """The file with the same time on each of its parts, whenever it is written."""
    raw, fixed = io.BytesIO(), io.BytesIO()
    made.save(raw)
    with zipfile.ZipFile(raw) as parts, zipfile.ZipFile(fixed, "w", zipfile.ZIP_DEFLATED) as again:
        for part in parts.infolist():
            entry = zipfile.ZipInfo(part.filename, MADE.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            again.writestr(entry, parts.read(part))
    return fixed.getvalue()


def build(fonts: Path = FONTS) -> Iterator[tuple[Path, bytes]]:
    """Each file that is made, and its bytes."""
    for target, path in sources().items():
        source = read(path)
        yield target, pdf(source, fonts) if target.suffix == ".pdf" else word(source)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fonts", type=Path, default=FONTS, help="the folder that holds DejaVuSerif.ttf")
    fonts = parser.parse_args().fonts
    if not (fonts / "DejaVuSerif.ttf").is_file():
        parser.error(
            f"{fonts} holds no DejaVuSerif.ttf: install fonts-dejavu-core, or name its folder with --fonts"
        )
    for target, data in build(fonts):
        target.parent.mkdir(parents=True, exist_ok=True)
        is_new = not target.exists() or target.read_bytes() != data
        target.write_bytes(data)
        print(f"{'written' if is_new else 'as it was'}  {len(data) // 1024:4} KB  {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
