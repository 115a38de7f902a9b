"""What the system refuses about files, as errors of ours."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager

from sourcebook.errors import BaseFull, StorageError

_IN_THE_WAY = {errno.ENOTDIR, errno.EEXIST}
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


@contextmanager
def named(what: str) -> Generator[None]:
    """Let every OSError say what could not be done, and what to do about it."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise BaseFull(f"{what}: the disk is full") from error
        raise StorageError(f"{what}: {error.strerror or error}", hint=_hint(error)) from error


def _hint(error: OSError) -> str:
    if error.errno in _IN_THE_WAY and error.filename:
        return f"Something else stands at {error.filename} or in place of a folder above it: move it away."
    return "Check the permissions of the file and of its folder; what was there before is untouched."
