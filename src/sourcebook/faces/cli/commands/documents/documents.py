import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sourcebook.consult.answer.transcript import moment
from sourcebook.errors import UsageError
from sourcebook.faces import json_shapes
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.terminal.failure_text import next_steps
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.faces.cli.terminal.text_layout import Cut
from sourcebook.model.documents import Document, DocumentDetails, DocumentStatus

PREVIEW = 500
"""How many characters of a text to show."""
_UNREAD = (DocumentStatus.FAILED, DocumentStatus.NEEDS_OCR)

Name = Annotated[
    str, typer.Argument(metavar="ID|PATH", help="A document's id, its path, or the end of its path.")
]
Names = Annotated[
    list[str], typer.Argument(metavar="ID|PATH…", help="Documents by id, by path, or by the end of a path.")
]


def list_documents(
    call: Invocation,
    *,
    status: Annotated[
        DocumentStatus | None,
        typer.Option("--status", help="List only documents with this status.", show_default=False),
    ] = None,
    failed: Annotated[
        bool,
        typer.Option("--failed", help="List only files that could not be read, with the reasons."),
    ] = False,
    collection: CollectionName = None,
) -> None:
    """List the documents of a collection. With --failed, or --status failed or needs_ocr, the reasons are listed too.

    A narrow terminal shows fewer columns; --json has everything.
    """
    if failed and status is not None:
        raise UsageError("--failed and --status do not go together.", hint="Leave one of them out.")
    wanted: tuple[DocumentStatus | None, ...] = _UNREAD if failed else (status,)
    with call.open() as book:
        documents = [d for one in wanted for d in book.library.documents(collection=collection, status=one)]
        paths = [book.library.paths(one, collection=collection) for one in _UNREAD] if failed else []
    copies = {d.id: _copies(d, each[d.id]) for d in documents for each in paths if d.id in each}
    if call.as_json:
        say_json({"documents": [json_shapes.document(d) | _other_paths(copies.get(d.id)) for d in documents]})
        return
    columns = ["path", "title", "type", "language", "status", "chunks", "id"]
    rows = [_listed(document) for document in documents]
    if failed or status in _UNREAD:
        columns.append("reason")
        rows = [
            [path, *row[1:], d.processing_error]
            for row, d in zip(rows, documents, strict=True)
            for path in (d.file_path, *copies.get(d.id, ()))
        ]
        cuts, spare = (
            {"path": Cut.BEGINNING, "reason": Cut.END},
            ("chunks", "type", "language", "title", "status"),
        )
    else:
        cuts, spare = {"path": Cut.BEGINNING, "title": Cut.END}, ("chunks", "type", "language")
    say_rows(columns, rows, cuts=cuts, spare=spare)
    for line in next_steps([(document.processing_error or "").partition(": ")[0] for document in documents]):
        tell(line)


def show(call: Invocation, name: Name, *, collection: CollectionName = None) -> None:
    """Show what the base knows about a document, and the beginning of its text."""
    with call.open() as book:
        details = book.library.find(name, collection=collection)
    if call.as_json:
        say_json({"document": json_shapes.document_details(details, PREVIEW)})
        return
    say_rows(("field", "value"), _rows(details))
    say("")
    say(details.document.content[:PREVIEW])


def hide(call: Invocation, names: Names, *, collection: CollectionName = None) -> None:
    """Hide documents from searches without removing them. They stay hidden when their files change."""
    with call.open() as book:
        found = [book.library.find(name, collection=collection).document for name in names]
        for document in found:
            book.library.hide(document.id, collection=collection)
    _tell(call, "hidden", {document.id: document.file_path for document in found})


def unhide(call: Invocation, names: Names, *, collection: CollectionName = None) -> None:
    """Make hidden documents searchable again."""
    with call.open() as book:
        found = [book.library.find(name, collection=collection).document for name in names]
        for document in found:
            book.library.unhide(document.id, collection=collection)
    _tell(call, "shown again", {document.id: document.file_path for document in found})


def remove(call: Invocation, names: Names, *, collection: CollectionName = None) -> None:
    """Remove documents from the base. Their files are not touched.

    If the file is still in a folder that you add again, the document comes back. To prevent that, list the file in
    .sourcebookignore, or hide the document instead.
    """
    with call.open() as book:
        found = [book.library.find(name, collection=collection) for name in names]
        for details in found:
            book.library.remove(details.document.id, collection=collection)
    _tell(call, "removed", {d.document.id: d.document.file_path for d in found})
    if not call.as_json:
        for details in found:
            if details.held_by and _has_file(details):
                tell(
                    f"{details.document.file_path} will come back with the next `sourcebook add {details.held_by[0]}`, "
                    "unless you list it in .sourcebookignore. Or hide it with `sourcebook documents hide`."
                )


def _has_file(details: DocumentDetails) -> bool:
    """Whether the file of a document, or the archive that it is in, is still there."""
    places = [Path(root, path.path) for root in details.held_by for path in details.paths]
    return any(one.is_file() for place in places for one in (place, *place.parents))


def _tell(call: Invocation, what: str, documents: dict[str, str]) -> None:
    if call.as_json:
        say_json({"documents": [{"id": own, "file_path": path} for own, path in documents.items()]})
        return
    for path in documents.values():
        tell(f"{path} is {what}.")


def _rows(details: DocumentDetails) -> list[tuple[str, Any]]:
    document = details.document
    shown = json_shapes.document(document)
    metadata: dict[str, Any] = shown.pop("metadata")
    rows = [(key, _readable(key, value)) for key, value in shown.items() if value not in (None, "")]
    rows += [(f"metadata {key}", _readable(key, value)) for key, value in metadata.items()]
    rows.append(("passages", details.passages))
    rows += [
        ("path", f"{path.path} ({path.subcategory})" if path.subcategory else path.path)
        for path in details.paths
    ]
    rows += [("added with", root) for root in details.held_by]
    return rows


def _other_paths(copies: list[str] | None) -> dict[str, list[str]]:
    return {"other_paths": copies} if copies else {}


def _copies(document: Document, paths: Sequence[str]) -> list[str]:
    """The other paths at which the bytes of a document lie, as those of one empty file do for all of them."""
    return [path for path in paths if path != document.file_path]


def _listed(document: Document) -> list[object]:
    return [
        document.file_path,
        document.title,
        document.type,
        document.language,
        _status(document),
        document.chunk_count,
        document.id,
    ]


def _status(document: Document) -> str:
    """Its status, in the words in which `add` counts files."""
    shown = "not read" if document.status is DocumentStatus.FAILED else document.status.value
    return shown if document.is_active else f"{shown}, hidden"


def _readable(key: str, value: Any) -> Any:
    """Times in readable form, and lists as JSON."""
    if key in ("mtime", "indexed_at") and isinstance(value, int):
        return moment(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (bool, dict, list)) else value
