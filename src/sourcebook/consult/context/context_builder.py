"""Builds a context for your own model: passages for a question, with their sources."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast, runtime_checkable

from sourcebook.consult.context.collection_policies import Policy, load_policies
from sourcebook.errors import UsageError
from sourcebook.model.search import RetrievalConfig, SearchResult

if TYPE_CHECKING:
    from sourcebook.model.documents import Vector

TEXT_FIELDS = ("text", "content", "body", "snippet")
"""Fields where a row may have its text; the first with text is taken."""
MAX_CHUNKS = 5
MAX_CHARACTERS = 8_000
_SEPARATOR = "\n\n"
_MOST_LOOKED_AT = 1_000


class ContextOrder(StrEnum):
    """best_first: by score. as_written: grouped by document, in the order of its text."""

    BEST_FIRST = "best_first"
    AS_WRITTEN = "as_written"


@runtime_checkable
class RowIndex(Protocol):
    """An index of rows with vectors, such as an `EmbeddingStore`."""

    def search_by_vector(
        self,
        qvec: Vector,
        k: int = 5,
        min_score: float | None = None,
        collection: str | Sequence[str] | None = None,
    ) -> list[dict[str, Any]]: ...


@runtime_checkable
class Base(Protocol):
    """A base that finds passages, such as a `Sourcebook`."""

    def search(
        self,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> list[SearchResult]: ...


class QuestionEmbedder(Protocol):
    def embed(self, texts: list[str], /) -> Sequence[Sequence[float]]: ...


Found: TypeAlias = Mapping[str, Any] | SearchResult


@dataclass(frozen=True, slots=True)
class ContextChunk:
    """A piece of the context. `fields`: other fields of its row; `is_cut`: it was shortened to fit."""

    text: str
    score: float
    collection: str | None = None
    document_id: str | None = None
    chunk_id: str | None = None
    title: str | None = None
    start: int = 0
    is_cut: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Context:
    """The chunks in order, and the collections they come from."""

    question: str
    chunks: Sequence[ContextChunk]
    used_collections: Sequence[str]
    policy_collections: Sequence[str] | None = None
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many were left out because of `no_text`, `low_score`, `repeated` or `no_room`."""

    @property
    def text(self) -> str:
        """The whole context as one text."""
        return _SEPARATOR.join(chunk.text for chunk in self.chunks)


class ContextBuilder:
    """Builds contexts from a `Sourcebook`, or from an `EmbeddingStore` and an embedder.

    `policies` is a file as in `docs/how-to/ask.md`; without one `data/policies/rag.yaml` is read if it exists.
    """

    def __init__(
        self,
        source: Base | RowIndex,
        *,
        embedder: QuestionEmbedder | None = None,
        policies: str | os.PathLike[str] | Mapping[str, Policy] | None = None,
    ) -> None:
        if isinstance(source, RowIndex) and embedder is None:
            raise UsageError(
                "An index needs an embedder for the question", hint="Pass anything with embed([text])."
            )
        self._source = source
        self._embedder = embedder
        self._policies = policies if isinstance(policies, Mapping) else load_policies(policies)

    def build(
        self,
        question: str,
        *,
        entity: str | None = None,
        collections: Sequence[str] | None = None,
        max_chunks: int | None = None,
        min_score: float | None = None,
        max_characters: int | None = None,
        order: ContextOrder = ContextOrder.BEST_FIRST,
    ) -> Context:
        """The best pieces for a question: without repetitions, above the score, and within the characters.

        `entity` sets the collections and limits of its policy; arguments given here override them.
        """
        policy = self._policy(entity)
        wanted = _Limits(
            _first(max_chunks, policy and policy.max_chunks, MAX_CHUNKS),
            _first(min_score, policy and policy.min_score, None),
            _first(max_characters, policy and policy.max_characters, MAX_CHARACTERS),
        )
        allowed = tuple(collections) if collections is not None else policy and policy.collections
        search = self._search(question, allowed, wanted.min_score)
        asked = wanted.max_chunks
        while True:
            found = search(asked)
            context = assembled(question, found, wanted, order, allowed)
            # Repeated or empty rows have taken the places of others, so more are searched.
            is_full = len(context.chunks) >= wanted.max_chunks
            if is_full or context.left_out["no_room"] or context.left_out["low_score"]:
                return context
            if len(found) < asked or asked >= _MOST_LOOKED_AT:
                return context
            asked = min(_MOST_LOOKED_AT, asked * 4)

    def _policy(self, entity: str | None) -> Policy | None:
        if entity is None:
            return None
        if entity not in self._policies:
            known = ", ".join(sorted(self._policies)) or "none"
            raise UsageError(f"There is no policy for {entity!r}", hint=f"The policies cover: {known}.")
        return self._policies[entity]

    def _search(
        self, question: str, collections: Sequence[str] | None, min_score: float | None
    ) -> Callable[[int], Sequence[Found]]:
        source = self._source
        named = None if collections is None else list(collections)
        if isinstance(source, RowIndex):
            vectors = cast("QuestionEmbedder", self._embedder).embed([question])
            return lambda k: source.search_by_vector(vectors[0], k, min_score, named)
        return lambda k: source.search(question, RetrievalConfig(top_k=k), collection=named)


