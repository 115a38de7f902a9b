"""Walks through a page and writes down its text."""

from __future__ import annotations

import re
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING

from sourcebook.errors import DamagedFile, FileOverLimit
from sourcebook.ingest.parsers.clean_text import one_line
from sourcebook.ingest.parsers.item_numbers import item_number
from sourcebook.ingest.parsers.office.formulas import formula_text
from sourcebook.ingest.parsers.sections import LINE, PARAGRAPH, TextBuilder
from sourcebook.ingest.parsers.web.page_notes import PageNotes, is_note_mark, says
from sourcebook.ingest.parsers.web.page_table import TableRows, only_arranges
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
    r"breadcrumbs?|footer|toc|toc-macro|table-of-contents|pagination|pager|prev-next|skip-?(?:link|to-content)|headerlink|"
    r"cookie[\w-]*|(?:gdpr|consent)-?(?:banner|bar|modal|popup|notice|overlay|manager)|catlinks|"
    r"mw-(?:navigation|panel|head|editsection|jump-link)|social|share(?:-buttons)?|ads?|advert\w*|edit-?(?:link|page))(?:\s|$)",
    re.IGNORECASE,
)
_NAMES_UNSEEN = re.compile(r"(?:^|\s)(?:sr-only|screen-reader-text|visually-?hidden)(?:\s|$)", re.IGNORECASE)
_LEVEL_CLASS = re.compile(r"\blst-kix_\w{1,40}-([0-8])\b", re.ASCII)
_COMMENT = re.compile(r"#?cmnt(?:_ref)?\d{1,5}", re.ASCII)
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
_WAYS_BACK = frozenset({"doc-backlink", "backlink"})
_START = re.compile(r"\d{1,6}", re.ASCII)
_TEX = "annotation[encoding='application/x-tex']"
_MATH_TAG = re.compile(r"<math\b[^>]*>", re.IGNORECASE)
_MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML">'
_LONGEST_FORMULA = 50_000
_LONGEST_NOTES = 1_000_000
"""What all notes of a page may hold: one in another is told with both."""
_FENCE = "```"
_WORDS_OF_A_LINE = 7
_ENDED = re.compile(r"[^\W\d_]{2}[.!?](?:\s|$)")
_BREAK = "\x0b"
"""Stands for `<br>` until white space is folded; no text holds it."""
_SPACES = re.compile(r"[^\S\x0b]+")
_BREAKS = re.compile(r" ?\x0b ?")


