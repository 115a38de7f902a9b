"""Imports whatever a process of the fault tests could need, so that what is forked from here starts quickly.

Nothing is opened or started: only modules are loaded.
"""

from __future__ import annotations

import pkgutil
from contextlib import suppress
from importlib import import_module

import sourcebook

# No face is run by these processes, and of the tools for tests they need what `_OURS` import.
_LEFT_OUT = ("sourcebook.faces", "sourcebook.integrations", "sourcebook.testing", "sourcebook.__main__")
# Found only when they are needed: by the parsers of texts, and by who asks for the language of one.
_LATE = ("charset_normalizer", "fasttext", "markdown_it")
_OURS = ("tests.faults.folders", "tests.faults.workers")


def _names(path: list[str], prefix: str) -> list[str]:
    found: list[str] = []
    for module in pkgutil.iter_modules(path, prefix):
        if not module.name.startswith(_LEFT_OUT):
            found.append(module.name)
            if module.ispkg:
                found += _names([f"{path[0]}/{module.name.rpartition('.')[2]}"], f"{module.name}.")
    return found


for name in [*_names(list(sourcebook.__path__), "sourcebook."), *_LATE, *_OURS]:
    with suppress(ImportError):  # what needs an extra that is not installed
        import_module(name)
