"""Search: passages with the words that were found, and filters that can be clicked."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Response
from markupsafe import Markup

from sourcebook.faces.matched_section import matched_section
from sourcebook.faces.web.answer_view import document_address, file_name
from sourcebook.faces.web.page_frame import Page, Reading
from sourcebook.faces.web.page_routes import page_router
from sourcebook.faces.web.safe_html import with_spans
from sourcebook.model.documents import Document
from sourcebook.model.explanation import Explanation, ResultExplanation
from sourcebook.model.search import (
    And,
    Equals,
    GreaterThan,
    MetadataFilter,
    RetrievalConfig,
    RetrievalMode,
    SearchResult,
)
from sourcebook.text.analysis import analyse_question
from sourcebook.text.stems import stem_words

router = page_router()
_RESULTS = 20
_CHOICES = 12
_DAY = 24 * 3600
_SINCE = {"week": 7 * _DAY, "month": 30 * _DAY, "year": 365 * _DAY}
_FIELDS = ("category", "language", "type")
_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s.*$", re.MULTILINE)
_BLANK = re.compile(r"\n\s*\n+")
_TABLE_RULE = re.compile(r"^[ \t]*\|?(?:[ \t]*:?-{3,}:?[ \t]*\|)+[ \t:-]*$", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]*\|(.+)\|[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a filter can have, and the address of the search with or without it."""

    value: str
    address: str
    is_chosen: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    name: str
    choices: Sequence[Choice]


@dataclass(frozen=True, slots=True)
class Found:
    """A passage as it is shown. The ranks are those of the two ways of searching; None if that way missed it."""

    title: str
    file: str
    section: str | None
    page: int | None
    address: str
    text: Markup
    words_rank: int | None
    meaning_rank: int | None


@router.get("/search")
async def search(
    page: Reading,
    q: Annotated[str, Query(max_length=2000)] = "",
    collection: str = "",
    category: str = "",
    language: str = "",
    type: str = "",
    since: str = "",
    mode: str = "hybrid",
) -> Response:
    """What matches, best first."""
    chosen = page.seen(collection) if collection else page.default_collection()
    asked = {"q": q, "collection": collection, "category": category, "language": language, "type": type}
    asked |= {
        "since": since if since in _SINCE else "",
        "mode": mode if mode in set(RetrievalMode) else "hybrid",
    }
    results: list[Found] = []
    milliseconds = 0.0
    warnings: list[str] = []
    is_weak = False
    has_words = bool(q.strip()) and await page.exists(chosen)
    if has_words:
        config = RetrievalConfig(
            top_k=_RESULTS, mode=RetrievalMode(asked["mode"]), filter=_filter(asked), explain=True
        )
        report = await page.book.search_report(q, config, collection=chosen)
        held = await page.book.stores.library.languages(chosen)
        words = frozenset(analyse_question(q, [each for each in held if each]).terms)
        places = _places(report.explanation)
        results = [
            _found(each, chosen, words, held, places.get(each.chunk.id), matched_section(each.chunk, q))
            for each in report.results
        ]
        is_weak = report.is_weak
        milliseconds = report.explanation.milliseconds if report.explanation else 0.0
        warnings = [warning.message for warning in report.warnings]
    return await page.show(
        "search.html",
        "search",
        q=q,
        asked=asked,
        results=results,
        warnings=warnings,
        is_weak=is_weak,
        milliseconds=milliseconds,
        filters=await _filters(page, chosen, asked) if has_words else [],
        is_filtered=any(asked[name] for name in (*_FIELDS, "since")),
        unfiltered=f"/search?{urlencode({'q': q, 'collection': collection})}",
    )


def _filter(asked: dict[str, str]) -> MetadataFilter | None:
    parts: list[MetadataFilter] = [Equals(name, asked[name]) for name in _FIELDS if asked[name]]
    if asked["since"]:
        parts.append(GreaterThan("mtime", int(time.time()) - _SINCE[asked["since"]]))
    return And(parts) if parts else None


async def _filters(page: Page, collection: str, asked: dict[str, str]) -> list[Filter]:
    """What can be chosen: the values that documents of this collection have."""
    documents = await page.book.library.documents(collection)
    found: list[Filter] = []
    collections = [each.id for each in await page.collections()]
    if len(collections) > 1:
        found.append(Filter("collection", [_choice(asked, "collection", each) for each in collections]))
    for name in _FIELDS:
        counted = Counter(value for each in documents if (value := _value(each, name)))
        if len(counted) > 1 or asked[name]:
            most = counted.most_common(_CHOICES)
            found.append(Filter(name, [_choice(asked, name, value, count) for value, count in most]))
    found.append(Filter("since", [_choice(asked, "since", each) for each in _SINCE]))
    modes = [_choice(asked, "mode", each.value) for each in (RetrievalMode.KEYWORD, RetrievalMode.SEMANTIC)]
    return [*found, Filter("mode", modes)]


def _value(document: Document, name: str) -> str | None:
    return {"category": document.category, "language": document.language, "type": document.type}[name]


def _choice(asked: dict[str, str], name: str, value: str, count: int | None = None) -> Choice:
    is_chosen = asked[name] == value
    query = {**asked, name: "" if is_chosen else value}
    return Choice(value, f"/search?{urlencode({k: v for k, v in query.items() if v})}", is_chosen, count)


def _places(explanation: Explanation | None) -> dict[str, ResultExplanation]:
    return {each.chunk_id: each for each in explanation.results} if explanation else {}


def _found(
    result: SearchResult,
    collection: str,
    stems: frozenset[str],
    languages: Sequence[str],
    place: ResultExplanation | None,
    under: str | None,
) -> Found:
    chunk = result.chunk
    keyword, semantic = (place.keyword, place.semantic) if place else (None, None)
    section = (under or "").rpartition(" > ")[2].strip()
    text = _plain(chunk.content)
    return Found(
        title=result.document_title or file_name(result.document_path),
        file=file_name(result.document_path),
        section=None if section in ("", result.document_title) else section,
        page=chunk.page,
        address=document_address(
            result.collection_id or collection, chunk.document_id, chunk.start_index, chunk.end_index
        ),
        text=with_spans(text, _words_in(text, stems, languages)),
        words_rank=keyword.rank if keyword else None,
        meaning_rank=semantic.rank if semantic else None,
    )


def _plain(passage: str) -> str:
    """A passage without the signs of Markdown that tell of headings, tables and emphasis."""
    text = _TABLE_RULE.sub("", _HEADING.sub("", passage)).replace("**", "")
    text = _TABLE_ROW.sub(lambda row: " · ".join(cell.strip() for cell in row[1].split("|")), text)
    return _BLANK.sub("\n", text).strip() or passage


def _words_in(text: str, stems: frozenset[str], languages: Sequence[str]) -> list[tuple[int, int]]:
    """The words of a text that the question has, too, in whatever form."""
    words = [
        (found.start(), found.end(), found[0].casefold().replace("ё", "е")) for found in _WORD.finditer(text)
    ]
    matching: set[int] = set()
    for language in [each for each in languages if each] or [None]:
        for index, stem in enumerate(stem_words([word for _, _, word in words], language)):
            if stem in stems:
                matching.add(index)
    return [words[index][:2] for index in sorted(matching)]
