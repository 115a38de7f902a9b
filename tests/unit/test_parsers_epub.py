"""Which chapter and section a passage of a book belongs to."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO

from sourcebook.ingest.parsers.web.epub import parse_epub

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf"/></rootfiles></container>"""
PART = '<li><a href="part.xhtml">Part one</a><ol>{}</ol></li>'


def book(pages: Mapping[str, str], contents: str = "", ncx: str = "") -> bytes:
    """A book with these pages in their order; `contents` are the items of its list, `ncx` those of the older one."""
    items = "".join(
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in pages
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in pages)
    files = {"META-INF/container.xml": CONTAINER}
    files |= {f"{name}.xhtml": f"<html><body>{body}</body></html>" for name, body in pages.items()}
    if contents:
        items += '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        files["nav.xhtml"] = f"<html><body><nav><ol>{contents}</ol></nav></body></html>"
    if ncx:
        items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        files["toc.ncx"] = f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{ncx}</navMap></ncx>'
    files["book.opf"] = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest>'
        f"<spine>{spine}</spine></package>"
    )
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return out.getvalue()


def paths(data: bytes) -> list[str]:
    return [section.path for section in parse_epub(data).sections]


PAGES = {
    "part": "<p>All about berries.</p>",
    "one": "<p>They want sun.</p><h2>Soil</h2><p>Loose.</p>",
    "two": "<h1>Water</h1><p>At dawn.</p><h2>Rain</h2><p>Enough.</p>",
}


def test_names_that_are_taken_from_the_contents_keep_their_depth() -> None:
    items = '<li><a href="one.xhtml">Light</a></li><li><a href="two.xhtml">Water</a></li>'
    expected = ["Part one", "Part one > Light", "Part one > Light > Soil", "Part one > Water"]
    assert paths(book(PAGES, PART.format(items))) == [*expected, "Part one > Water > Rain"]


def test_so_do_those_of_the_older_list() -> None:
    def point(page: str, name: str, inner: str = "") -> str:
        label = f"<navLabel><text>{name}</text></navLabel>"
        return f'<navPoint>{label}<content src="{page}.xhtml"/>{inner}</navPoint>'

    inner = point("one", "Light") + point("two", "Water")
    expected = ["Part one", "Part one > Light", "Part one > Light > Soil", "Part one > Water"]
    assert paths(book(PAGES, ncx=point("part", "Part one", inner))) == [*expected, "Part one > Water > Rain"]


def test_a_page_that_the_contents_do_not_name_goes_on_with_its_chapter() -> None:
    pages = {"two": PAGES["two"], "more": "<h2>Snow</h2><p>Too cold.</p>"}
    items = '<li><a href="two.xhtml">Water</a></li>'
    assert paths(book(pages, items)) == ["Water", "Water > Rain", "Water > Snow"]


def test_it_goes_on_with_a_name_from_the_contents_too() -> None:
    pages = {"one": PAGES["one"], "more": "<h2>Sand</h2><p>Too dry.</p>", "last": "<h1>End</h1><p>.</p>"}
    items = '<li><a href="one.xhtml">Light</a></li>'
    assert paths(book(pages, items)) == ["Light", "Light > Soil", "Light > Sand", "End"]
