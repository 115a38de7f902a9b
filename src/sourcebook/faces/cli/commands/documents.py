from sourcebook.faces import shapes
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.output import say_json, say_rows


def list_documents(call: Invocation, *, collection: CollectionName = None) -> None:
    """List the documents of a collection."""
    with call.open() as book:
        documents = book.documents(collection=collection)
    if call.as_json:
        say_json({"documents": [shapes.document(document) for document in documents]})
        return
    say_rows(
        ("path", "title", "type", "language", "status", "chunks", "id"),
        [
            (
                document.file_path,
                document.title,
                document.type,
                document.language,
                document.status.value,
                document.chunk_count,
                document.id,
            )
            for document in documents
        ],
    )
