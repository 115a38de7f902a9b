"""Approved answers as Markdown files, to keep beside the documentation.

The front matter has the question, other wordings, and the sources with their quotes; the answer is the text below.
People write and review these files, so reading is strict, and errors name the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

import yaml

from sourcebook.errors import BadAnswerFile
from sourcebook.model.answer_check import AnswerFile, FileSource

_FENCE = re.compile(r"\A﻿?---[^\S\n]*\n(?P<head>.*?)^---[^\S\n]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEYS = ("question", "also", "category", "subcategory", "language", "approved", "sources")
_LONGEST_NAME = 60


def answer_text(answer: AnswerFile) -> str:
    """The file's text. Reading it gives the same answer again."""
    head: dict[str, Any] = {"question": answer.question}
    if answer.also:
        head["also"] = list(answer.also)
    head["category"] = answer.category
    if answer.subcategory:
        head["subcategory"] = answer.subcategory
    if answer.language:
        head["language"] = answer.language
    if answer.approved_at is not None:
        head["approved"] = datetime.fromtimestamp(answer.approved_at, UTC).isoformat()
    head["sources"] = [{"path": source.path, "quote": source.quote} for source in answer.sources]
    written = yaml.safe_dump(head, allow_unicode=True, sort_keys=False, width=100)
    return f"---\n{written}---\n\n{answer.answer.strip()}\n"


def read_answer(text: str, name: str) -> AnswerFile:
    """The answer in a file, or a BadAnswerFile that says what is wrong with it."""
    text = text.replace("\r\n", "\n")
    fence = _FENCE.match(text)
    if fence is None:
        raise BadAnswerFile(f"{name} has no block between `---` lines at its beginning.")
    head = _head(fence["head"], name)
    answer = text[fence.end() :].strip()
    if not answer:
        raise BadAnswerFile(f"{name} has no answer below its `---` block.")
    return AnswerFile(
        name=name,
        question=_required(head, "question", name),
        answer=answer,
        also=tuple(_texts(head, "also", name)),
        category=_optional(head, "category", name) or "general",
        subcategory=_optional(head, "subcategory", name),
        language=_optional(head, "language", name),
        sources=tuple(_sources(head, name)),
        approved_at=_moment(head, "approved", name),
    )


def file_name(question: str, taken: Iterable[str]) -> str:
    """A name for a new file, from the words of its question, that no other file has."""
    plain = "-".join(re.findall(r"\w+", question.casefold())).replace("_", "-")
    short = plain[:_LONGEST_NAME].rpartition("-")[0] if len(plain) > _LONGEST_NAME else plain
    short = short or plain[:_LONGEST_NAME] or "answer"
    known = {name.casefold() for name in taken}
    number, name = 1, f"{short}.md"
    while name.casefold() in known:
        number += 1
        name = f"{short}-{number}.md"
    return name


def _head(text: str, name: str) -> Mapping[str, object]:
    try:
        head: object = yaml.safe_load(text)
    # A date that does not exist is a ValueError, and thousands of brackets are a RecursionError.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f", line {mark.line + 2}"
        raise BadAnswerFile(f"The `---` block of {name}{line} is not valid YAML.") from error
    if not isinstance(head, dict):
        raise BadAnswerFile(f"The `---` block of {name} has no `question: …` line.")
    known = cast("dict[object, object]", head)
    if unknown := [key for key in known if key not in _KEYS]:
        raise BadAnswerFile(f"{name} has the unknown key {unknown[0]!r}; known are {', '.join(_KEYS)}.")
    return {str(key): value for key, value in known.items()}


def _required(head: Mapping[str, object], key: str, name: str) -> str:
    value = _optional(head, key, name)
    if value is None:
        raise BadAnswerFile(f"{name} has no `{key}`.")
    return value


def _optional(head: Mapping[str, object], key: str, name: str) -> str | None:
    value = head.get(key)
    if value is None:
        return None
    if not isinstance(value, str | int | float):
        raise BadAnswerFile(f"In {name}, `{key}` must be text.")
    return str(value).strip() or None


def _moment(head: Mapping[str, object], key: str, name: str) -> int | None:
    """A date, or a date and time, in UTC unless it has an offset. YAML may have parsed it already."""
    value = head.get(key)
    if value is None:
        return None
    try:
        found = datetime.fromisoformat(str(value).strip())
        return max(0, int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()))
    except (ValueError, OverflowError) as error:
        raise BadAnswerFile(f"In {name}, `{key}` must be a date, such as 2026-11-16.") from error


def _texts(head: Mapping[str, object], key: str, name: str) -> list[str]:
    value = head.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[object]", value)):
        raise BadAnswerFile(f"In {name}, `{key}` must be a list of texts.")
    return [item.strip() for item in cast("list[str]", value) if item.strip()]


def _sources(head: Mapping[str, object], name: str) -> Iterable[FileSource]:
    value = head.get("sources")
    if value is None:
        return
    if not isinstance(value, list):
        raise BadAnswerFile(f"In {name}, `sources` must be a list.")
    for item in cast("list[object]", value):
        source = cast("dict[str, object]", item) if isinstance(item, dict) else {}
        path, quote = source.get("path"), source.get("quote")
        if not isinstance(path, str) or not isinstance(quote, str) or not path.strip() or not quote.strip():
            raise BadAnswerFile(f"In {name}, each of `sources` needs a `path` and a `quote`.")
        yield FileSource(path.strip().replace("\\", "/"), quote.strip())
