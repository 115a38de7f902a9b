"""Walks through a page and writes down its text."""

from __future__ import annotations

import re
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING

from sourcebook.errors import DamagedFile, FileOverLimit
from sourcebook.ingest.parsers.item_numbers import item_number
from sourcebook.ingest.parsers.office.formulas import formula_text
from sourcebook.ingest.parsers.sections import LINE, PARAGRAPH, TextBuilder
from sourcebook.ingest.parsers.zip_and_xml import reading, xml_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


class KeptMarkup(Enum):
    """How much of a page is read: its content, or also menus, footers and whatever else can be seen."""

    CONTENT = "content"
    ALL_VISIBLE = "all visible"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_UNSEEN = _words(
    "script style template noscript head svg canvas iframe object embed audio video map datalist dialog select"
    " textarea button input title link meta"
)
_AROUND = _words("nav footer aside")
_ROLES_AROUND = _words(
    "navigation banner contentinfo complementary search menu menubar toolbar tablist dialog"
)
_NAMES_AROUND = re.compile(
    r"(?:^|\s)(?:(?:site|page|main|top|global)[-_]?)?(?:nav(?:bar|header|footer|igation|links)?|menu|sidebar|side-bar|"
    r"breadcrumbs?|footer|toc|table-of-contents|pagination|pager|prev-next|skip-?(?:link|to-content)|headerlink|"
    r"cookie[\w-]*|social|share(?:-buttons)?|ads?|advert\w*|edit-?(?:link|page))(?:\s|$)",
    re.IGNORECASE,
)
_NAMES_UNSEEN = re.compile(r"(?:^|\s)(?:sr-only|screen-reader-text|visually-?hidden)(?:\s|$)", re.IGNORECASE)
_STYLE_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*(?:0+(?:\.0+)?|\.0+)(?![\d.])"
    r"|font-size\s*:\s*(?:0+(?:\.0+)?(?![\d.])|[012](?:\.\d+)?(?:px|pt)|0?\.[01]\d*r?em)"
    r"|(?:left|top|right|text-indent|margin-left)\s*:\s*-\d{3,}"
    r"|(?:^|[;\s])(?:width|height|max-width|max-height)\s*:\s*0(?:px)?\s*(?:;|!|$)",
    re.IGNORECASE,
)
_NOTES = re.compile(r"note|tip|hint|warning|caution|important|admonition|callout|topic", re.IGNORECASE)
_BLOCKS = _words(
    "address article blockquote body center dd details div dl dt fieldset figcaption figure form header hgroup hr html"
    " legend li main ol p pre section summary table tbody td tfoot th thead tr ul caption nav footer aside"
    " h1 h2 h3 h4 h5 h6"
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_NOTE_MARKS = frozenset({"doc-noteref", "noteref"})
_WAYS_BACK = frozenset({"doc-backlink", "backlink"})
_START = re.compile(r"\d{1,6}", re.ASCII)
_TEX = "annotation[encoding='application/x-tex']"
_MATH_TAG = re.compile(r"<math\b[^>]*>", re.IGNORECASE)
_MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML">'
_LONGEST_FORMULA = 50_000
_LAYOUT = "table, h1, h2, h3, h4, ul, ol, pre, p + p"
_BREAK = "\x0b"
"""Stands for `<br>` until white space is folded; no text holds it."""
_SPACES = re.compile(r"[^\S\x0b]+")
_BREAKS = re.compile(r" ?\x0b ?")


class PageReader:
    """Reads the text of one page, once."""

    def __init__(self, keep: KeptMarkup) -> None:
        self._keep = keep
        self._built = TextBuilder()
        self._inline: list[str] = []
        self._gap = PARAGRAPH
        self._item_mark = ""
        self._item_numbers: list[int | None] = []
        self._item_forms: list[str] = []
        self._row: list[str] | None = None
        self._is_layout: list[bool] = []
        self._heading = ""
        self._pre = 0

    def read(self, root: LexborNode) -> TextBuilder:
        """Everything under the root, in its order. Goes from node to node, as deep as the page may be."""
        node = root.child
        while node is not None:
            if self._enter(node):
                if node.child is not None:
                    node = node.child
                    continue
                self._leave(node.tag or "")
            node = self._after(node, root)
        self._flush()
        return self._built

    def _after(self, node: LexborNode, root: LexborNode) -> LexborNode | None:
        """The next node that does not lie under this one; the elements that end in between are left."""
        current = node
        while current.next is None:
            parent = current.parent
            if parent is None or parent.mem_id == root.mem_id:
                return None
            self._leave(parent.tag or "")
            current = parent
        return current.next

    def _enter(self, node: LexborNode) -> bool:
        """Whether to go on with what is inside."""
        if node.is_text_node:
            self._inline.append(node.text_content or "")
            return False
        tag = node.tag or ""
        if not node.is_element_node or tag in _UNSEEN or self._is_left_out(node, tag):
            return False
        if tag == "math":
            self._inline.append(_formula(node))
            return False
        if tag == "br":
            self._inline.append(_BREAK)
        elif tag == "a" and _says(node, _NOTE_MARKS):
            self._inline.append(f"[{' '.join(node.text().split()).strip('[]')}]")
            return False
        elif tag in _BLOCKS:
            self._begin_block(node, tag)
        return True

    def _is_left_out(self, node: LexborNode, tag: str) -> bool:
        attributes = node.attributes
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        if attributes and (_is_unseen(attributes, names) or _says(node, _WAYS_BACK)):
            return True
        if self._keep is KeptMarkup.ALL_VISIBLE:
            return False
        if tag in _AROUND:
            return tag != "aside" or not _NOTES.search(names)
        if tag == "header":
            return node.css_first("h1") is None and node.css_first("h2") is None
        return attributes.get("role") in _ROLES_AROUND or bool(_NAMES_AROUND.search(names))

    def _begin_block(self, node: LexborNode, tag: str) -> None:
        if self._heading or self._is_in_cell():
            self._inline.append(" ")
            return
        self._flush()
        match tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                self._heading = tag
            case "ul" | "ol":
                self._item_numbers.append(_first_number(node) if tag == "ol" else None)
                self._item_forms.append(node.attributes.get("type") or "1")
            case "li":
                self._begin_item()
            case "table":
                self._is_layout.append(_is_layout(node))
            case "tr":
                self._row = None if self._has_layout() else []
            case "dd":
                self._gap = LINE
            case "pre":
                self._pre += 1
            case _:
                pass

    def _leave(self, tag: str) -> None:
        if tag not in _BLOCKS:
            return
        if self._heading:
            self._end_heading(tag)
        elif self._row is not None and tag in ("td", "th", "tr", "table"):
            self._end_in_row(tag, self._row)
        elif self._is_in_cell():
            self._inline.append(" ")
        else:
            self._flush()
            self._end_block(tag)

    def _end_block(self, tag: str) -> None:
        match tag:
            case "ul" | "ol":
                self._item_numbers, self._item_forms = self._item_numbers[:-1], self._item_forms[:-1]
                self._item_mark = ""
            case "table":
                self._is_layout = self._is_layout[:-1]
            case "pre":
                self._pre = max(self._pre - 1, 0)
            case _:
                pass

    def _begin_item(self) -> None:
        number = self._item_numbers[-1] if self._item_numbers else None
        if number is not None:
            self._item_numbers[-1] = number + 1
        indent = "  " * (len(self._item_numbers) - 1)
        counted = "-" if number is None else f"{item_number(number, self._item_forms[-1])}."
        self._item_mark = f"{indent}{counted} "
        self._gap = LINE if len(self._built) else PARAGRAPH

    def _end_heading(self, tag: str) -> None:
        if tag == self._heading:
            self._built.add_heading(self._take(), _HEADINGS[tag])
            self._heading = ""

    def _has_layout(self) -> bool:
        return not self._is_layout or self._is_layout[-1]

    def _is_in_cell(self) -> bool:
        return self._row is not None

    def _end_in_row(self, tag: str, row: list[str]) -> None:
        """A cell becomes a part of the line that its row is."""
        if tag in ("td", "th"):
            row.append(" ".join(self._take().split()))
            return
        if any(row):
            self._built.add(f"| {' | '.join(row)} |", LINE)
        self._row = None
        if tag == "table":
            self._end_block(tag)

    def _flush(self) -> None:
        block = self._take()
        if block.strip():
            self._built.add(self._item_mark + block, self._gap)
            self._item_mark, self._gap = "", PARAGRAPH

    def _take(self) -> str:
        """What was read since the last block, with white space as a browser shows it."""
        text = "".join(self._inline)
        self._inline = []
        if self._pre:
            return text.replace(_BREAK, "\n")
        return _BREAKS.sub("\n", _SPACES.sub(" ", text)).strip(" ")


def _says(node: LexborNode, kinds: frozenset[str]) -> bool:
    """Whether an element says that it is one of these, as books and pages do."""
    attributes = node.attributes
    said = f"{attributes.get('role') or ''} {attributes.get('epub:type') or ''}"
    return not kinds.isdisjoint(said.split())


def _first_number(items: LexborNode) -> int:
    said = items.attributes.get("start") or ""
    return int(said) if _START.fullmatch(said) else 1


def _formula(math: LexborNode) -> str:
    """A formula as whoever wrote it typed it, if it says so, else in one line: `E=mc^2`."""
    typed = math.css_first(_TEX)
    if typed is not None:
        return " ".join(typed.text().split())
    markup = (math.html or "").replace("&nbsp;", " ")
    if len(markup) <= _LONGEST_FORMULA:
        # What is no real MathML is read as its signs in their order.
        with suppress(DamagedFile, FileOverLimit), reading("formula"):
            return formula_text(xml_of(_MATH_TAG.sub(_MATH, markup, count=1).encode()))
    return " ".join(math.text(separator=" ").split())


def _is_layout(table: LexborNode) -> bool:
    """Whether a table only places things beside each other: no cell of a table of facts holds so much."""
    # The table itself is found too.
    return any(found.mem_id != table.mem_id for found in table.css(_LAYOUT))


def _is_unseen(attributes: dict[str, str | None], names: str) -> bool:
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or bool(_STYLE_UNSEEN.search(attributes.get("style") or ""))
        or bool(_NAMES_UNSEEN.search(names))
    )
