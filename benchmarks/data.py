"""`python -m benchmarks.data [FOLDER]`: bring those public sets that are made of single files.

XQuAD in English, Russian and Spanish (CC BY-SA 4.0), its Russian questions about the English texts, and FaQuAD in
Portuguese (CC BY 4.0). Each file is checked before it is used. Without a network, download them yourself and name
their folder with `--files`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx2

_XQUAD = "https://raw.githubusercontent.com/google-deepmind/xquad/60cac411649156efb6aab9dd4c9cde787a2c0345"
_FAQUAD = "https://raw.githubusercontent.com/liafacom/faquad/6ad978f20672bb41625b3b71fbe4a88b893d0a86/data"
_SECONDS = 60.0
_VARIABLE = "SOURCEBOOK_BENCH_DATA"
DATA = Path(os.environ.get(_VARIABLE) or Path(__file__).parent / "data-sets")
"""Where every benchmark looks for `retrieval/`, `documents/` and `reading/` unless it is told otherwise."""
PLACE = f"${_VARIABLE}, else benchmarks/data-sets"
RETRIEVAL = DATA / "retrieval"
DOCUMENTS = DATA / "documents"


def how_to_give(option: str) -> str:
    """What to do about data that is not there."""
    return (
        f"Name another folder with {option} or {_VARIABLE}; `python -m benchmarks.data FOLDER` brings some sets,"
        " and benchmarks/README.md says under Data where the rest is from."
    )


@dataclass(frozen=True, slots=True)
class Source:
    """A file of questions by paragraphs, as SQuAD has them."""

    address: str
    sha256: str

    @property
    def name(self) -> str:
        return self.address.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class TextSet:
    """The paragraphs of a file with the questions about them, or with those of another file, in another language."""

    paragraphs: Source
    questions: Source | None = None


_EN = Source(f"{_XQUAD}/xquad.en.json", "e4c57d1c9143aaa1c5d265ba5987a65f4e69528d2a98f29d6e75019b10344f29")
_RU = Source(f"{_XQUAD}/xquad.ru.json", "208d5b1aa154c52b1b5c5eda16281e455e8fd198cdb9af3f469f0d6037d973bf")
_ES = Source(f"{_XQUAD}/xquad.es.json", "dcbae93ec3a9f4b9e78fd834a171d6f96c1a875e10e15b7530b7e4ef4971e37e")
_PT = Source(f"{_FAQUAD}/dataset.json", "bd515d8890a9ff02a50aeb07ce76be408be54e9e384ce989caec1045a8e04588")
SETS = {
    "xquad-en": TextSet(_EN),
    "xquad-ru": TextSet(_RU),
    "xquad-es": TextSet(_ES),
    "xquad-ru2en": TextSet(_EN, _RU),
    "faquad-pt": TextSet(_PT),
}


class WrongFileError(Exception):
    """A file is not the one that the published figures were measured with."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.data", description=__doc__)
    made.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=DATA,
        help=f"where the sets go: FOLDER/retrieval/NAME ({PLACE})",
    )
    made.add_argument("--files", type=Path, help="a folder with the files, instead of the network")
    return made


def main(words: Sequence[str] | None = None) -> int:
    given = parser().parse_args(words)
    known: dict[Source, bytes] = {}
    try:
        for name, parts in SETS.items():
            for source in (parts.paragraphs, parts.questions):
                if source is not None and source not in known:
                    known[source] = _checked(source, _read(source, given.files))
            words_of = known[parts.questions] if parts.questions else None
            write_set(given.folder / "retrieval" / name, known[parts.paragraphs], words_of)
            print(given.folder / "retrieval" / name)
    except (httpx2.HTTPError, OSError, WrongFileError) as error:
        print(f"{error}", file=sys.stderr)
        return 1
    return 0


def _read(source: Source, files: Path | None) -> bytes:
    if files is not None:
        return (files / source.name).read_bytes()
    return httpx2.get(source.address, timeout=_SECONDS, follow_redirects=True).raise_for_status().content


def _checked(source: Source, data: bytes) -> bytes:
    if hashlib.sha256(data).hexdigest() != source.sha256:
        raise WrongFileError(f"{source.name} is not the file at {source.address}: its SHA-256 differs.")
    return data


def write_set(folder: Path, paragraphs: bytes, words: bytes | None = None) -> None:
    """A retrieval set: each paragraph is a document, and right for the questions that are asked about it."""
    asked = {question["id"]: question for _, _, question in _questions(words or paragraphs)}
    documents: dict[tuple[str, str], str] = {}
    queries: list[dict[str, Any]] = []
    judged = ["query-id\tcorpus-id\tscore"]
    for title, text, question in _questions(paragraphs):
        document = documents.setdefault((title, text), f"p{len(documents)}")
        said = asked[question["id"]]
        answers = dict.fromkeys(answer["text"] for answer in said["answers"])
        queries.append({"id": said["id"], "text": said["question"].strip(), "answers": list(answers)})
        judged.append(f"{said['id']}\t{document}\t1")
    folder.mkdir(parents=True, exist_ok=True)
    corpus = [{"id": name, "title": title, "text": text} for (title, text), name in documents.items()]
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(_lines(corpus).encode(), mtime=0))
    (folder / "queries.jsonl").write_text(_lines(queries), "utf-8")
    (folder / "qrels.tsv").write_text("\n".join(judged) + "\n", "utf-8")


def _questions(data: bytes) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Every question with the title and the text of its paragraph."""
    for article in cast("Sequence[Mapping[str, Any]]", json.loads(data)["data"]):
        title = str(article.get("title") or "").replace("_", " ")
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                yield title, paragraph["context"].strip(), question


def _lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    raise SystemExit(main())
