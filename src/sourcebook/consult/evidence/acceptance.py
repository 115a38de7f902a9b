"""Is what was found close enough to answer with?

Two things speak for a passage: how much of what the question asks about it names, and how near its vector is. Neither
alone tells well; together they are weighed by numbers that were measured for the embedding model. A passage in another
language than the question shares no words with it, so a vector that is near beyond doubt is enough by itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.answer.extract import share_of_weight
from sourcebook.text.analysis import analyse, analyse_question, words
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.stems import stem_words

if TYPE_CHECKING:
    from sourcebook.model.model_facts import AcceptanceFacts
    from sourcebook.model.search import SearchResult


@dataclass(frozen=True, slots=True)
class Judgement:
    """What speaks for a passage: the share of the question that it holds, and its best sentence; its similarity."""

    share: float
    sentence_share: float
    similarity: float
    score: float
    is_accepted: bool


def term_weights(
    question: str, languages: Sequence[str | None], counts: Mapping[str, int], rows: int
) -> dict[str, float]:
    """What a question is about, each word worth more the fewer of the passages hold it.

    Words that only ask tell nothing. In several languages a word has several stems; the one that the base knows best
    stands for it.
    """
    spoken = [language for language in languages if language]
    wanted = frozenset(analyse_question(question, spoken).terms)
    terms: dict[str, None] = {}
    for word in words(question):
        stems = [stem_words([word], language)[0] for language in spoken] or [word]
        known = [stem for stem in stems if stem in wanted]
        if known:
            terms[max(known, key=lambda stem: counts.get(stem, 0))] = None
    return {
        term: math.log(1.0 + (rows - counts.get(term, 0) + 0.5) / (counts.get(term, 0) + 0.5))
        for term in terms
    }


def judged(
    weights: Mapping[str, float], passage: SearchResult, language: str | None, facts: AcceptanceFacts
) -> Judgement:
    """How close a passage comes to answering. Its title counts as said with every sentence.

    `language` is that of the words; None if the passage is to tell its own.
    """
    content = passage.chunk.content
    language = language or detect_language(content)
    title = set(analyse(passage.document_title or "", language))
    sentences = [set(analyse(content[start:end], language)) for start, end in sentence_spans(content)]
    share = share_of_weight(weights, title.union(*sentences))
    best = max((share_of_weight(weights, title | sentence) for sentence in sentences), default=0.0)
    compared = passage.score_breakdown.semantic_score
    similarity = 0.0 if compared is None else compared
    near = facts.usual_similarity if compared is None else compared
    score = facts.share * share + facts.sentence_share * best + facts.similarity * near - facts.needed
    return Judgement(share, best, similarity, score, score >= 0 or similarity >= facts.sure_similarity)
