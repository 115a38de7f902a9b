"""What it costs to read one large file: a PDF of 500 pages, and a sheet of 100,000 rows."""

from __future__ import annotations

import io
import random
import resource
import time
import zipfile
from collections.abc import Iterator
from typing import TypedDict

import anyio
from fpdf import FPDF

from sourcebook.ingest.parsers.process.pool import ParserPool

PAGES = 500
ROWS = 100_000
_VOCABULARY = (
    "raspberry cane compost water garden spring autumn prune soil clay mulch straw harvest row bed onion"
)
_WORDS = _VOCABULARY.split()
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


class LargeFacts(TypedDict):
    """`cpu` is what the process that reads took; `memory` the most that it held, in bytes."""

    items: int
    seconds: float
    cpu: float
    items_per_cpu_second: float
    memory: int
    characters: int


def measure(kind: str) -> LargeFacts:
    """Read the file of this kind in a child of this process, which has to be a new one."""
    return anyio.run(_measure, kind)


async def _measure(kind: str) -> LargeFacts:
    items, data = (PAGES, large_pdf()) if kind == "pdf" else (ROWS, large_sheet())
    pool = ParserPool(workers=1)
    started = time.perf_counter()
    parsed = await pool.parse(data, f"large.{kind}")
    seconds = time.perf_counter() - started
    await pool.close()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    return LargeFacts(
        items=items,
        seconds=seconds,
        cpu=cpu,
        items_per_cpu_second=items / cpu,
        memory=used.ru_maxrss * 1024,
        characters=len(parsed.text),
    )


def large_pdf(pages: int = PAGES) -> bytes:
    chance = random.Random(3)  # noqa: S311 - no secret hangs on it
    document = FPDF()
    for number in range(pages):
        document.add_page()
        document.set_font("Helvetica", size=16)
        document.cell(0, 10, f"Chapter {number + 1}", new_x="LMARGIN", new_y="NEXT")
        document.set_font("Helvetica", size=11)
        for _ in range(6):
            words = " ".join(chance.choices(_WORDS, k=90)).capitalize()
            document.multi_cell(0, 5, f"{words}.", new_x="LMARGIN", new_y="NEXT")
    return bytes(document.output())


def large_sheet(rows: int = ROWS, seed: int = 5) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        sheets = '<sheets><sheet name="Beds" r:id="r1"/></sheets>'
        package.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{sheets}</workbook>'
        )
        relation = f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="sheet.xml"/>'
        package.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{_PACKAGE}">{relation}</Relationships>'
        )
        body = "".join(_rows(rows, seed))
        package.writestr(
            "xl/sheet.xml", f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'
        )
    return stream.getvalue()


def _rows(count: int, seed: int) -> Iterator[str]:
    chance = random.Random(seed)  # noqa: S311 - no secret hangs on it
    names = ("Bed", "Crop", "Place", "Litres", "Price", "Remark", "Week", "Code")
    yield f"<row>{''.join(map(_text, names))}</row>"
    for number in range(count):
        words = chance.choices(_WORDS, k=3)
        cells = [_text(f"B{number}"), *map(_text, words), _number(chance.randint(1, 99)), _number(number / 7)]
        yield f"<row>{''.join([*cells, _number(chance.randint(1, 52)), _text(f'K{number % 977}')])}</row>"


def _text(value: str) -> str:
    return f'<c t="inlineStr"><is><t>{value}</t></is></c>'


def _number(value: float) -> str:
    return f"<c><v>{value}</v></c>"
