"""Opening the page in a browser, once there is a page to open."""

from __future__ import annotations

import threading
import time
import urllib.request
import webbrowser

_PATIENCE = 60.0
_PAUSE = 0.1


def open_when_ready(address: str) -> threading.Thread:
    """Open the page as soon as the server answers, and give up after a minute. The server is not kept waiting."""
    thread = threading.Thread(target=_open, args=(address,), daemon=True)
    thread.start()
    return thread


def _open(address: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            opener.open(f"{address}/healthz", timeout=1).close()
        except OSError:
            time.sleep(_PAUSE)
        else:
            webbrowser.open(address)
            return
