"""Items of an ODT are counted by their style, which may say anything."""

from __future__ import annotations

from tests.faults.hostile_files import packed

from sourcebook.ingest.parsers.office.opendocument import parse_odt

_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_NAMES = " ".join(f'xmlns:{name}="{_ODF}:{name}:1.0"' for name in ("office", "text", "style"))


def read(styles: str, body: str) -> str:
    content = (
        f"<office:document-content {_NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    kind = b"application/vnd.oasis.opendocument.text"
    return parse_odt(packed({"mimetype": kind, "content.xml": content.encode()})).text


def of_list(prefix: str) -> str:
    level = f'<text:list-level-style-number text:level="1" style:num-format="1" style:num-prefix="{prefix}"/>'
    items = "".join(f"<text:list-item><text:p>{words}</text:p></text:list-item>" for words in "ab")
    return read(
        f'<text:list-style style:name="L">{level}</text:list-style>',
        f'<text:list text:style-name="L">{items}</text:list>',
    )


def test_a_label_is_repeated_only_if_it_is_as_short_as_labels_are() -> None:
    assert of_list("Article ") == "Article 1 a\nArticle 2 b"
    assert of_list("p" * 50_000) == "- a\n- b"


def test_a_label_makes_no_heading() -> None:
    assert of_list("&#10;&#10;# ") == "1 a\n2 b"


def test_a_heading_names_no_more_levels_than_there_can_be() -> None:
    level = (
        '<text:outline-level-style text:level="999999" style:num-format="1" text:display-levels="999999"/>'
    )
    heading = '<text:h text:outline-level="999999">x</text:h>'
    assert read(f"<text:outline-style>{level}</text:outline-style>", heading * 300).count("x") == 300
