"""Memory that adding used and no longer needs, given back to the system."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress


def give_back_freed_memory() -> None:
    """Let go of what was freed: the C library keeps it for each thread, beside whatever is needed next.

    Only where the C library can be asked to; elsewhere nothing happens.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
