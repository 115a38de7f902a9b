from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from textwrap import indent
from typing import Annotated

import typer

from sourcebook.errors import NothingToSearchFor
from sourcebook.faces import json_shapes
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal import explanation_text
from sourcebook.faces.cli.terminal.output import say, say_json, tell
from sourcebook.faces.cli.terminal.text_layout import Cut, shortened
from sourcebook.faces.matched_section import matched_section
from sourcebook.model.explanation import DocumentPlace
from sourcebook.model.search import (
    DiversityConfig,
    RerankConfig,
    RerankProvider,
    RetrievalConfig,
    RetrievalMode,
    ReturnLevel,
    SearchReport,
    SearchResult,
    WarningCode,
)
from sourcebook.retrieve.filters.where_language import parse_narrowing

Question = Annotated[
    list[str],
    typer.Argument(
        metavar="QUESTION",
        help="What to look for, in your own words. Quotes keep the shell from reading its signs.",
    ),
]
Mode = Annotated[RetrievalMode, typer.Option("--mode", help="By meaning, by words, or both.")]
TopK = Annotated[int, typer.Option("--top-k", metavar="N", min=1, help="How many passages to show.")]
Where = Annotated[
    str | None,
    typer.Option("--where", metavar="FILTER", help='For example: "language=en and category!=drafts".'),
]
Category = Annotated[
    str | None, typer.Option("--category", metavar="X", help="Search only documents of this category.")
]
Subcategory = Annotated[
    str | None,
    typer.Option(
        "--subcategory", metavar="Y", help="Put documents of this subcategory first, then general ones."
    ),
]
CollectionNames = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        metavar="NAME",
        help="The collection to search. Repeat for several.",
        show_default=False,
    ),
]
Rerank = Annotated[bool, typer.Option("--rerank", help="Rerank the best passages.")]
Level = Annotated[
    ReturnLevel, typer.Option("--level", help="Show whole passages, or the best sentences of each.")
]
PerDocument = Annotated[
    int | None,
    typer.Option(
        "--per-document",
        metavar="N",
        min=1,
        help="Show at most N passages of one document.",
        show_default=False,
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show how each passage was ranked.")]
ExplainDocument = Annotated[
    str | None,
    typer.Option(
        "--explain-document",
        metavar="PATH|ID",
        help="Show where this document ranks, or why it is not found.",
    ),
]

_SHOWN_IF_WEAK = 3
_LETTERS_IF_WEAK = 160


def search(
    call: Invocation,
    words: Question,
    *,
    mode: Mode = RetrievalMode.HYBRID,
    top_k: TopK = 10,
    where: Where = None,
    category: Category = None,
    subcategory: Subcategory = None,
    collection: CollectionNames = None,
    rerank: Rerank = False,
    level: Level = ReturnLevel.PASSAGE,
    per_document: PerDocument = None,
    explain: Explain = False,
    explain_document: ExplainDocument = None,
) -> None:
    """Find the passages that best match a question."""
    question = " ".join(words)
    provider = RerankProvider(call.loaded.settings.rerank_provider)
    config = RetrievalConfig(
        top_k=top_k,
        mode=mode,
        filter=parse_narrowing(where, category),
        subcategory=subcategory,
        rerank_config=RerankConfig(provider=provider) if rerank else None,
        return_level=level,
        diversity=DiversityConfig(max_per_document=per_document),
        explain=explain,
    )
    with call.open() as book:
        report = book.search_report(question, config, collection=collection)
        if any(warning.code is WarningCode.NOTHING_TO_SEARCH_FOR for warning in report.warnings):
            raise NothingToSearchFor
        place = None
        if explain_document is not None:
            place = book.quality.explain_document(explain_document, question, config, collection=collection)
        if config.filter is not None and not report.results:
            unknown = book.library.unknown_fields(config.filter, collection=collection)
            report = replace(report, warnings=[*report.warnings, *unknown])
    if call.as_json:
        say_json(json_shapes.found(question, mode, report, place))
    else:
        _show(question, report, place)
        if not report.results and not explain and (where or category):
            tell("The filter may exclude everything: --explain shows how many passages it lets through.")


def _show(question: str, report: SearchReport, place: DocumentPlace | None) -> None:
    if report.is_weak:
        tell("Nothing matches well. These passages came closest:")
        report = replace(report, results=[_begun(result) for result in report.results[:_SHOWN_IF_WEAK]])
    reasons = report.explanation.results if report.explanation else ()
    for rank, result in enumerate(_told_apart(report.results), start=1):
        say(as_text(rank, result, matched_section(result.chunk, question)))
        if reasons:
            say(explanation_text.of_result(reasons[rank - 1]))
    if report.explanation is not None:
        say(explanation_text.of_search(report.explanation))
    if place is not None:
        say(explanation_text.of_document(place))
    for warning in report.warnings:
        tell(f"Note: {warning.message}")
    if not report.results:
        tell("Nothing was found.")


def _begun(result: SearchResult) -> SearchResult:
    """The result with the beginning of its passage: enough to see that it is about something else."""
    content = shortened(" ".join(result.chunk.content.split()), _LETTERS_IF_WEAK, Cut.END)
    return replace(result, chunk=replace(result.chunk, content=content))


def _told_apart(results: Sequence[SearchResult]) -> Sequence[SearchResult]:
    """The results, with the collection before each path if there are several."""
    if len({result.collection_id for result in results}) < 2:
        return results
    return [replace(r, document_path=f"{r.collection_id}: {r.document_path}") for r in results]


def as_text(rank: int, result: SearchResult, section: str | None) -> str:
    """A result as text: its place, then the passage. A score says nothing alone: `--explain` tells it."""
    chunk = result.chunk
    place = [result.document_path]
    if section and section != result.parent_context:
        place.append(section)
    if chunk.page is not None:
        place.append(f"page {chunk.page}")
    title = result.document_title or PurePath(result.document_path).name or result.document_path
    passage = indent(chunk.content.strip(), "   ")
    return f"{rank}. {title}\n   {' · '.join(place)}\n\n{passage}\n"