class PageReader:
    """Reads the text of one page, once."""

    def __init__(self, keep: KeptMarkup, *, with_notes: bool = True) -> None:
        """`with_notes`: notes are told below the block that refers to them, and not where they stand."""
        self._keep = keep
        self._with_notes = with_notes
        self._length_of_notes = 0
        self._built = TextBuilder()
        self._inline: list[str] = []
        self._gap = PARAGRAPH
        self._item_mark = ""
        self._item_numbers: list[int | None] = []
        self._item_forms: list[str] = []
        self._is_in_row = False
        self._is_layout: list[bool] = []
        self._rows: list[TableRows] = []
        self._notes: PageNotes | None = None
        self._wanted: list[tuple[str, LexborNode]] = []
        self._heading = ""
        self._pre = 0

    def read(self, root: LexborNode) -> TextBuilder:
        """Everything under the root, in its order. Goes from node to node, as deep as the page may be."""
        self._notes = PageNotes(root) if self._with_notes else None
        node = root.child
        while node is not None:
            if self._enter(node):
                if node.child is not None:
                    node = node.child
                    continue
                self._leave(node.tag or "")
            node = self._after(node, root)
        self._flush()
        self._tell_notes()
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
        if tag in ("sup", "div") and _is_comment(node):
            return False
        if self._notes is not None and self._notes.is_told(node):
            return False
        if tag == "math":
            self._inline.append(_formula(node))
            return False
        if tag == "br":
            self._inline.append(_BREAK)
        elif tag == "a" and is_note_mark(node):
            self._note_mark(node)
            return False
        elif tag in _BLOCKS:
            self._begin_block(node, tag)
        return True

    def _note_mark(self, link: LexborNode) -> None:
        mark = f"[{' '.join(link.text().split()).strip('[]')}]"
        # At the beginning of a block it is the number of the note that stands there.
        self._inline.append(mark if any(map(str.strip, self._inline)) else f"{mark} ")
        note = self._notes.wanted_by(link) if self._notes is not None else None
        if note is not None:
            self._wanted.append((mark, note))

    def _tell_notes(self) -> None:
        """The notes of a block below it."""
        wanted, self._wanted = self._wanted, []
        for mark, note in wanted:
            if self._length_of_notes > _LONGEST_NOTES:
                return
            words = one_line(PageReader(self._keep, with_notes=False).read(note).text())
            self._length_of_notes += len(words)
            self._built.add(f"{mark} {words.removeprefix(mark).removeprefix('- ').lstrip()}", LINE)

    def _is_left_out(self, node: LexborNode, tag: str) -> bool:
        attributes = node.attributes
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        if attributes and (_is_unseen(attributes, names) or says(node, _WAYS_BACK)):
            return True
        if self._keep is KeptMarkup.ALL_VISIBLE:
            return False
        if tag in _AROUND:
            return tag != "aside" or not _NOTES.search(names)
        if tag == "header":
            return node.css_first("h1") is None and node.css_first("h2") is None
        return attributes.get("role") in _ROLES_AROUND or bool(_NAMES_AROUND.search(names))

    def _begin_block(self, node: LexborNode, tag: str) -> None:
        if self._is_in_row and tag in ("td", "th"):
            self._rows[-1].begin_cell(node)
        if self._heading or self._is_in_cell():
            self._inline.append(" ")
            return
        if self._is_line_of_listing(tag):
            self._end_line()
            return
        self._flush()
        match tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                self._heading = tag
            case "ul" | "ol":
                self._item_numbers.append(_first_number(node) if tag == "ol" else None)
                self._item_forms.append(node.attributes.get("type") or "1")
            case "li":
                self._begin_item(node)
            case "table":
                self._is_layout.append(only_arranges(node))
                self._rows.append(TableRows())
            case "tr":
                self._is_in_row = not self._has_layout()
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
        elif self._is_in_row and tag in ("td", "th", "tr", "table"):
            self._end_in_row(tag, self._rows[-1])
        elif self._is_in_cell():
            self._inline.append(" ")
        elif self._is_line_of_listing(tag):
            self._end_line()
        else:
            self._flush()
            self._end_block(tag)

    def _end_block(self, tag: str) -> None:
        match tag:
            case "ul" | "ol":
                self._item_numbers, self._item_forms = self._item_numbers[:-1], self._item_forms[:-1]
                self._item_mark = ""
            case "table":
                self._is_layout, self._rows = self._is_layout[:-1], self._rows[:-1]
                self._tell_notes()
            case "pre":
                self._pre = max(self._pre - 1, 0)
            case _:
                pass

    def _add_listing(self, listing: str) -> None:
        """A listing between fences, as in Markdown, so that whoever reads the text knows it for one.

        The number of an item that begins with it stands above it.
        """
        fence = _FENCE
        while fence in listing:
            fence += "`"
        number = self._item_mark.rstrip()
        above = f"{number}\n" if number.endswith(".") else ""
        self._built.add(f"{above}{fence}\n{listing}\n{fence}", self._gap)

    def _is_line_of_listing(self, tag: str) -> bool:
        """Programs that colour listings write each line as an element of its own."""
        return tag == "div" and self._pre > 0

    def _end_line(self) -> None:
        if self._inline and not self._inline[-1].endswith(("\n", _BREAK)):
            self._inline.append("\n")

    def _begin_item(self, item: LexborNode) -> None:
        number = self._item_numbers[-1] if self._item_numbers else None
        if number is not None:
            said = item.attributes.get("value") or ""
            number = int(said) if _START.fullmatch(said) else number
            self._item_numbers[-1] = number + 1
        indent = "  " * (len(self._item_numbers) - 1 + _level_by_class(item.parent))
        counted = "-" if number is None else f"{item_number(number, self._item_forms[-1])}."
        self._item_mark = f"{indent}{counted} "
        self._gap = LINE if len(self._built) else PARAGRAPH

    def _end_heading(self, tag: str) -> None:
        if tag == self._heading:
            self._built.add_heading(self._take(), _HEADINGS[tag])
            self._heading = ""
            self._tell_notes()

    def _has_layout(self) -> bool:
        return not self._is_layout or self._is_layout[-1]

    def _is_in_cell(self) -> bool:
        return self._is_in_row

    def _end_in_row(self, tag: str, rows: TableRows) -> None:
        """A cell becomes a part of the line that its row is."""
        if tag in ("td", "th"):
            rows.add(one_line(self._take()))
            return
        cells = rows.end_row()
        if any(cells):
            self._built.add(f"| {' | '.join(cells)} |", LINE)
        self._is_in_row = False
        if tag == "table":
            self._end_block(tag)

    def _flush(self) -> None:
        block = self._take()
        if block.strip():
            if self._pre and not _is_prose(block):
                self._add_listing(block.strip("\n").rstrip())
            else:
                self._built.add(self._item_mark + block, self._gap)
            self._item_mark, self._gap = "", PARAGRAPH
            self._tell_notes()

    def _take(self) -> str:
        """What was read since the last block, with white space as a browser shows it."""
        text = "".join(self._inline)
        self._inline = []
        if self._pre:
            return text.replace(_BREAK, "\n")
        return _BREAKS.sub("\n", _SPACES.sub(" ", text)).strip(" ")


def _is_prose(said: str) -> bool:
    """Whether what keeps its line breaks is a text all the same, such as a letter."""
    lines = [line for line in said.splitlines() if line.strip()]
    is_wide = sum(len(line.split()) for line in lines) >= _WORDS_OF_A_LINE * len(lines)
    return is_wide and _ENDED.search(said) is not None


def _level_by_class(items: LexborNode | None) -> int:
    """How deep the items of a list lie where a page says it by the name of a class, as Google Docs does."""
    names = items.attributes.get("class") if items is not None else None
    found = _LEVEL_CLASS.search(names) if names else None
    return int(found[1]) if found else 0


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


def _is_comment(node: LexborNode) -> bool:
    """Whether it is the remark of an editor, or the mark of one, as Google Docs writes them."""
    first = node.child
    if node.tag == "div":
        first = first.child if first is not None and first.tag == "p" else None
    if first is None or first.tag != "a":
        return False
    return bool(_COMMENT.fullmatch(first.attributes.get("href") or ""))


def _is_unseen(attributes: dict[str, str | None], names: str) -> bool:
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or bool(_STYLE_UNSEEN.search(attributes.get("style") or ""))
        or bool(_NAMES_UNSEEN.search(names))
    )
