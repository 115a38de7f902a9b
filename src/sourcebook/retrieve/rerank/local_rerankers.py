"""Rerankers that need nothing but the question and the texts.

They look at the words of a few passages more closely than a search can: which words of the question are in one
sentence, which are side by side as in the question, and which are in the title. A word that most candidates have counts
little, so no statistics of the store are needed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.text.analysis import MAX_QUESTION_CHARACTERS, MAX_QUESTION_WORDS, words
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.stopwords import asking_words, stop_words

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

# Measured, together with the fused score as 1.0: see docs/decisions/0012-fusion-and-rerank.md.
TITLE_WEIGHT = 0.5
SENTENCE_WEIGHT = 0.3
PAIR_WEIGHT = 0.3
_ALL_WEIGHTS = 1.0 + TITLE_WEIGHT + SENTENCE_WEIGHT + PAIR_WEIGHT

PAIR_DISTANCE = 2
"""Two words are side by side with at most one other between them."""
_SAMPLE = 300
"""Characters of each passage from which the language of the results is detected."""


class LocalReranker:
    """Orders results by their score and by how well their words match the question's."""

    async def rerank(self, query: str, results: Sequence[SearchResult], top_k: int) -> list[SearchResult]:
        """The best `top_k`, best first; equals stay in their order. The scores are from 0 to 1."""
        scores = await anyio.to_thread.run_sync(judge, query, results)
        return _ordered(results, scores, top_k)


class SimpleReranker:
    """Orders results by the share of the question's words that they contain."""

    async def rerank(self, query: str, results: Sequence[SearchResult], top_k: int) -> list[SearchResult]:
        """The best `top_k`, best first; equals stay in their order. The scores are from 0 to 1."""
        wanted = frozenset(_words(query))
        scores = [
            len(wanted.intersection(words(result.chunk.content))) / len(wanted) if wanted else 0.0
            for result in results
        ]
        return _ordered(results, scores, top_k)


def judge(query: str, results: Sequence[SearchResult]) -> list[float]:
    """A score from 0 to 1 for each result, in their order."""
    language = detect_language("\n".join(result.chunk.content[:_SAMPLE] for result in results))
    question = _question(query, language)
    texts = _read(results, language)
    weights = _weights(question, texts)
    found = _spread([result.score for result in results])
    return [
        (
            score
            + TITLE_WEIGHT * _named_after(question, text.title)
            + SENTENCE_WEIGHT * _best_sentence(weights, text)
            + PAIR_WEIGHT * _side_by_side(question, weights, text)
        )
        / _ALL_WEIGHTS
        for score, text in zip(found, texts, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Text:
    """The stems of a passage, sentence by sentence, and those of its document's title."""

    sentences: Sequence[Sequence[str]]
    title: frozenset[str]

    @property
    def stems(self) -> list[str]:
        return [stem for sentence in self.sentences for stem in sentence]


def _question(query: str, language: str | None) -> list[str]:
    """The stems to look for, each once, in the order of the question."""
    found = _words(query)
    left_out = stop_words(language) | asking_words(language)
    content = [word for word in found if word not in left_out] or found
    return list(dict.fromkeys(stem_words(content, language)))


def _words(query: str) -> list[str]:
    return words(query[:MAX_QUESTION_CHARACTERS])[:MAX_QUESTION_WORDS]


def _read(results: Sequence[SearchResult], language: str | None) -> list[_Text]:
    cut = [
        [words(result.chunk.content[start:end]) for start, end in sentence_spans(result.chunk.content)]
        for result in results
    ]
    titles = [words(result.document_title or "") for result in results]
    # Each word is stemmed once: passages on one subject share most of their words.
    vocabulary = sorted(
        {word for sentences in cut for sentence in sentences for word in sentence}.union(*titles)
    )
    stems = dict(zip(vocabulary, stem_words(vocabulary, language), strict=True))
    return [
        _Text(
            [[stems[word] for word in sentence] for sentence in sentences],
            frozenset(stems[word] for word in title),
        )
        for sentences, title in zip(cut, titles, strict=True)
    ]


def _weights(question: Sequence[str], texts: Sequence[_Text]) -> dict[str, float]:
    """The weight of each stem: less, the more texts have it. The sum is 1."""
    held = [text.title.union(text.stems) for text in texts]
    told = {stem: _rarity(sum(stem in one for one in held), len(held)) for stem in question}
    total = sum(told.values())
    return {stem: weight / total for stem, weight in told.items()}


def _rarity(holding: int, count: int) -> float:
    return math.log1p((count - holding + 0.5) / (holding + 0.5))


def _named_after(question: Sequence[str], title: frozenset[str]) -> float:
    """The share of the title's words that the question names."""
    return len(title.intersection(question)) / len(title) if title else 0.0


def _best_sentence(weights: Mapping[str, float], text: _Text) -> float:
    """The share of the question that a single sentence holds."""
    return max(
        (sum(weights[stem] for stem in weights.keys() & set(sentence)) for sentence in text.sentences),
        default=0.0,
    )


def _side_by_side(question: Sequence[str], weights: Mapping[str, float], text: _Text) -> float:
    """The share of the question's neighbouring words that are neighbours in the text too, in either order."""
    pairs = list(pairwise(question))
    if not pairs:
        return 0.0
    total = sum(weights[one] + weights[other] for one, other in pairs)
    near = _neighbours(text.stems, frozenset(question))
    return sum(weights[one] + weights[other] for one, other in pairs if (one, other) in near) / total


def _neighbours(stems: Sequence[str], wanted: frozenset[str]) -> set[tuple[str, str]]:
    places = [(place, stem) for place, stem in enumerate(stems) if stem in wanted]
    near: set[tuple[str, str]] = set()
    for index, (place, stem) in enumerate(places):
        for further, other in places[index + 1 : index + 1 + PAIR_DISTANCE]:
            if further - place <= PAIR_DISTANCE:
                near |= {(stem, other), (other, stem)}
    return near


def _spread(scores: Sequence[float]) -> list[float]:
    """The scores from 0 for the lowest to 1 for the highest; 1 for all if they are equal."""
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    if lowest == highest:
        return [1.0 for _ in scores]
    return [(score - lowest) / (highest - lowest) for score in scores]


def _ordered(results: Sequence[SearchResult], scores: Sequence[float], top_k: int) -> list[SearchResult]:
    judged = [
        result.with_score(score, replace(result.score_breakdown, rerank_score=score))
        for result, score in zip(results, scores, strict=True)
    ]
    return sorted(judged, key=lambda result: -result.score)[:top_k]
