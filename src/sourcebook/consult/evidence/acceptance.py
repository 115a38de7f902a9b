"""What speaks for a passage: how much of what the question asks about it names, and how near its vector is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.judge_weights import judge_weights
from sourcebook.consult.evidence.passage_surroundings import title_and_section
from sourcebook.consult.evidence.question_share import marked_terms, weight_of
from sourcebook.consult.question.everyday_words import everyday_stems_in
from sourcebook.text.analysis import analyse_question, distinct_terms, words
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans
from sourcebook.text.stems import stem_words

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult


@dataclass(frozen=True, slots=True)
class Judgement:
    """How close a passage comes.

    `share` is the part of the question's weight that it holds, `sentence_share` the part that its best sentence does,
    `bare_share` the same without title and section. `score` weighs them with its similarity; passages are
    compared by it.
    """

    share: float
    sentence_share: float
    bare_share: float
    similarity: float
    score: float


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
    everyday = everyday_stems_in(spoken)
    return {term: term_weight(counts.get(term, 0), rows, is_everyday=term in everyday) for term in terms}


def term_weight(count: int, rows: int, *, is_everyday: bool = False) -> float:
    """What a word tells that `count` of `rows` passages hold.

    A base of two documents cannot know which words are rare: a word that both hold would be worth a tenth of one that
    neither holds. So every base counts as if it had some hundred passages more, where words that people ask with
    are common.
    """
    prior = judge_weights().prior
    share = prior["everyday_share"] if is_everyday else prior["share"]
    held, passages = count + prior["passages"] * share, rows + prior["passages"]
    return math.log(1.0 + (passages - held + 0.5) / (held + 0.5))


def judged(weights: Mapping[str, float], passage: SearchResult, language: str | None) -> Judgement:
    """How close a passage comes to answering. Its title and section count as said with every sentence.

    `language` is that of the words; None if the passage is to tell its own.
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
