"""Names of files as text."""

from __future__ import annotations


def readable(path: str) -> str:
    """The path as text. The bytes of a name that are none are written `\\xe9`."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.replace("\\", "\\\\").encode(errors="surrogateescape").decode(errors="backslashreplace")
    return path