@dataclass(frozen=True, slots=True)
class _Limits:
    max_chunks: int
    min_score: float | None
    max_characters: int

    def __post_init__(self) -> None:
        if self.max_chunks < 1 or self.max_characters < 1:
            raise UsageError("A context needs room for at least one chunk and one character")


def assembled(
    question: str,
    found: Sequence[Found],
    limits: _Limits,
    order: ContextOrder,
    allowed: Sequence[str] | None,
) -> Context:
    """The context. The best pieces are taken first; one that does not fit leaves the room to shorter ones."""
    taken: list[ContextChunk] = []
    left_out: dict[str, int] = {"no_text": 0, "low_score": 0, "repeated": 0, "no_room": 0}
    room = limits.max_characters
    for chunk in sorted(map(normalised, found), key=lambda chunk: -chunk.score):
        reason = _why_not(chunk, taken, limits)
        if reason is None and len(taken) < limits.max_chunks:
            price = len(chunk.text) + (len(_SEPARATOR) if taken else 0)
            if price <= room or not taken:
                fitting = _cut(chunk, room)
                taken.append(fitting)
                room -= min(price, room)
            else:
                reason = "no_room"
        if reason is not None:
            left_out[reason] += 1
    ordered = taken if order is ContextOrder.BEST_FIRST else _as_written(taken)
    used = tuple(dict.fromkeys(chunk.collection for chunk in ordered if chunk.collection))
    return Context(question, tuple(ordered), used, allowed, left_out)


def normalised(found: Found) -> ContextChunk:
    """A row of an index, or a result of a search, in one form."""
    if isinstance(found, SearchResult):
        chunk = found.chunk
        return ContextChunk(
            chunk.content,
            found.score,
            found.collection_id or None,
            chunk.document_id,
            chunk.id,
            found.document_title,
            chunk.start_index,
            fields={"path": found.document_path, "page": chunk.page, "section": chunk.section},
        )
    own = {"embedding", "score", "collection", "doc_id", "chunk_id", "title", "start", *TEXT_FIELDS}
    start = found.get("start")
    return ContextChunk(
        next((text for name in TEXT_FIELDS if (text := _text(found.get(name)))), ""),
        float(found["score"]),
        _text(found.get("collection")) or None,
        _text(found.get("doc_id")) or None,
        _text(found.get("chunk_id")) or _text(found.get("id")) or None,
        _text(found.get("title")) or None,
        start if isinstance(start, int) else 0,
        fields={name: value for name, value in found.items() if name not in own},
    )


def _why_not(chunk: ContextChunk, taken: Sequence[ContextChunk], limits: _Limits) -> str | None:
    if not chunk.text.strip():
        return "no_text"
    if limits.min_score is not None and chunk.score < limits.min_score:
        return "low_score"
    words = _plain(chunk.text)
    return "repeated" if any(words in _plain(other.text) for other in taken) else None


def _cut(chunk: ContextChunk, room: int) -> ContextChunk:
    if len(chunk.text) <= room:
        return chunk
    # One more letter shows whether a word ends where the room does.
    ends_of_words = re.search(r".*(?=\s)", chunk.text[: room + 1].strip("\n"), re.DOTALL)
    whole_words = (ends_of_words[0].strip() if ends_of_words else "") or chunk.text[:room]
    return replace(chunk, text=whole_words, is_cut=True)


def _as_written(chunks: Sequence[ContextChunk]) -> list[ContextChunk]:
    """Documents in the order of their best piece, the pieces of each in the order of its text."""
    rank: dict[tuple[str | None, str | None], int] = {}
    for chunk in chunks:
        rank.setdefault((chunk.collection, chunk.document_id), len(rank))
    return sorted(chunks, key=lambda c: (rank[c.collection, c.document_id], c.start))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)
