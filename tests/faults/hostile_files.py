"""Files that are made to do harm, and files that were harmed. All of them are written here, byte by byte."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterable, Mapping

from fpdf import FPDF
from PIL import Image, ImageDraw

MEGABYTE = 1024 * 1024
SENTENCE = "Raspberries want sun and water."

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_DOCUMENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
MACRO_TYPE = "application/vnd.ms-word.document.macroEnabled.main+xml"


def paragraph(words: str) -> str:
    return f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>"


def document_xml(body: str, prolog: str = "") -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{prolog}<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'
    ).encode()


def content_types(document_type: str = _DOCUMENT_TYPE) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Default Extension="bin" ContentType="x/y"/>'
        f'<Override PartName="/word/document.xml" ContentType="{document_type}"/></Types>'
    ).encode()


RELATIONSHIPS = (
    b'<?xml version="1.0" encoding="UTF-8"?>'
    b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    b'Target="word/document.xml"/></Relationships>'
)


def docx(
    body: str = paragraph(SENTENCE),
    *,
    prolog: str = "",
    document_type: str = _DOCUMENT_TYPE,
    more: Mapping[str, bytes] | None = None,
    without: Iterable[str] = (),
) -> bytes:
    """A small package with one document, further parts, and some parts left out."""
    parts = {
        "[Content_Types].xml": content_types(document_type),
        "_rels/.rels": RELATIONSHIPS,
        "word/document.xml": document_xml(body, prolog),
        **(more or {}),
    }
    return packed({name: data for name, data in parts.items() if name not in set(without)})


def packed(parts: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)
    return stream.getvalue()


def docx_bomb(megabytes: int) -> bytes:
    """A document that unpacks to this much; it itself is a thousand times smaller."""
    start, _, end = document_xml("<w:p><w:r><w:t>@</w:t></w:r></w:p>").partition(b"@")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
        package.writestr("[Content_Types].xml", content_types())
        package.writestr("_rels/.rels", RELATIONSHIPS)
        with package.open("word/document.xml", "w") as part:
            part.write(start)
            for _ in range(megabytes):
                part.write(b"word " * (MEGABYTE // 5))
            part.write(end)
    return stream.getvalue()


def docx_of_many_entries(count: int) -> bytes:
    """A package with this many further entries, all of which are the same empty one."""
    data = docx()
    listed = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entry = b"PK\x01\x02" + bytes(24) + b"\x01\x00" + bytes(16) + b"x"
    size = end - listed + count * len(entry)
    # The number of entries has two bytes only; readers of archives go by the size of the list.
    tail = (
        b"PK\x05\x06" + bytes(4) + b"\xff\xff" * 2 + size.to_bytes(4, "little") + listed.to_bytes(4, "little")
    )
    return data[:end] + entry * count + tail + bytes(2)


def docx_with_a_password() -> bytes:
    """What Word writes when a document gets a password: no package, but an old container that holds one."""
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 504
    return head + "EncryptedPackage".encode("utf-16-le") + b"\x00" * 1000


def docx_with_locked_entries() -> bytes:
    """A package each of whose entries says that it is encrypted."""
    data = bytearray(docx())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(mark, at + 4)
    return bytes(data)


def pdf(*pages: str, password: str | None = None) -> bytes:
    """A real PDF with a line of text on each page."""
    document = FPDF()
    document.set_font("Helvetica", size=12)
    if password:
        document.set_encryption(owner_password=password + "!", user_password=password)
    for text in pages:
        document.add_page()
        document.multi_cell(0, 6, text)
    return bytes(document.output())


def scanned_pdf(pages: int = 1) -> bytes:
    """Pictures of letters, and no letters."""
    document = FPDF()
    for number in range(pages):
        picture = Image.new("L", (600, 200), 255)
        ImageDraw.Draw(picture).text((40, 80), f"page {number}", fill=0)
        document.add_page()
        document.image(picture, 10, 10, 150)
    return bytes(document.output())


def pdf_of_objects(objects: Mapping[int, bytes], trailer: bytes = b"") -> bytes:
    """A PDF out of raw objects, 1 of which is the catalog, with a table that says where they are."""
    data = bytearray(b"%PDF-1.7\n")
    offsets: dict[int, int] = {}
    for number, body in objects.items():
        offsets[number] = len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    size = max(objects) + 1
    data += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        data += b"%010d 00000 n \n" % offsets.get(number, 0)
    data += b"trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start)
    return bytes(data)


def stream_of(data: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(data), entries, data)


CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"


def pdf_page(
    content: bytes, entries: bytes = b"", font: bytes = FONT, more: Mapping[int, bytes] | None = None
) -> bytes:
    """One page with this content stream."""
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    objects = {1: CATALOG, 2: pages, 3: PAGE, 4: stream_of(content, entries), 5: font, **(more or {})}
    return pdf_of_objects(objects)


def pdf_bomb(megabytes: int) -> bytes:
    """A page whose content unpacks to this much text."""
    packer = zlib.compressobj(1)
    lines = b"(word and word) Tj T* " * (MEGABYTE // 22)
    content = packer.compress(b"BT /F 12 Tf 14 TL 10 700 Td ")
    for _ in range(megabytes):
        content += packer.compress(lines)
    content += packer.compress(b"ET") + packer.flush()
    return pdf_page(content, b"/Filter/FlateDecode")


def pdf_of_claimed_pages(count: int) -> bytes:
    pages = b"<</Type/Pages/Kids[3 0 R]/Count %d>>" % count
    content = stream_of(b"BT /F 12 Tf 50 700 Td (one page) Tj ET")
    return pdf_of_objects({1: CATALOG, 2: pages, 3: PAGE, 4: content, 5: FONT})


def pdf_whose_pages_loop() -> bytes:
    return pdf_of_objects(
        {
            1: CATALOG,
            2: b"<</Type/Pages/Kids[3 0 R]/Count 2>>",
            3: b"<</Type/Pages/Kids[2 0 R]/Count 2/Parent 2 0 R>>",
        }
    )


def pdf_whose_table_loops() -> bytes:
    """Each table of objects says that an older one, which is itself, stands before it."""
    data = pdf_page(b"BT /F 12 Tf 50 700 Td (text) Tj ET")
    start = data.index(b"xref\n")
    return data.replace(b"/Root 1 0 R", b"/Root 1 0 R/Prev %d" % start)


def pdf_with_broken_picture() -> bytes:
    """A page that shows a JBIG2 picture made of noise."""
    noise = bytes((index * 73 + 19) % 256 for index in range(4000))
    entries = (
        b"/Type/XObject/Subtype/Image/Width 9999/Height 9999/BitsPerComponent 1/ColorSpace/DeviceGray"
        b"/Filter/JBIG2Decode"
    )
    page = PAGE.replace(b"/Font<</F 5 0 R>>", b"/XObject<</I 6 0 R>>")
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    content = stream_of(b"600 0 0 800 0 0 cm /I Do")
    return pdf_of_objects({1: CATALOG, 2: pages, 3: page, 4: content, 5: FONT, 6: stream_of(noise, entries)})


def pdf_with_broken_font() -> bytes:
    """A font whose file and whose table of letters are noise."""
    font = (
        b"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 7 0 R/DescendantFonts[<</Type/Font"
        b"/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"
        b"/FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 4/FontFile2 6 0 R>>>>]>>"
    )
    noise = bytes((index * 31 + 7) % 256 for index in range(2000))
    letters = b"begincmap 1 beginbfchar <0001> <> endbfchar 9 beginbfrange <00> <FF> <D800> endbfrange"
    return pdf_page(
        b"BT /F 12 Tf 50 700 Td <00010002004100420043> Tj ET",
        font=font,
        more={6: stream_of(noise), 7: stream_of(letters)},
    )
