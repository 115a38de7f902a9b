"""The tools: each reads, and none changes a document, an answer or a setting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from sourcebook.faces import json_shapes
from sourcebook.faces.footnotes import footnotes
from sourcebook.faces.http.charged_questions import QuestionDesk, SentQuestion
from sourcebook.faces.matched_section import matched_section
from sourcebook.faces.mcp.tool_arguments import (
    AskArguments,
    DocumentArguments,
    PassageArguments,
    SearchArguments,
    TermArguments,
)
from sourcebook.faces.mcp.visible_documents import Place, VisibleLibrary
from sourcebook.model.chat import Tier
from sourcebook.model.search import RetrievalConfig
from sourcebook.text.case_and_accents import normal_form

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.faces.http.auth.caller import Caller
    from sourcebook.model.documents import Document
    from sourcebook.model.search import SearchResult

_LONGEST_PASSAGE = 1_500
_MOST_TERMS = 20

A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call: whose it is, and what it may use. `count_question` refuses more questions than are allowed."""

    questions: QuestionDesk
    count_question: Callable[[Caller], None]

    @property
    def book(self) -> AsyncSourcebook:
        return self.questions.book

    @property
    def library(self) -> VisibleLibrary:
        return VisibleLibrary(self.questions)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The same twice: as text for a model, and as data for a program."""

    text: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    name: str
    title: str
    description: str
    arguments: type[BaseModel]
    run: Callable[[ToolCall, Any], Awaitable[ToolResult]]


async def search(call: ToolCall, given: SearchArguments) -> ToolResult:
    collections = call.library.searched(given.collections)
    found = await call.book.search(given.query, RetrievalConfig(top_k=given.limit), collection=collections)
    results = [await _found(call, given.query, result, number) for number, result in enumerate(found, 1)]
    text = "\n\n".join(_as_text(each) for each in results) or "Nothing was found."
    return ToolResult(text, {"results": results})


async def ask(call: ToolCall, given: AskArguments) -> ToolResult:
    call.count_question(call.questions.caller)
    collections = call.library.searched(given.collections)
    asked = SentQuestion(given.question, collections=collections)
    answer = await call.questions.ask(asked)
    shown = json_shapes.answer(answer)
    kept = (
        "question",
        "answer",
        "notice",
        "tier",
        "expert_only",
        "citations",
        "language",
        "curated",
        "nearest",
        "see_also",
    )
    data = {key: shown[key] for key in kept if key in shown} | {"declined": answer.tier is Tier.NONE}
    return ToolResult(answer.answer + footnotes(answer), data)


async def get_document(call: ToolCall, given: DocumentArguments) -> ToolResult:
    place = await call.library.document(given.document, given.collection)
    content = place.document.content
    end = min(len(content), given.start + given.length)
    data = {
        "citation": place.citation(),
        "text": content[given.start : end],
        "start": given.start,
        "characters": len(content),
        "next_start": end if end < len(content) else None,
    }
    rest = f"\n\n[The document goes on: call again with start={end}.]" if data["next_start"] else ""
    return ToolResult(f"{_head(place.document)}\n\n{data['text']}{rest}", data)


async def get_passage(call: ToolCall, given: PassageArguments) -> ToolResult:
    place, chunk = await call.library.passage(given.passage_id, given.collection)
    data = {"citation": place.citation(chunk), "text": chunk.content[:_LONGEST_PASSAGE]}
    page = "" if chunk.page is None else f", page {chunk.page}"
    return ToolResult(f"{_head(place.document)}{page}\n\n{data['text']}", data)


async def lookup_term(call: ToolCall, given: TermArguments) -> ToolResult:
    wanted = normal_form(given.term)
    terms = [
        {"term": term.term, "preferred_phrase": term.preferred_phrase, "description": term.description}
        for term in await call.book.terminology.all()
        if wanted in normal_form(term.term) or wanted in normal_form(term.preferred_phrase)
    ][:_MOST_TERMS]
    lines = [
        f"Instead of “{each['term']}”, say “{each['preferred_phrase']}”."
        + (f" {each['description']}" if each["description"] else "")
        for each in terms
    ]
    return ToolResult("\n".join(lines) or f"There is no rule about “{given.term}”.", {"terms": terms})


TOOLS = (
    ToolSpec(
        "search",
        "Search the documents",
        "Find the passages that match words or a question best. Each result has its text and its citation.",
        SearchArguments,
        search,
    ),
    ToolSpec(
        "ask",
        "Ask the knowledge base",
        "Answer a question from approved answers and documents, with citations that were checked against the text; "
        "or decline, if the base does not say. The question is recorded, and experts see what was declined.",
        AskArguments,
        ask,
    ),
    ToolSpec(
        "get_document",
        "Read a document",
        "The text of a document, in pieces if it is long.",
        DocumentArguments,
        get_document,
    ),
    ToolSpec(
        "get_passage",
        "Read a passage",
        "One passage with its citation: document, page and section.",
        PassageArguments,
        get_passage,
    ),
    ToolSpec(
        "lookup_term",
        "Look up the preferred wording",
        "Whether a word should be avoided here, and what to say instead.",
        TermArguments,
        lookup_term,
    ),
)


async def _found(call: ToolCall, query: str, result: SearchResult, number: int) -> dict[str, Any]:
    chunk = result.chunk
    document = await call.book.stores.sources.heads(result.collection_id, [chunk.document_id])
    place = Place(result.collection_id, document[0]) if document else None
    return {
        "number": number,
        "text": chunk.content[:_LONGEST_PASSAGE],
        "score": round(result.score, 4),
        "citation": {} if place is None else place.citation(chunk),
        "matched_section": matched_section(chunk, query),
    }


def _as_text(result: dict[str, Any]) -> str:
    citation = result["citation"]
    page = f", page {citation['page']}" if citation.get("page") is not None else ""
    head = (
        f"[{result['number']}] {citation.get('title', '')}{page} (passage {citation.get('passage_id', '')})"
    )
    return f"{head}\n{result['text']}"


def _head(document: Document) -> str:
    return f"{document.title or document.file_path} ({document.file_path})"
