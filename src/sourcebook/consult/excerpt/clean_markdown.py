"""Cleans quoted text for showing: Markdown without links, tags and unpaired marks. Code stays as it is."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterator, Sequence

from sourcebook.text.layout.blocks import BlockKind

_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_KEPT = re.compile("\x00(\\d+)\x00")
_TAGS = (
    "a|abbr|b|big|blockquote|br|center|cite|code|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i"
    "|iframe|img|ins|kbd|li|mark|ol|p|pre|q|s|small|source|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead"
    "|tr|tt|u|ul|var|video|wbr"
)
_TAG = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_TORN_TAG = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]*)?$", re.IGNORECASE)
_CELL = re.compile(r"</t[dh]>\s*<t[dh][^<>]*>|</(?:p|li|tr|dt|dd|summary|div)>|<br\s*/?>", re.IGNORECASE)
_CLEANED = (
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    (_CELL, " "),
    (_TAG, ""),
    (_TORN_TAG, ""),
    (re.compile(r"<((?:https?|mailto):[^<>\s]+)>"), r"\1"),
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)"), r"\1"),
    (re.compile(r"\[([^\[\]\n]+)\]\([^()\s]*$"), r"\1"),
    (re.compile(r"^([^\[\]\n]{0,80})\]\([^()\s]*\)"), r"\1"),
    (re.compile(r"\[([^\[\]\n]+)\]\[[^\[\]\n]*\]"), r"\1"),
    (re.compile(r"\[\^[^\[\]\s]+\]"), ""),
    (re.compile(r"\s*\{\s*[#.:][^{}\n]*\}"), ""),
    (re.compile(r"\{[*!%][^{}\n]*[*!%]\}"), ""),
    (re.compile(r"(?m)^\s*/{3,}.*$"), ""),
    (re.compile(r"\\([\\`*_{}\[\]()#+.!|>~-])"), r"\1"),
)
_BULLET = re.compile(r"^[-*•–+◦▪·]\s+")
# The end of a bracket that was opened before a listing.
_TORN_BRACKET = re.compile(r"^[)\]}]+[\s.,;:]+(?=\S)")
_MARKDOWN_ITEM = re.compile(r"\s*(?:-|\d{1,9}[.)])\s")
_QUOTE_MARK = re.compile(r"(?m)^\s*>\s?")
_HASHES = re.compile(r"^#{1,6}\s+|\s+#+$")
_FENCED = re.compile(
    r"\s*(?P<fence>```+|~~~+)(?P<name>[^\n]*)\n?(?P<code>.*?)(?:\n?[^\S\n]*(?P=fence)\s*)?", re.DOTALL
)
_LANGUAGE = re.compile(r"[\w+-]+")


def markdown_of(pieces: Sequence[tuple[BlockKind, str]]) -> str:
    """Blocks of a text, or parts of them, as clean Markdown, without debris and blocks that become empty."""
    shown = ""
    before: BlockKind | None = None
    for kind, text in pieces:
        cleaned = "" if kind is BlockKind.DEBRIS else clean_block(kind, text)
        if not cleaned:
            continue
        close = before is kind and kind in (BlockKind.ITEM, BlockKind.ROW, BlockKind.RECORD)
        close = close or (kind is BlockKind.ITEM and before is BlockKind.TEXT)
        # Items that are none in Markdown, such as "3.1. …" and "a) …", would run together.
        close = close and (kind is not BlockKind.ITEM or _MARKDOWN_ITEM.match(cleaned) is not None)
        shown += ("" if not shown else "\n" if close else "\n\n") + cleaned
        before = kind
    return shown


def clean_block(kind: BlockKind, text: str) -> str:
    """One block as it is shown."""
    if kind is BlockKind.CODE:
        name, code = _code(text)
        return f"```{name}\n{code}\n```" if code else ""
    if kind is BlockKind.ROW and text.lstrip().startswith("|"):
        cells = (clean_inline(cell) for cell in text.strip().strip("|").split("|"))
        return "- " + " · ".join(cell for cell in cells if cell)
    if kind is BlockKind.RECORD:
        return "- " + " · ".join(clean_inline(line) for line in text.splitlines() if line.strip())
    said = clean_inline(_QUOTE_MARK.sub("", text))
    match kind:
        case BlockKind.ROW:
            return f"- {said}"
        case BlockKind.ITEM:
            nested = text[: len(text) - len(text.lstrip())]
            return nested + _BULLET.sub("- ", said)
        case BlockKind.HEADING:
            plain = _HASHES.sub("", said).replace("**", "")
            return f"**{plain}**" if plain else ""
        case _:
            return _TORN_BRACKET.sub("", said)


def clean_inline(text: str) -> str:
    """A sentence without links, tags and unpaired marks. Text in backticks is not touched."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\x00{len(kept) - 1}\x00"

    text = _CODE.sub(keep, text.replace("\x00", ""))
    for pattern, replacement in _CLEANED:
        text = pattern.sub(replacement, text)
    if text.count("`") % 2:
        text = text.replace("`", "")
    text = html.unescape(text).replace("\x00\x00", "\x00 \x00")
    for mark in ("**", "*"):
        text = _paired(text, mark)
    text = _KEPT.sub(lambda match: kept[int(match[1])] if int(match[1]) < len(kept) else "", text)
    return " ".join(text.split())


def _paired(text: str, mark: str) -> str:
    """The text without marks of emphasis that open or close nothing."""
    single = re.escape(mark) if mark != "*" else r"(?<!\*)\*(?!\*)"
    dropped: list[tuple[int, int]] = []
    opened: tuple[int, int] | None = None
    for match in re.finditer(single, text):
        before, after = text[: match.start()][-1:], text[match.end() :][:1]
        if opened is None and after.strip() and (not before.strip() or not before.isalnum()):
            opened = match.span()
        elif opened is not None and before.strip():
            opened = None
        elif before.strip() or after.strip():
            dropped.append(match.span())
    if opened is not None:
        dropped.append(opened)
    for start, end in sorted(dropped, reverse=True):
        text = text[:start] + text[end:]
    return text


def _code(text: str) -> tuple[str, str]:
    """The language and the lines of a listing, with or without its fences."""
    fenced = _FENCED.fullmatch(text)
    name = _LANGUAGE.match(fenced["name"].strip()) if fenced else None
    code = fenced["code"] if fenced else text
    if not fenced and code.rstrip().endswith("```"):
        code = code.rstrip().rstrip("`")
    if name is None or name[0] in ("console", "bash", "sh", "shell"):
        code = html.unescape(_TAG.sub("", code))
    lines = list(_without_blank_ends(textwrap.dedent(code.expandtabs(4)).splitlines()))
    return (name[0] if name else "", "\n".join(lines))


def _without_blank_ends(lines: Sequence[str]) -> Iterator[str]:
    said = [number for number, line in enumerate(lines) if line.strip()]
    if said:
        yield from (line.rstrip() for line in lines[said[0] : said[-1] + 1])
