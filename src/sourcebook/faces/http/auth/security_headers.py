"""The headers for browsers: nothing runs and nothing is fetched but what we serve, and nobody frames it."""

from __future__ import annotations

from collections.abc import Mapping

COMMON_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    # With `no-referrer` a form sends `Origin: null`, which the gate refuses.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Browsers that know `frame-ancestors` below do not look at this.
    "X-Frame-Options": "DENY",
}
"""With every answer."""
PAGE_HEADERS: Mapping[str, str] = {
    **COMMON_HEADERS,
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""With every page that a browser shows."""
