"""What is known of the sets: figures that others reached on the same texts and questions, and what is asked of us."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Anchor:
    """nDCG@10 of BM25 and, where a first trial measured it, of a hybrid search with the default model or MiniLM.

    BM25 is Lucene's formula with k1 1.2 and b 0.75 over title and text of whole documents, with Snowball stems and stop
    words, in lower case and with ё as е. It and the trial are written down in the `data/README.md` of the sets.
    """

    language: str
    bm25: float
    reached: float | None = None
    reached_minilm: float | None = None
    reached_rerank: float | None = None

    @property
    def is_english(self) -> bool:
        return self.language == "en"


ANCHORS = {
    "rurag-para-dev": Anchor("ru", 0.4361, reached=0.489, reached_rerank=0.52),
    "scifact-train": Anchor("en", 0.6960, reached=0.6960 + 0.015, reached_minilm=0.6960 + 0.036),
    "cranfield": Anchor("en", 0.3695, reached=0.372, reached_minilm=0.415),
    "cacm": Anchor("en", 0.4991),
    "medline": Anchor("en", 0.6986),
    "hotpotqa-hippo100": Anchor("en", 0.7927),
    "squad-pt-sample": Anchor("pt", 0.8107),
    "faquad-pt": Anchor("pt", 0.9125, reached=0.923),
    "xquad-ru": Anchor("ru", 0.9534, reached=0.966),
    "xquad-en": Anchor("en", 0.9672, reached=0.979, reached_minilm=0.987),
    "xquad-es": Anchor("es", 0.9650),
    "xquad-ru2en": Anchor("ru→en", 0.1377),
}
TUNED_ON = ("rurag-para-dev", "scifact-train", "cranfield")
"""The only sets that weights were chosen on."""
ACROSS_LANGUAGES = "xquad-ru2en"
MANY_QUESTIONS = 100
