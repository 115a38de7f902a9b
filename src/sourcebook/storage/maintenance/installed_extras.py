"""The optional parts of the program: which of them are installed, and what the others lack."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, requires, version

INSTALLED = "installed"

_TOOLS = {"ocr": ("tesseract",)}
"""Programs of the system that a part needs besides its packages."""

_OF_AN_EXTRA = re.compile(r"^(?P<package>[A-Za-z0-9._-]+).*;.*extra\s*==\s*['\"](?P<extra>[^'\"]+)['\"]")


def extras() -> dict[str, str]:
    """Each part with what it lacks, or `installed`."""
    try:
        wanted = requires("sourcebook") or []
    except PackageNotFoundError:
        return {}
    return described(packages_of(wanted))


def packages_of(requirements: Iterable[str]) -> dict[str, list[str]]:
    """The packages that each part asks for."""
    parts: dict[str, list[str]] = {}
    for requirement in requirements:
        if found := _OF_AN_EXTRA.match(requirement):
            parts.setdefault(found["extra"], []).append(found["package"])
    return parts


def described(parts: Mapping[str, list[str]]) -> dict[str, str]:
    return {name: _lack(name, packages) or INSTALLED for name, packages in sorted(parts.items())}


def _lack(extra: str, packages: Iterable[str]) -> str:
    missing = [package for package in packages if not _is_installed(package)]
    tools = [tool for tool in _TOOLS.get(extra, ()) if shutil.which(tool) is None]
    wanted = [f"pip install 'sourcebook[{extra}]'"] if missing else []
    wanted += [f"the program {tool}" for tool in tools]
    return f"needs {', '.join(wanted)}" if wanted else ""


def _is_installed(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False
