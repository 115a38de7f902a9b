"""What `python -m benchmarks` measures: each part with its words, those of a quick run, and the data that it reads."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Part:
    """A benchmark, and which folder of the data (`takes`) is named to it, after its `option`.

    Without the folders in `needs` it is left out. Without those in `likes` it runs on what comes with the project, and
    does what `otherwise` says.
    """

    name: str
    what: str
    module: str
    words: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    takes: str = ""
    option: tuple[str, ...] = ("--data",)
    needs: tuple[str, ...] = ()
    likes: tuple[str, ...] = ()
    otherwise: str = ""
    out: str = "--out"

    def command(self, data: Path, out: Path, is_quick: bool) -> list[str]:
        reads = (self.needs or self.likes) and not self.missed(data)
        given = [*self.option, str(data / self.takes)] if reads else []
        own = self.quick if is_quick else self.words
        return [sys.executable, "-m", self.module, *given, *own, self.out, str(out)]

    def lacking(self, data: Path) -> list[str]:
        """What it cannot run without, and is not there."""
        return [name for name in self.needs if not (data / name).exists()]

    def missed(self, data: Path) -> list[str]:
        """What it runs without, since it is not there."""
        return [name for name in self.likes if not (data / name).exists()]


_PARALLEL = ("retrieval/xquad-en", "retrieval/xquad-ru", "retrieval/xquad-es", "retrieval/faquad-pt")
_TUNED = ("retrieval/rurag-para-dev", "retrieval/scifact-train", "retrieval/squad-pt-sample")
_SUPPORT = (
    *_PARALLEL,
    "retrieval/hotpotqa-hippo100",
    "retrieval/medline",
    "retrieval/cranfield",
    "retrieval/rurag-para-dev",
    "retrieval/squad-pt-sample",
    "documents/md-pt-fastapi",
    "reading/squad1-es.jsonl.gz",
)

PARTS = (
    Part("ingest", "adding folders of documents, beside the embedder alone", "benchmarks.ingest",
         ("--files", "12000"), ("--files", "200", "--folders", "docx-ru", "sample"),
         "documents", ("--documents",), likes=("documents",), otherwise="adds the sample"),
    Part("speed", "search, filters, words, hybrid: time, recall, memory, disk, beside other engines",
         "benchmarks.speed", (), ("--quick",),
         "retrieval", ("--texts",), likes=("retrieval",), otherwise="embeds sentences of the sample"),
    Part("growth", "what a question costs from 10,000 to 1,000,000 vectors", "benchmarks.speed.growth",
         (), ("--sizes", "2000", "6000", "--queries", "20")),
    Part("stacks", "indexing and asking end to end, beside whole stacks", "benchmarks.stacks",
         (), ("--quick",), "retrieval", needs=("retrieval",)),
    Part("quality", "how well public sets are found", "benchmarks.quality",
         (), ("--quick",), "retrieval", needs=("retrieval",)),
    Part("answers", "whether answers are right, and declined where there is none", "benchmarks.answers",
         ("--fresh",), ("--fresh", "--limit", "3", "--folders", "club-en", "clinic-ru", "escola-pt"),
         "documents", ("--documents",), likes=("documents",), otherwise="asks the folders that were written for it"),
    Part("across", "questions in another language than the documents", "benchmarks.across",
         (), ("--sizes", "20"), likes=("retrieval/xquad-ru2en", "retrieval/xquad-en", "retrieval/xquad-ru"),
         otherwise="asks the pages that were written for it"),
    Part("paraphrases", "the same question in other words, given or offered", "benchmarks.paraphrases",
         (), (), "retrieval", needs=_PARALLEL),
    Part("declining", "where questions are declined, and how soon the first word comes", "benchmarks.declining",
         (), ("--quick",), needs=(*_PARALLEL, *_TUNED, "documents/docx-ru")),
    Part("support", "whether a sentence that its quote does not support is doubted", "benchmarks.support",
         (), ("--per-kind", "3", "--true", "5", "--human", "20"), option=(), needs=_SUPPORT, out="--output"),
    Part("year", "a year of questions, and what it costs the expert", "benchmarks.year",
         (), ("--questions", "150", "--texts", "30", "--outside", "10"),
         needs=("retrieval/xquad-ru", "retrieval/rurag-para-dev")),
)  # fmt: skip
