"""The routes that anybody may call."""

from __future__ import annotations

PUBLIC_PATHS = frozenset({"/healthz", "/readyz", "/api/login", "/login", "/favicon.ico"})
"""The routes that need no caller."""
PUBLIC_FOLDER = "/static/"


def is_public(path: str) -> bool:
    return path in PUBLIC_PATHS or path.startswith(PUBLIC_FOLDER)
