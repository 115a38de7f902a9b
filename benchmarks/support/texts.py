"""Sentences of real texts, each with the passage around it. Cut by a rule of its own, not by the product's."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from zlib import crc32

_AROUND = 3
_SHORTEST, _LONGEST = 40, 350
_END = re.compile(r"(?<=[.!?])[\"»”)]?\s+(?=[\"«“(¿¡]?[A-ZА-ЯЁÁÉÍÓÚÂÊÔÃÕÇÑ\d])|(?<=\s\.)\s+")
_ABBREVIATED = re.compile(r"(?:\b\w{1,3}|\bprox|\baprox|\bproc)\.$")


class Part(StrEnum):
    """Which texts: those that the check was built on, or those that it had not seen."""

    DEVELOPMENT = "development"
    HELD_OUT = "held-out"


@dataclass(frozen=True, slots=True)
class TextSet:
    """Where texts stand below the folder of data. A shared set gives each title to one part or the other."""

    path: str
    is_shared: bool = False


SETS = {
    "en": {
        Part.DEVELOPMENT: (TextSet("retrieval/scifact-train"),),
        Part.HELD_OUT: (
            TextSet("retrieval/xquad-en"),
            TextSet("retrieval/hotpotqa-hippo100"),
            TextSet("retrieval/medline"),
            TextSet("retrieval/cranfield"),
        ),
    },
    "ru": {
        Part.DEVELOPMENT: (TextSet("retrieval/rurag-para-dev", is_shared=True),),
        Part.HELD_OUT: (
            TextSet("retrieval/xquad-ru"),
            TextSet("retrieval/rurag-para-dev", is_shared=True),
        ),
    },
    "pt": {
        Part.DEVELOPMENT: (TextSet("retrieval/squad-pt-sample", is_shared=True),),
        Part.HELD_OUT: (
            TextSet("retrieval/faquad-pt"),
            TextSet("retrieval/squad-pt-sample", is_shared=True),
            TextSet("documents/md-pt-fastapi"),
        ),
    },
    "es": {
        Part.DEVELOPMENT: (TextSet("reading/squad1-es.jsonl.gz", is_shared=True),),
        Part.HELD_OUT: (
            TextSet("retrieval/xquad-es"),
            TextSet("reading/squad1-es.jsonl.gz", is_shared=True),
        ),
    },
}


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, the one behind it in the same text, and the passage that both stand in."""

    sentence: str
    next: str | None
    passage: str
    title: str


def sentences(folder: Path, language: str, part: Part) -> Iterator[Said]:
    """The sentences of all texts of a part, text by text."""
    for texts in SETS[language][part]:
        seen: set[str] = set()
        for group, title, text in _documents(folder / texts.path):
            is_other_part = (crc32(group.encode()) % 2 == 0) != (part is Part.DEVELOPMENT)
            if text in seen or (texts.is_shared and is_other_part):
                continue
            seen.add(text)
            yield from _said(title, text)


def _documents(path: Path) -> Iterator[tuple[str, str, str]]:
    """What a document belongs to, its title and its text."""
    if path.is_dir() and not (path / "corpus.jsonl.gz").is_file():
        for file in sorted(path.rglob("*.md")):
            for paragraph in _prose(file.read_text("utf-8")):
                yield file.stem, file.stem, paragraph
        return
    with gzip.open(path / "corpus.jsonl.gz" if path.is_dir() else path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            title = record.get("title") or ""
            page = str(record["id"]).partition("-")[0]
            yield (
                (page if page.isdigit() else title),
                title,
                record.get("text", "") or record.get("context", ""),
            )


def _prose(markdown: str) -> Iterator[str]:
    """Paragraphs without code, lists, headings and notes."""
    without_code = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", without_code):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[*`]|\{[^}]*\}", r"\1", " ".join(paragraph.split()))
        if plain[:1].isalpha() and "<" not in plain:
            yield plain


def _said(title: str, text: str) -> Iterator[Said]:
    cut = _sentences(" ".join(text.split()))
    for place, sentence in enumerate(cut):
        if not _SHORTEST <= len(sentence) <= _LONGEST or not sentence.endswith((".", "!", "»", '"')):
            continue
        passage = " ".join(cut[max(0, place - _AROUND) : place + _AROUND + 1])
        following = cut[place + 1] if place + 1 < len(cut) else None
        yield Said(sentence, following, passage, title)


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for piece in _END.split(text):
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found
