"""An answer without a model: the sentences of the found passages that say most about the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.question.kinds import QuestionKind, gives
from sourcebook.text.analysis import analyse
from sourcebook.text.languages import detect_language
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

PASSAGES = 3
SENTENCES = 3
_WORTH_OF_NEAREST_CHILD = 0.5
_WORTH_OF_PASSAGE = 0.5
_WORTH_OF_THE_RIGHT_KIND = 0.3
_PRICE_OF_A_PLACE = 0.1
_LEAST_OF_THE_BEST = 0.6
_SHORTEST_SHARED_BEGINNING = 5
_LONGEST_SENTENCE = 600
_FEWEST_WORDS = 4
_LONGEST_HEADING = 8
_ROWS_OF_A_TABLE = 2
_NUMBERS_IN_A_TABLE = 0.3
_WORTH_OF_NOW = 2.0


@dataclass(frozen=True, slots=True)
class Extract:
    """A sentence of a passage, as a span of the passage's content, and what it is worth as an answer."""

    passage: int
    start: int
    end: int
    score: float


def held_share(weights: Mapping[str, float], text: str, language: str | None) -> float:
    """Which part of a question's weight the text holds. Long words count as held if a form of theirs is there."""
    return share_of_weight(weights, set(analyse(text, language)))


def share_of_weight(weights: Mapping[str, float], terms: set[str]) -> float:
    """`held_share` of a text whose terms are known."""
    total = sum(weights.values())
    if not total:
        return 0.0
    beginnings = {
        term[:_SHORTEST_SHARED_BEGINNING] for term in terms if len(term) > _SHORTEST_SHARED_BEGINNING
    }
    held = sum(weight for term, weight in weights.items() if _is_held(term, terms, beginnings))
    return held / total


def emphasised(weights: Mapping[str, float], question: str, language: str | None) -> dict[str, float]:
    """The weights with what was asked just now counting twice. A follow-up is searched with the question before it."""
    own = set(analyse(question, language))
    return {term: weight * (_WORTH_OF_NOW if term in own else 1.0) for term, weight in weights.items()}


def _is_held(term: str, terms: set[str], beginnings: set[str]) -> bool:
    if term in terms:
        return True
    # Stems of one word sometimes differ ("поставок", "поставка"); a number is never like another.
    return (
        len(term) > _SHORTEST_SHARED_BEGINNING
        and not term.isdigit()
        and (term[:_SHORTEST_SHARED_BEGINNING] in beginnings)
    )


def extract(
    weights: Mapping[str, float],
    passages: Sequence[SearchResult],
    language: str | None,
    kinds: frozenset[QuestionKind] = frozenset(),
) -> list[Extract]:
    """The best sentences of the first passages, in the order of the passages and of their text.

    `weights` are the terms of the question with what each tells about it. A sentence is also worth how near its child
    is to the question, how good its passage is, and whether it gives what was asked for (`kinds`). Only those come
    along that are nearly as good as the best.
    """
    candidates = [
        candidate
        for place, passage in enumerate(passages[:PASSAGES])
        for candidate in _candidates(weights, place, passage, language, kinds)
    ]
    best = _without_repetition(sorted(candidates, key=lambda c: (-c.score, c.passage, c.start)), passages)
    chosen = [c for c in best[:SENTENCES] if c.score >= _LEAST_OF_THE_BEST * best[0].score]
    return sorted(chosen, key=lambda c: (c.passage, c.start))


def _candidates(
    weights: Mapping[str, float],
    place: int,
    passage: SearchResult,
    language: str | None,
    kinds: frozenset[QuestionKind],
) -> Iterator[Extract]:
    text, first = passage.chunk.content, passage.chunk.start_index
    language = language or detect_language(text)
    around = held_share(weights, text, language)
    for begin, end in sentence_spans(text):
        start = _after_heading(text, begin, end)
        nearest = max(
            (m.score for m in passage.matched if m.start_index - first < end and m.end_index - first > start),
            default=0.0,
        )
        score = (
            held_share(weights, text[start:end], language)
            + _WORTH_OF_NEAREST_CHILD * max(nearest, 0.0)
            + _WORTH_OF_PASSAGE * around
            + _WORTH_OF_THE_RIGHT_KIND * gives(text[start:end], kinds)
            - _PRICE_OF_A_PLACE * place
        )
        if score > 0 and end - start <= _LONGEST_SENTENCE and _says_something(text[start:end]):
            yield Extract(place, start, end, score)


def _after_heading(text: str, start: int, end: int) -> int:
    """Where the sentence begins, if a heading without a mark of its own stands on the line before it."""
    line, _, rest = text[start:end].partition("\n")
    is_heading = len(line.split()) <= _LONGEST_HEADING and line.rstrip()[-1:].isalnum()
    if not is_heading or not rest.lstrip()[:1].isupper() or len(rest.split()) < _FEWEST_WORDS:
        return start
    return start + len(line) + 1 + len(rest) - len(rest.lstrip())


def _says_something(sentence: str) -> bool:
    """Headings, tables without their lines, questions and a few words answer nothing."""
    said = sentence.strip()
    told = said.split()
    return (
        not said.startswith("#")
        and not said.endswith("?")
        and len(told) >= _FEWEST_WORDS
        and not _is_table(said, told)
    )


def _is_table(said: str, told: Sequence[str]) -> bool:
    numbers = sum(word[:1].isdigit() for word in told)
    return said.count("\n") >= _ROWS_OF_A_TABLE and numbers >= _NUMBERS_IN_A_TABLE * len(told)


def _without_repetition(best: Sequence[Extract], passages: Sequence[SearchResult]) -> list[Extract]:
    """Passages overlap, so the same sentence may come from two of them: the better one stays."""
    seen: set[str] = set()
    kept: list[Extract] = []
    for candidate in best:
        text = " ".join(passages[candidate.passage].chunk.content[candidate.start : candidate.end].split())
        if text not in seen:
            seen.add(text)
            kept.append(candidate)
    return kept
