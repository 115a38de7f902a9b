"""What to do about an error, for somebody who writes a client: the routes to call, where others name commands."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sourcebook.errors import SourcebookError

_COMMAND = re.compile("`(?:--|sourcebook )")
_HINTS = {
    "error": "The server's log has the details, under the request's X-Request-ID.",
    "not_found": "Check the name. `GET /api/collections` and `GET /api/documents` list what exists.",
    "collection_not_found": "`GET /api/collections` lists what exists. The first upload with `POST /api/documents` "
    "makes the default collection.",
    "document_not_found": "`GET /api/documents` lists what exists, with ids and paths.",
    "ambiguous_name": "Give the document's id, or more of its path. `GET /api/documents` lists both.",
    "session_not_found": "`GET /api/sessions` lists yours. Without `session`, a question begins a new one.",
    "curated_answer_not_found": "`GET /api/curated` lists what exists.",
    "wording_not_found": "`GET /api/curated/{number}` lists the wordings of an answer.",
    "draft_not_found": "`GET /api/drafts` lists what waits for review, `GET /api/drafts/mine` what you asked.",
    "user_not_found": "`GET /api/users` lists who is registered.",
    "term_not_found": "`GET /api/terms` lists what exists.",
    "collection_conflict": "Choose another name, or first remove the old collection with "
    "`DELETE /api/collections/{name}`.",
    "already_decided": "Nothing was changed. `GET /api/drafts/{number}` tells the decision.",
    "curated_answer_changed_meanwhile": "Nothing was changed. `GET /api/curated/{number}` tells what it is "
    "now; then repeat the request.",
    "support_lost": "Send other words as `answer`. `GET /api/drafts/{number}` tells what has changed, and "
    "`in_new_words` there is the answer as the documents say it now, where that can be said.",
    "not_enough_tokens": "An administrator adds some with `POST /api/users/{number}/tokens`. Nothing was charged.",
    "no_embedder": "Search with `mode` `keyword`, or have the collection's model installed on the server.",
    "user_blocked": "An administrator restores access with `POST /api/users/{number}/unblock`.",
    "provider": "Try again. If it goes on, the server's settings name the model's address and key.",
    "provider_unreachable": "Try again, or search with `mode` `keyword`, which needs no model.",
    "storage": "Try again. If it goes on, `GET /api/health` says what is wrong.",
    "base_damaged": "`GET /api/health` says what is damaged. Whoever runs the server restores a backup.",
}
"""By code. What only whoever runs the server can do, such as changing a setting, is said as everywhere."""


def hint_of(error: SourcebookError, hints: Mapping[str, str] = _HINTS) -> str:
    """The hint of an error where nobody types commands, over HTTP unless other `hints` are given.

    One that was written for the occasion stays, unless it names the command line.
    """
    usual = type(error).usual_texts()[1]
    is_for_here = error.hint != usual and not _COMMAND.search(error.hint)
    return error.hint if is_for_here else hints.get(error.code, error.hint)
