"""Contexts for models of one's own: from an index, from a base, and by policy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.consulting import NOTES

from sourcebook import ContextBuilder, ContextOrder, EmbeddingStore, Settings, Sourcebook
from sourcebook.consult.context.collection_policies import Policy, load_policies
from sourcebook.errors import BadPolicy, PathNotFound, UsageError
from sourcebook.testing.fakes import FakeEmbedder


class Pointing:
    """Every question is the vector (1, 0)."""

    def embed(self, texts: list[str], /) -> Sequence[Sequence[float]]:
        return [[1.0, 0.0] for _ in texts]


def row(score: float, **fields: Any) -> dict[str, Any]:
    return {"embedding": [score, (1 - score**2) ** 0.5], **fields}


ROWS = [
    row(
        0.9, text="The best of the news.", collection="news", doc_id="d1", chunk_id="k1", start=50, tags=["a"]
    ),
    row(0.8, content="The  best of the NEWS.", collection="press"),
    row(0.7, body="Words of the press.", collection="press", doc_id="d2"),
    row(0.6, snippet="How the best began.", collection="news", doc_id="d1", start=0),
    row(0.5, title="No text at all", collection="news"),
    row(0.4, text="", body="Far away and very long: " + "word " * 100, collection="other"),
    row(0.3, text="Short.", collection="other"),
]


@pytest.fixture
def store(tmp_path: Path) -> EmbeddingStore:
    path = tmp_path / "embeddings.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    return EmbeddingStore(path)


def builder(store: EmbeddingStore, **policies: Policy) -> ContextBuilder:
    return ContextBuilder(store, embedder=Pointing(), policies=policies)


def test_rows_are_brought_into_one_form_and_none_is_said_twice(store: EmbeddingStore) -> None:
    context = builder(store).build("?", max_chunks=3)
    assert [chunk.text for chunk in context.chunks] == [
        "The best of the news.",
        "Words of the press.",
        "How the best began.",
    ]
    first = context.chunks[0]
    assert (first.collection, first.document_id, first.chunk_id, first.start) == ("news", "d1", "k1", 50)
    assert (round(first.score, 6), first.fields) == (0.9, {"tags": ["a"]})
    assert context.used_collections == ("news", "press")
    assert context.left_out["repeated"] == 1
    assert context.text == "The best of the news.\n\nWords of the press.\n\nHow the best began."


def test_rows_that_are_no_use_do_not_take_the_places_of_others(store: EmbeddingStore) -> None:
    context = builder(store).build("?", max_chunks=5)
    assert len(context.chunks) == 5
    assert context.left_out["no_text"] == 1


def test_a_score_is_needed_and_included(store: EmbeddingStore) -> None:
    assert [c.text for c in builder(store).build("?", min_score=0.65).chunks] == [
        "The best of the news.",
        "Words of the press.",
    ]
    assert builder(store).build("?", min_score=0.95).chunks == ()


@pytest.mark.parametrize("room", [1, 10, 30, 45, 80, 200, 10_000])
def test_a_context_keeps_within_its_characters(store: EmbeddingStore, room: int) -> None:
    context = builder(store).build("?", max_characters=room, max_chunks=7)
    assert 0 < len(context.text) <= room


def test_what_has_no_room_leaves_it_to_what_is_shorter(store: EmbeddingStore) -> None:
    context = builder(store).build("?", max_chunks=7, max_characters=75)
    assert context.chunks[-1].text == "Short."
    assert context.left_out["no_room"] == 1
    cut = builder(store).build("?", max_characters=12).chunks
    assert [(c.text, c.is_cut) for c in cut] == [("The best of", True)]


def test_pieces_of_a_document_can_stand_as_they_were_written(store: EmbeddingStore) -> None:
    context = builder(store).build("?", max_chunks=3, order=ContextOrder.AS_WRITTEN)
    assert [chunk.text for chunk in context.chunks] == [
        "How the best began.",
        "The best of the news.",
        "Words of the press.",
    ]


def test_a_policy_chooses_the_collections_and_limits(store: EmbeddingStore) -> None:
    policy = Policy(("press", "empty"), max_chunks=1)
    context = builder(store, media=policy).build("?", entity="media")
    assert (context.used_collections, context.policy_collections) == (("press",), ("press", "empty"))
    assert len(context.chunks) == 1
    assert len(builder(store, media=policy).build("?", entity="media", max_chunks=5).chunks) == 2
    with pytest.raises(UsageError, match="no policy for 'medai'") as caught:
        builder(store, media=policy).build("?", entity="medai")
    assert "media" in caught.value.hint


def test_an_index_needs_something_that_embeds(store: EmbeddingStore) -> None:
    with pytest.raises(UsageError):
        ContextBuilder(store)
    with pytest.raises(UsageError):
        builder(store).build("?", max_chunks=0)


def test_a_base_gives_a_context_too(tmp_path: Path) -> None:
    settings = Settings(db=str(tmp_path / "base.db"))
    with Sourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        for name, text in NOTES.items():
            book.add_text(text, id=name, title=name.title(), collection=f"c-{name}")
        policies = {"garden": Policy(("c-pruning", "c-soil"))}
        context = ContextBuilder(book, policies=policies).build("sour soil for blueberries", entity="garden")
        assert set(context.used_collections) == {"c-pruning", "c-soil"}
        assert {chunk.title for chunk in context.chunks} == {"Soil", "Pruning"}
        narrow = ContextBuilder(book, policies={}).build("blueberries", collections=["c-soil"], max_chunks=1)
        assert narrow.chunks[0].text == NOTES["soil"]
        assert narrow.chunks[0].fields["path"] == "soil"


# The policy file


def write(folder: Path, text: str) -> Path:
    path = folder / "rag.yaml"
    path.write_text(text, "utf-8")
    return path


def test_policies_are_read_from_yaml(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """entities:
  новости: {collections: [news, press, news], max_chunks: 3, min_score: 0}
  one: {collections: news}
