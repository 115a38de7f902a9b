"""Names of files as text."""

from __future__ import annotations

import re

_LIKE_A_BYTE = re.compile(r"\\x[0-9a-f]{2}")


def readable(path: str) -> str:
    """The path as text. The bytes of a name that are none are written `\\xe9`.

    A name in which that is written already has its backslashes doubled, so that two names never become one.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        pass
    else:
        if not _LIKE_A_BYTE.search(path):
            return path
    return path.replace("\\", "\\\\").encode(errors="surrogateescape").decode(errors="backslashreplace")
