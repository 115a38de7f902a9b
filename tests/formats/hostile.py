"""Files of the newer formats that are made to do harm, and that were harmed."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping

from tests.faults.hostile_files import packed

MEGABYTE = 1024 * 1024
BILLION = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY e SYSTEM "file://{path}">]>'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"


def xlsx(rows: str, prolog: str = "") -> bytes:
    book = f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets><sheet name="A" r:id="r1"/></sheets></workbook>'
    relation = f'<Relationship Id="r1" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    return packed(
        {
            "xl/workbook.xml": book.encode(),
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}">{relation}</Relationships>'.encode(),
            "xl/worksheets/sheet1.xml": (
                f'{prolog}<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'.encode()
            ),
        }
    )


def cell(text: str, place: str = "A1") -> str:
    return f'<row r="1"><c r="{place}" t="inlineStr"><is><t>{text}</t></is></c></row>'


def opendocument(kind: str, body: str, prolog: str = "") -> bytes:
    names = " ".join(f'xmlns:{n}="{_ODF}:{n}:1.0"' for n in ("office", "text", "table"))
    content = f"{prolog}<office:document-content {names} xmlns:draw='{_ODF}:drawing:1.0'><office:body>{body}"
    return packed(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
            "content.xml": f"{content}</office:body></office:document-content>".encode(),
        }
    )


def odt(text: str, prolog: str = "") -> bytes:
    return opendocument("text", f"<office:text><text:p>{text}</text:p></office:text>", prolog)


def epub(chapter: bytes, more: Mapping[str, bytes] | None = None) -> bytes:
    container = (
        b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        b'<rootfile full-path="book.opf"/></rootfiles></container>'
    )
    book = (
        b'<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
        b'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>'
    )
    return packed({"META-INF/container.xml": container, "book.opf": book, "a.xhtml": chapter, **(more or {})})


def zip_bomb(megabytes: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(megabytes // 10):
            archive.writestr(f"{number}.txt", b"0" * (10 * MEGABYTE))
    return stream.getvalue()


def tar(entries: Mapping[str, bytes], links: Mapping[str, str] | None = None) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in entries.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        for name, target in (links or {}).items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
    return stream.getvalue()


def tar_gz(entries: Mapping[str, bytes]) -> bytes:
    return gzip.compress(tar(entries))
