"""True sentences: made by a script from the texts, or written by people and read from a file."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.support.texts import Said

_OPENINGS = {
    "en": ("According to the document, ", "The text says that "),
    "ru": ("Согласно документу, ", "В тексте сказано, что "),
    "pt": ("Segundo o documento, ", "O texto diz que "),
    "es": ("Según el documento, ", "El texto dice que "),
}
_AND = {"en": "and", "ru": "и", "pt": "e", "es": "y"}

Retelling = Callable[[Said, str, random.Random], str | None]


def identical(said: Said, language: str, chance: random.Random) -> str | None:
    return said.sentence


def introduced(said: Said, language: str, chance: random.Random) -> str | None:
    return chance.choice(_OPENINGS[language]) + _small(said.sentence)


def trimmed(said: Said, language: str, chance: random.Random) -> str | None:
    """Without what stands in brackets, and without the last clause."""
    shorter = re.sub(r"\s*\([^()]*\)", "", said.sentence)
    clauses = shorter.split(", ")
    if len(clauses) > 2:
        shorter = ", ".join(clauses[:-1]).rstrip(".;") + "."
    return shorter if shorter != said.sentence and len(shorter) > 30 else None


def merged(said: Said, language: str, chance: random.Random) -> str | None:
    """Two sentences that follow each other made one."""
    if said.next is None or not 20 <= len(said.next) <= 250 or not said.sentence.endswith("."):
        return None
    return f"{said.sentence[:-1]}, {_AND[language]} {_small(said.next)}"


RETELLINGS: Mapping[str, Retelling] = {
    "identical": identical,
    "introduced": introduced,
    "trimmed": trimmed,
    "merged": merged,
}


def _small(sentence: str) -> str:
    is_a_name = sentence[1:2].isupper() or bool(re.match(r"\w+ [A-ZА-Я]", sentence))
    return sentence if is_a_name else sentence[:1].lower() + sentence[1:]


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence that somebody wrote from a source, and whether it follows from it."""

    language: str
    origin: str
    sentence: str
    quote: str
    is_true: bool


def written_by_people(file: Path) -> Iterator[Written]:
    """One JSON object a line: `language`, `origin`, `sentence`, `quote`, `label` (true or false)."""
    for line in file.read_text("utf-8").splitlines():
        record = json.loads(line)
        yield Written(
            record["language"],
            record["origin"],
            record["sentence"],
            record["quote"],
            record["label"] == "true",
        )


def answered_questions(folder: Path, language: str) -> Iterator[Written]:
    """A question that somebody asked with the answer that somebody marked: people's words, put together by a script."""
    for name in (f"xquad-{language}", f"faquad-{language}"):
        at = folder / "retrieval" / name
        if not (at / "queries.jsonl").is_file():
            continue
        texts = dict(_texts(at))
        gold = dict(line.split("\t")[:2] for line in (at / "qrels.tsv").read_text("utf-8").splitlines()[1:])
        for line in (at / "queries.jsonl").read_text("utf-8").splitlines():
            query = json.loads(line)
            if query.get("answers") and query["id"] in gold:
                said = f"{query['text'].strip('?¿ ')}: {query['answers'][0]}."
                yield Written(language, "answered questions", said, texts[gold[query["id"]]], is_true=True)


def _texts(at: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(at / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            yield record["id"], record["text"]
