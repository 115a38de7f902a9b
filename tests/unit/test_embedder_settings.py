"""Which embedder the settings make, what of them is secret, and that none is loaded before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sourcebook.assembly import make_embedder, make_embedder_for
from sourcebook.errors import BadSetting, ProviderMissing
from sourcebook.model.documents import EmbeddingModel
from sourcebook.retrieve.fusion_weights import fusion_weights_of
from sourcebook.settings import LoadedSettings, SettingOrigin, Settings, load

KEY = "sk-canary-77aa"


def loaded(folder: Path, toml: str = "", **environ: str) -> LoadedSettings:
    (folder / "sourcebook.toml").write_text(toml, "utf-8")
    return load(cwd=folder, environ=environ)


@pytest.mark.parametrize(
    ("name", "model", "dimensions"),
    [
        ("default", "use-multilingual-v3", 512),
        ("minilm", "all-minilm-l6-v2-int8", 384),
        ("openai:text-embedding-3-small", "openai:text-embedding-3-small", 1536),
        ("ollama:nomic-embed-text", "ollama:nomic-embed-text", 768),
        ("ollama:nomic-embed-text:v1.5", "ollama:nomic-embed-text:v1.5", 768),
    ],
)
def test_a_name_makes_an_embedder_whose_model_is_known_at_once(
    tmp_path: Path, name: str, model: str, dimensions: int
) -> None:
    embedder = make_embedder(Settings(db=str(tmp_path / "base.db"), embedder=name))
    assert embedder is not None
    assert (embedder.model.name, embedder.model.dimensions) == (model, dimensions)
    assert list(tmp_path.iterdir()) == []


def test_none_makes_none() -> None:
    assert make_embedder(Settings(embedder="none")) is None


@pytest.mark.parametrize("name", ["defualt", "openai", "openai:", "ollama: ", "onnx:", "gpt:4", ""])
def test_another_name_is_refused_with_those_that_there_are(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadSetting, match="openai:MODEL"):
        loaded(tmp_path, f'embedder = "{name}"')
    with pytest.raises(BadSetting, match="openai:MODEL"):
        Settings().with_embedder(name)


def test_an_address_has_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="http"):
        loaded(tmp_path, 'embedder_base_url = "localhost:8000"')


def test_a_key_is_shown_nowhere(tmp_path: Path) -> None:
    found = loaded(tmp_path, 'embedder = "openai:berry"', SOURCEBOOK_EMBEDDER_API_KEY=KEY)
    key = found.settings.embedder_api_key
    assert key is not None
    assert key.get_secret_value() == KEY
    embedder = make_embedder(found.settings.at(str(tmp_path / "base.db")))
    shown = f"{found!r} {found.settings} {found.as_dict()} {embedder!r} {found.settings.model_dump_json()}"
    assert KEY not in shown
    assert found.as_dict()["embedder_api_key"] == {"value": "***", "origin": "environment"}


def test_a_key_that_cannot_be_one_is_not_shown_either(tmp_path: Path) -> None:
    with pytest.raises(BadSetting) as caught:
        loaded(tmp_path, f'embedder_api_key = ["{KEY}"]')
    assert KEY not in str(caught.value.as_dict())


def test_the_key_of_openai_is_for_openai_alone(tmp_path: Path) -> None:
    found = loaded(tmp_path, OPENAI_API_KEY=KEY)
    assert found.settings.embedder_api_key is not None
    assert found.origins["embedder_api_key"] is SettingOrigin.ENVIRONMENT
    elsewhere = loaded(tmp_path, 'embedder_base_url = "http://127.0.0.1:1/v1"', OPENAI_API_KEY=KEY)
    assert elsewhere.settings.embedder_api_key is None
    own = loaded(tmp_path, 'embedder_api_key = "mine"', OPENAI_API_KEY=KEY)
    assert own.settings.embedder_api_key is not None
    assert own.settings.embedder_api_key.get_secret_value() == "mine"


def test_prefixes_of_the_settings_come_before_those_that_are_known() -> None:
    plain = Settings(embedder="openai:multilingual-e5-small", embedder_dimensions=384)
    one = plain.model_copy(update={"embedder_question_prefix": "Frage: "})
    both = one.model_copy(update={"embedder_passage_prefix": ""})
    recipes = [embedder.model.recipe for s in (plain, one, both) if (embedder := make_embedder(s))]
    assert "'query: '" in recipes[0]
    assert "'Frage: '" in recipes[1]
    assert "'passage: '" in recipes[1]
    assert "'passage: '" not in recipes[2]


@pytest.mark.parametrize("name", ["default", "minilm", "openai:text-embedding-3-large", "ollama:bge-m3"])
def test_the_embedder_of_a_collection_is_found_by_its_model(name: str) -> None:
    embedder = make_embedder(Settings(embedder=name))
    assert embedder is not None
    again = make_embedder_for(embedder.model, Settings(embedder="none"))
    assert again is not None
    assert again.model == embedder.model


def test_a_served_model_of_another_size_is_asked_for_in_that_size() -> None:
    cut = EmbeddingModel(
        "openai:text-embedding-3-small", 256, recipe=_recipe("openai:text-embedding-3-small")
    )
    found = make_embedder_for(cut, Settings())
    assert found is not None
    assert found.model == cut


def _recipe(name: str) -> str:
    embedder = make_embedder(Settings(embedder=name))
    assert embedder is not None
    return embedder.model.recipe


@pytest.mark.parametrize(
    "model",
    [
        EmbeddingModel("use-multilingual-v3", 512, version="0.1"),
        EmbeddingModel("onnx:unknown", 384),
        EmbeddingModel.of_caller(8),
    ],
)
def test_a_model_that_is_not_at_hand_has_no_embedder(model: EmbeddingModel) -> None:
    assert make_embedder_for(model, Settings(embedder="onnx:/nowhere")) is None


def test_a_model_that_is_missing_is_missed_when_it_is_needed() -> None:
    embedder = make_embedder(Settings(embedder="onnx:/nowhere"))
    assert embedder is not None
    with pytest.raises(ProviderMissing, match="nowhere"):
        _ = embedder.model


def test_fusion_weights_are_those_that_were_measured() -> None:
    assert fusion_weights_of("use-multilingual-v3").semantic == 0.35
    assert fusion_weights_of("all-minilm-l6-v2-int8").semantic == 0.55
    unknown = fusion_weights_of("openai:whatever")
    assert (unknown.semantic, unknown.keyword) == (0.5, 0.5)


ADD = "book.add('notes')"
SEARCH = "book.search('raspberries', RetrievalConfig(mode=RetrievalMode.KEYWORD))"
HEAVY = "{'sentencepiece', 'onnxruntime', 'tokenizers', 'openai'}"


def modules_after(folder: Path, call: str, **environ: str) -> str:
    code = (
        "import sys\n"
        "from sourcebook import RetrievalConfig, RetrievalMode, Sourcebook\n"
        "if __name__ == '__main__':\n"
        f"    with Sourcebook('base.db') as book: {call}\n"
        f"    print(sorted({HEAVY} & set(sys.modules)))\n"
    )
    (folder / "script.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder,
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "src"), **environ},
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    return done.stdout.strip()


def test_an_unchanged_folder_and_keyword_search_load_no_model(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "raspberries.md").write_text("# Raspberries\n\nPrune them in late autumn.\n")
    assert modules_after(tmp_path, ADD) == "['sentencepiece']"
    assert modules_after(tmp_path, ADD) == "[]"
    assert modules_after(tmp_path, SEARCH) == "[]"
    for name in ("minilm", "onnx:/nowhere", "openai:berry", "ollama:berry"):
        assert modules_after(tmp_path, SEARCH, SOURCEBOOK_EMBEDDER=name) == "[]"
