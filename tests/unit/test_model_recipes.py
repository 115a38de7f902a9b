"""Every recipe of the table on a small model of the same build, held against a plain computation."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from tests import onnx_models
from tests.onnx_models import DIMENSIONS

from sourcebook import Chunk, SearchResult
from sourcebook.errors import BadProviderAnswer, ProviderMissing, ProviderTimeout
from sourcebook.model.search import ScoreBreakdown
from sourcebook.ports.providers import TextRole
from sourcebook.providers.catalogue.installed_models import InstalledModel, ModelStore
from sourcebook.providers.catalogue.known_models import KnownModel, ModelForm, ModelKind, known
from sourcebook.providers.catalogue.model_loading import embedder_of, onnx_model, pair_files
from sourcebook.providers.onnx.cross_encoder import CrossEncoder
from sourcebook.providers.onnx.entailment import OnnxJudge
from sourcebook.providers.onnx.pair_model import PairFiles
from sourcebook.providers.onnx.reader import OnnxReader
from sourcebook.providers.onnx_embedder import OnnxEmbedder
from sourcebook.providers.static_embedder import StaticEmbedder, StaticFiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

EMBEDDERS = [m for m in known().values() if m.kind is ModelKind.EMBEDDER and m.form is ModelForm.ONNX]
SHORT = "raspberries are cut in autumn ."
LONG = "the strawberry soil is acid . " * 400
TEXTS = [SHORT, "how deep ?", LONG, "the green door"]


def ids(text: str) -> list[int]:
    numbers = {word: number for number, word in enumerate(onnx_models.WORDS)}
    pieces = text.lower().replace(":", " : ").split()
    return [numbers.get(piece, numbers["[UNK]"]) for piece in pieces]


def plain_vector(text: str, recipe: KnownModel, role: TextRole) -> NDArray[np.float32]:
    """Prefix, cut, start and end, pooling, length one: as the recipe says, and with nothing of ours."""
    prefix = recipe.question_prefix if role is TextRole.QUESTION else recipe.passage_prefix
    inner = ids(prefix + text[:8192])[: recipe.max_tokens - 2]
    tokens = onnx_models.hidden([2, *inner, 3])
    vector = tokens[0] if recipe.pooling == "cls" else tokens.mean(axis=0)
    return vector / np.linalg.norm(vector)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return onnx_models.write(tmp_path_factory.mktemp("encoder"), "encoder")


def installed(folder: Path, name: str, kind: ModelKind = ModelKind.EMBEDDER) -> InstalledModel:
    files = {"model.onnx": "a" * 64, "tokenizer.json": "b" * 64}
    return InstalledModel(name, kind, folder, "model.onnx", files)


@pytest.mark.parametrize("role", list(TextRole))
@pytest.mark.parametrize("recipe", EMBEDDERS, ids=lambda recipe: recipe.name)
def test_an_embedder_computes_what_its_recipe_says(folder: Path, recipe: KnownModel, role: TextRole) -> None:
    small = replace(recipe, dimensions=DIMENSIONS)
    embedder = OnnxEmbedder(lambda: onnx_model(installed(folder, recipe.name), small))
    found = anyio.run(embedder.embed, TEXTS, role)
    wanted = np.stack([plain_vector(text, recipe, role) for text in TEXTS])
    assert found == pytest.approx(wanted, abs=2e-5)
    assert (embedder.model.name, embedder.model.version) == (recipe.name, "a" * 16)


def test_a_recipe_is_part_of_what_the_vectors_are(folder: Path) -> None:
    [e5, minilm] = [known()[n] for n in ("multilingual-e5-small", "paraphrase-multilingual-MiniLM-L12-v2")]
    one, other = (onnx_model(installed(folder, "same"), replace(r, name="same")).model for r in (e5, minilm))
    assert one.dimensions == other.dimensions
    assert one.recipe != other.recipe
    assert one.recipe != onnx_model(installed(folder, "same"), replace(e5, tokens=128)).model.recipe


def test_many_texts_at_once_are_computed_as_one_by_one(folder: Path) -> None:
    from sourcebook.providers.onnx.session import open_session
    from sourcebook.providers.onnx_embedder import Pooling, _Loaded  # pyright: ignore[reportPrivateUsage]

    for pooling in Pooling:
        both = [
            _Loaded(open_session(folder / "model.onnx"), onnx_models.tokenizer(), pooling, at_once=at_once)
            for at_once in (True, False)
        ]
        together, alone = (np.stack(one.vectors(TEXTS[:2] + TEXTS[3:])) for one in both)
        assert together == pytest.approx(alone, abs=1e-5)


def test_an_installed_model_is_found_by_its_name_and_a_missing_one_is_named(
    folder: Path, tmp_path: Path
) -> None:
    store = ModelStore(tmp_path)
    embedder = embedder_of(store, "multilingual-e5-small")
    with pytest.raises(ProviderMissing, match="not installed") as error:
        assert embedder.model
    assert "models get multilingual-e5-small" in error.value.hint
    store.add(folder, "multilingual-e5-small")
    assert embedder.model.dimensions == 384


# A static model


def write_table(path: Path, table: NDArray[np.generic], kind: str) -> None:
    data = table.tobytes()
    header: dict[str, Any] = {
        "embeddings": {"dtype": kind, "shape": list(table.shape), "data_offsets": [0, len(data)]}
    }
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


@pytest.mark.parametrize(("kind", "number"), [("F32", np.float32), ("F16", np.float16)])
def test_a_static_model_is_the_mean_of_the_pieces_it_knows(tmp_path: Path, kind: str, number: Any) -> None:
    table = onnx_models.weights()["words"].astype(number)
    write_table(tmp_path / "model.safetensors", table, kind)
    onnx_models.tokenizer().save(str(tmp_path / "tokenizer.json"))
    recipe = replace(known()["potion-multilingual-128M"], dimensions=DIMENSIONS)
    from sourcebook.providers.catalogue.model_loading import _static  # pyright: ignore[reportPrivateUsage]

    model = replace(installed(tmp_path, recipe.name), weights="model.safetensors")
    about: StaticFiles = _static(model, recipe)
    texts = ["Raspberries nowhere cut", "nowhere", LONG]
    found = anyio.run(StaticEmbedder(lambda: about).embed, texts, TextRole.PASSAGE)
    for text, vector in zip(texts, found, strict=True):
        pieces = [piece for piece in ids(text[:8192]) if piece != 1][:512] or [0]
        mean = table[pieces].astype(np.float64).mean(axis=0)
        assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    from sourcebook.providers.static_embedder import read_table

    for content in (b"", b"\xff" * 20, (5).to_bytes(8, "little") + b"{}..."):
        (tmp_path / "model.safetensors").write_bytes(content)
        with pytest.raises(ProviderMissing, match="cannot be read"):
            read_table(tmp_path / "model.safetensors")


# Models that read two texts


def pair_tokens(first: str, second: str, most: int) -> list[int]:
    question = ids(first)
    room = most - 3 - len(question)
    return [2, *question, 3, *ids(second)[:room], 3]


def result(text: str, score: float) -> SearchResult:
    chunk = Chunk(id=text, document_id=text, content=text, start_index=0, end_index=len(text))
    return SearchResult(chunk=chunk, score=score, score_breakdown=ScoreBreakdown(), collection_id="default")


PASSAGES = [SHORT, LONG, "the green door", "water the plant", "strawberry soil", "acid soil ?"] * 2


def test_a_cross_encoder_judges_question_and_passage_together(tmp_path: Path) -> None:
    folder = onnx_models.write(tmp_path / "m", "reranker")
    model = CrossEncoder(lambda: PairFiles(folder / "model.onnx", folder / "tokenizer.json", 64))
    results = [result(f"{text} {n}", 1 - n / 100) for n, text in enumerate(PASSAGES)]
    found = anyio.run(model.rerank, "how deep ?", results, 20)
    wanted: dict[str, float] = {}
    for one in results:
        tokens = onnx_models.hidden(pair_tokens("how deep ?", one.chunk.content, 64))
        logit = float((tokens[0] @ onnx_models.head("reranker", 1))[0])
        wanted[one.chunk.id] = 1 / (1 + np.exp(-logit))
    assert {one.chunk.id: one.score for one in found} == pytest.approx(wanted, abs=1e-5)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert found[0].score_breakdown.rerank_score == found[0].score


def test_only_the_first_passages_are_judged_and_the_rest_stays_behind(tmp_path: Path) -> None:
    folder = onnx_models.write(tmp_path / "m", "reranker")
    files = PairFiles(folder / "model.onnx", folder / "tokenizer.json", 64)
    results = [result(f"{text} {n}", 1 - n / 100) for n, text in enumerate(PASSAGES)]
    found = anyio.run(CrossEncoder(lambda: files, most_passages=3).rerank, "how deep ?", results, 20)
    assert {one.chunk.id for one in found[:3]} == {one.chunk.id for one in results[:3]}
    assert [one.chunk.id for one in found[3:]] == [one.chunk.id for one in results[3:]]
    assert all(one.score_breakdown.rerank_score is None for one in found[3:])


def test_when_the_time_is_up_what_was_not_judged_keeps_its_order(tmp_path: Path) -> None:
    folder = onnx_models.write(tmp_path / "m", "reranker")
    files = PairFiles(folder / "model.onnx", folder / "tokenizer.json", 64)
    with pytest.raises(ProviderTimeout, match="judged nothing"):
        anyio.run(CrossEncoder(lambda: files, seconds=0.0).rerank, "how ?", [result(SHORT, 1.0)], 1)


def test_a_model_with_other_outputs_is_no_reranker(tmp_path: Path) -> None:
    folder = onnx_models.write(tmp_path / "m", "judge")
    files = PairFiles(folder / "model.onnx", folder / "tokenizer.json", 64)
    with pytest.raises(BadProviderAnswer, match="3 numbers"):
        anyio.run(CrossEncoder(lambda: files).rerank, "how ?", [result(SHORT, 1.0)], 1)


def test_a_reader_marks_the_likeliest_span_of_the_passage(tmp_path: Path) -> None:
    folder = onnx_models.write(tmp_path / "m", "reader")
    files = PairFiles(folder / "model.onnx", folder / "tokenizer.json", 64)
    question, passages = "when are raspberries cut ?", ["the raspberry is cut in autumn .", "the green door"]
    found = anyio.run(OnnxReader(lambda: files).read, question, passages)
    for passage, answer in zip(passages, found, strict=True):
        tokens = onnx_models.hidden(pair_tokens(question, passage, 64))
        starts, ends = (tokens @ onnx_models.head(n, 1)[:, 0] for n in ("start_logits", "end_logits"))
        first = len(ids(question)) + 2
        spans = [(i, j) for i in range(first, len(tokens) - 1) for j in range(i, len(tokens) - 1)]
        i, j = max(spans, key=lambda span: starts[span[0]] + ends[span[1]])
        words = passage.split()[i - first : j - first + 1]
        assert passage[answer.start : answer.end] == " ".join(words)
        assert answer.certainty == pytest.approx(starts[i] + ends[j] - starts[0] - ends[0], abs=1e-4)


def test_a_judge_says_how_likely_a_sentence_follows_or_contradicts(tmp_path: Path) -> None:
    labels = ["entailment", "neutral", "contradiction"]
    pair = ("raspberries are cut in autumn .", "raspberries are never cut .")
    for order in (labels, labels[::-1]):
        folder = onnx_models.write(tmp_path / order[0], "judge", labels=order)
        files = PairFiles(folder / "model.onnx", folder / "tokenizer.json", 64)
        [found] = anyio.run(OnnxJudge(lambda files=files: files).judge, [pair])
        logits = onnx_models.hidden(pair_tokens(*pair, 64))[0] @ onnx_models.head("judge", 3)
        shares = np.exp(logits) / np.exp(logits).sum()
        assert found.entails == pytest.approx(shares[order.index("entailment")], abs=1e-5)
        assert found.contradicts == pytest.approx(shares[order.index("contradiction")], abs=1e-5)


def test_a_judge_that_does_not_say_what_its_outputs_mean_is_refused(tmp_path: Path) -> None:
    folder = onnx_models.write(tmp_path / "m", "judge")
    files = PairFiles(folder / "model.onnx", folder / "tokenizer.json", 64)
    with pytest.raises(BadProviderAnswer, match=r"config\.json"):
        anyio.run(OnnxJudge(lambda: files).judge, [("a", "b")])


def test_a_folder_of_ones_own_will_do(tmp_path: Path) -> None:
    folder = onnx_models.write(tmp_path / "own", "reranker")
    files = pair_files(ModelStore(tmp_path), str(folder), ModelKind.RERANKER)()
    assert files.weights == folder / "model.onnx"
    shutil.rmtree(folder)
    with pytest.raises(ProviderMissing, match=r"contains no model\.onnx"):
        pair_files(ModelStore(tmp_path), str(folder), ModelKind.RERANKER)()
