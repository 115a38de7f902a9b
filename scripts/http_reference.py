"""The page of docs/reference on the HTTP API, made of the API's own description."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sourcebook.faces.http.openapi.description import MEANINGS
from sourcebook.faces.http.server import make_app
from sourcebook.settings import Settings

_LONGEST_EXAMPLE = 1200


def page() -> str:
    """The whole page."""
    described = make_app(Settings(), "127.0.0.1").openapi()
    by_tag: dict[str, list[str]] = {}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            text = "\n".join(_operation(described, path, method, operation))
            by_tag.setdefault(operation["tags"][0], []).append(text)
    errors = "\n".join(f"| {status} | {meaning} |" for status, meaning in MEANINGS.items())
    sections = "\n".join(f"## {tag.capitalize()}\n\n" + "\n".join(texts) for tag, texts in by_tag.items())
    return f"""# HTTP API

`sourcebook serve` answers at `http://127.0.0.1:8080`; [serve.md](../how-to/serve.md) tells how to run it.
`/openapi.json` describes the same for programs. Bodies and responses are JSON, with the keys that the command line
prints with `--json`. Times are Unix seconds. Places in a text are counted in characters.

- **Who may**: each operation names the lowest role that may use it: reader, expert or admin. What lies in a collection
  that the caller may not see is not found, as if it did not exist.
- A field with `*` must be given.
- **Lists** come in parts: `next` is the `cursor` of the following part, or null.
- **Idempotency-Key**: a question, or tokens, sent again with the same key happen once and get the same response.
- **ETag**: documents, texts and pictures have one; sent back in `If-None-Match`, what has not changed is a 304.
- **X-Request-ID**: every response has one, and so has every line that the server logs about it. Send your own, of 8 to
  64 letters, digits, `_` or `-`, to find it again.
- **Errors** are `application/problem+json`: `type`, `title` (what happened), `status`, `code` (one of
  [errors.md](errors.md), or `bad_request`, `not_found`, `method_not_allowed`, `too_large`, `too_slow`, `not_ready`) and
  `hint` (what to do next).

| status | meaning |
|---|---|
{errors}

{sections}"""


def _operation(described: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"### `{method.upper()} {path}`"
    yield ""
    role = operation.get("x-role") or "anybody"
    yield f"{operation['summary']}. For: {role}."
    yield ""
    if told := operation.get("description"):
        yield f"{told}\n"
    rows = [*_parameters(operation), *_fields(described, operation)]
    if rows:
        yield "| name | in | what it is |\n|---|---|---|"
        yield from rows
        yield ""
    yield from _example(operation)


def _parameters(operation: dict[str, Any]) -> Iterator[str]:
    for parameter in operation.get("parameters", []):
        told = parameter.get("description") or f"Only of this {parameter['name']}."
        yield _row(parameter["name"], parameter["in"], told, parameter["schema"])


def _fields(described: dict[str, Any], operation: dict[str, Any]) -> Iterator[str]:
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = _resolved(described, content["schema"])
        where = "form" if kind == "multipart/form-data" else "body"
        needed = schema.get("required", [])
        for name, field in schema.get("properties", {}).items():
            label = f"{name}*" if name in needed else name
            yield _row(label, where, field.get("description", ""), _resolved(described, field))


def _row(name: str, where: str, told: str, schema: dict[str, Any]) -> str:
    notes: list[str] = []
    choices = schema.get("enum") or next((s["enum"] for s in schema.get("anyOf", []) if "enum" in s), None)
    if choices:
        notes.append(f"One of {', '.join(f'`{choice}`' for choice in choices)}.")
    if schema.get("default") not in (None, "", []):
        notes.append(f"Default: `{json.dumps(schema['default'], ensure_ascii=False)}`.")
    return f"| `{name}` | {where} | {' '.join([told, *notes]).strip() or '–'} |"


def _resolved(described: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref") or next((s["$ref"] for s in schema.get("allOf", []) if "$ref" in s), None)
    if reference is None:
        return schema
    return {**described["components"]["schemas"][reference.rpartition("/")[2]], **schema}


def _example(operation: dict[str, Any]) -> Iterator[str]:
    for status, response in operation["responses"].items():
        if not status.startswith("2"):
            continue
        for kind, content in response.get("content", {}).items():
            example = content.get("example")
            if example is None:
                yield f"Answers {status} with `{kind}`. {response['description']}\n"
                continue
            text = example if isinstance(example, str) else json.dumps(example, ensure_ascii=False, indent=2)
            if len(text) > _LONGEST_EXAMPLE and not isinstance(example, str):
                text = json.dumps(example, ensure_ascii=False)
            yield f"Answers {status} with `{kind}`:\n"
            yield f"```{'text' if isinstance(example, str) else 'json'}\n{text.rstrip()}\n```\n"