""",
    )
    assert load_policies(path) == {
        "новости": Policy(("news", "press"), 3, 0.0),
        "one": Policy(("news",)),
    }


def test_the_default_file_need_not_be_there_and_a_named_one_must(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_policies() == {}
    (tmp_path / "data" / "policies").mkdir(parents=True)
    write(tmp_path / "data" / "policies", "entities: {a: {collections: [b]}}")
    assert load_policies() == {"a": Policy(("b",))}
    with pytest.raises(PathNotFound):
        load_policies(tmp_path / "other.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file must be a mapping"),
        ("- a", "the file must be a mapping"),
        ("entitys: {}", "`entities` must be a mapping"),
        ("entities: [a]", "`entities` must be a mapping"),
        ("entities: {a: 1}", "entities.a must be a mapping"),
        ("entities: {a: {}}", "entities.a.collections must be a list"),
        ("entities: {a: {collections: []}}", "entities.a.collections must be a list"),
        ("entities: {a: {collections: [1]}}", "must contain names"),
        ("entities: {a: {collections: [b], colour: red}}", "'colour'"),
        ("entities: {a: {collections: [b], max_chunks: 0}}", "max_chunks must be a whole number"),
        ("entities: {a: {collections: [b], max_chunks: true}}", "max_chunks must be a whole number"),
        ("entities: {a: {collections: [b], min_score: .nan}}", "min_score must be a number"),
        ("entities: {1: {collections: [b]}}", "the name 1"),
        ("entities: {a: ", "is not YAML"),
        ("!!python/object/apply:os.system ['true']", "is not YAML"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_broken_policy_file_says_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadPolicy) as caught:
        load_policies(write(tmp_path, text))
    assert said in caught.value.message
    assert "rag.yaml" in caught.value.message


def test_a_policy_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rag.yaml"
    path.write_bytes(b"\xff\xfe\x00entities")
    with pytest.raises(BadPolicy, match="cannot be read"):
        load_policies(path)
