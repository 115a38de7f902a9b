"""Judges how close a passage comes to answering: by the words of the question, and by its vector."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.judge_weights import judge_weights
from sourcebook.consult.evidence.passage_surroundings import title_and_section
from sourcebook.consult.evidence.question_share import marked_terms, weight_of
from sourcebook.consult.question.words.everyday_words import everyday_stems_in
from sourcebook.consult.question.words.light_verbs import light_verbs
from sourcebook.text.analysis import analyse_question, distinct_terms, words
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.stems import stem_words

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

_WORTH_OF_A_LIGHT_VERB = 0.15


@dataclass(frozen=True, slots=True)
class Judgement:
    """How close a passage comes to answering.

    `share` is the part of the question's weight that it has, `sentence_share` that of its best sentence, `bare_share`
    the same without title and section. `score` combines these with the similarity; passages are compared by it.
    """

    share: float
    sentence_share: float
    bare_share: float
    similarity: float
    score: float


def term_weights(
    question: str, languages: Sequence[str | None], counts: Mapping[str, int], rows: int
) -> dict[str, float]:
    """The weights of a question's words: the fewer passages have one, the more it weighs.

    Words that only ask are left out. Of a word's stems in several languages, the most frequent in the base is taken.
    """
    spoken = [language for language in languages if language]
    wanted = frozenset(analyse_question(question, spoken).terms)
    terms: dict[str, None] = {}
    for word in words(question):
        stems = [stem_words([word], language)[0] for language in spoken] or [word]
        known = [stem for stem in stems if stem in wanted]
        if known:
            terms[max(known, key=lambda stem: counts.get(stem, 0))] = None
    everyday = everyday_stems_in(spoken)
    weights = {term: term_weight(counts.get(term, 0), rows, is_everyday=term in everyday) for term in terms}
    light = {stem for language in spoken for stem in stem_words(sorted(light_verbs(question)), language)}
    if light.issuperset(weights):
        return weights
    return {
        term: weight * (_WORTH_OF_A_LIGHT_VERB if term in light else 1.0) for term, weight in weights.items()
    }


def term_weight(count: int, rows: int, *, is_everyday: bool = False) -> float:
    """The weight of a word that `count` of `rows` passages have.

    A very small base cannot tell which words are rare. So each base counts as if it had some hundred passages more, in
    which words that people ask with are common.
    """
    prior = judge_weights().prior
    share = prior["everyday_share"] if is_everyday else prior["share"]
    held, passages = count + prior["passages"] * share, rows + prior["passages"]
    return math.log(1.0 + (passages - held + 0.5) / (held + 0.5))


def judged(weights: Mapping[str, float], passage: SearchResult, language: str | None) -> Judgement:
    """How close a passage comes to answering. Its title and section count with each sentence.

    Words are compared in `language`; None for that of the passage.
    """
    known = judge_weights()
    content = passage.chunk.content
    language = language or detect_language(content)
    title = marked_terms(weights, distinct_terms(title_and_section(passage), language), language)
    sentences = {
        frozenset(marked_terms(weights, distinct_terms(content[start:end], language), language))
        for start, end in sentence_spans(content)
    }
    share = weight_of(title.union(*sentences), weights)
    best = max((weight_of(title | sentence, weights) for sentence in sentences), default=0.0)
    bare = max((weight_of(sentence, weights) for sentence in sentences), default=0.0)
    compared = passage.score_breakdown.semantic_score
    near = known.usual["similarity"] if compared is None else compared
    weighed = known.passage
    score = weighed["share"] * share + weighed["sentence_share"] * best + weighed["similarity"] * near
    return Judgement(share, best, bare, compared or 0.0, score - weighed["needed"])
