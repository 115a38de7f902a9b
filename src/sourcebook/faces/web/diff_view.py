"""What changed in a source, as the page shows it."""

from __future__ import annotations

from markupsafe import Markup, escape

from sourcebook.curate.source_changes import shown_changes

_TAGS = {"removed": "del", "added": "ins"}


def word_diff(before: str, after: str, text: str = "") -> Markup:
    """A quote and what the text has in its place, as one: words that went are in `del`, words that came in `ins`."""
    parts = [
        f"<{tag}>{escape(change.text)}</{tag}>"
        if (tag := _TAGS.get(change.kind))
        else str(escape(change.text))
        for change in shown_changes(before, after, text)
    ]
    return Markup(" ".join(parts))  # noqa: S704 - every piece of text was escaped
