"""The optional parts of the program: which of them are installed, and what the others lack."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, requires, version

from sourcebook.model.health import OptionalPart

_TOOLS = {"ocr": ("tesseract",)}
"""Programs of the system that a part needs besides its packages."""

_PURPOSES = {
    "haystack": "Haystack",
    "langchain": "LangChain",
    "llama-index": "LlamaIndex",
    "local": "a chat model on this machine",
    "mcp": "the MCP server",
    "ocr": "the text of scans and pictures",
    "onnx": "ONNX models and rerankers",
    "postgres": "bases on PostgreSQL",
    "telegram": "the Telegram bot",
}
_UNUSED = ("eval", "html")
"""Names that are kept for later: the program uses nothing of them, and reads HTML and measures without them."""

_OF_AN_EXTRA = re.compile(r"^(?P<package>[A-Za-z0-9._-]+).*;.*extra\s*==\s*['\"](?P<extra>[^'\"]+)['\"]")


def optional_parts() -> list[OptionalPart]:
    """The parts in the order of their names, each with what it lacks."""
    try:
        wanted = requires("sourcebook") or []
    except PackageNotFoundError:
        return []
    return examined(packages_of(wanted))


def packages_of(requirements: Iterable[str]) -> dict[str, list[str]]:
    """The packages that each part asks for."""
    parts: dict[str, list[str]] = {}
    for requirement in requirements:
        if found := _OF_AN_EXTRA.match(requirement):
            parts.setdefault(found["extra"], []).append(found["package"])
    return parts


def examined(parts: Mapping[str, list[str]]) -> list[OptionalPart]:
    """The parts with what they lack on this machine."""
    return [_examined(name, packages) for name, packages in sorted(parts.items())]


def _examined(extra: str, packages: Iterable[str]) -> OptionalPart:
    is_complete = all(map(_is_installed, packages))
    missing = tuple(tool for tool in _TOOLS.get(extra, ()) if shutil.which(tool) is None)
    return OptionalPart(
        extra,
        None if is_complete else f"pip install 'sourcebook[{extra}]'",
        missing,
        _PURPOSES.get(extra, ""),
        extra not in _UNUSED,
    )


def _is_installed(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False
