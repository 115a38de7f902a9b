"""Errors in the words of the page: what happened and what to do about it here, in the language of whoever reads it.

The messages of errors are for programs and the command line. What they name, such as a page or a size, is kept as a
detail; the rest is said by code.
"""

from __future__ import annotations

from dataclasses import dataclass

from sourcebook.errors import SourcebookError, UsageError
from sourcebook.locale import Texts, error_texts


class Said(UsageError):
    """Something a view says itself, in the language of the page. It is shown as it stands."""


@dataclass(frozen=True, slots=True)
class ErrorWords:
    """What happened, what to do, and what the error names beyond that, in English."""

    said: str
    hint: str
    detail: str = ""


def words_for(texts: Texts, error: SourcebookError) -> ErrorWords:
    if isinstance(error, Said):
        return ErrorWords(error.message, error.hint if error.hint != Said().hint else "")
    return words_of(texts, error.code, error.message)


def words_of(texts: Texts, code: str, message: str = "") -> ErrorWords:
    """The words for a code; if it has none of its own, those of the branch that it belongs to."""
    known = error_texts(texts.language)
    kind = SourcebookError.kinds().get(code, SourcebookError)
    name = next(
        each.code for each in kind.__mro__ if issubclass(each, SourcebookError) and each.code in known
    )
    entry = known[name]
    default = kind().message
    is_more = message != "" and message != default and "`" not in message
    return ErrorWords(entry["said"], entry["hint"], message if is_more else "")
