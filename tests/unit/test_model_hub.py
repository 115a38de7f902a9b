"""Models from the hub: whole and checked, or not at all."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests import model_hub
from tests.model_hub import COMMIT, Behaviour, Hub

from sourcebook.errors import (
    DownloadFailed,
    ModelNotFound,
    ProviderMissing,
    ProviderRefused,
    ProviderUnreachable,
    UsageError,
)
from sourcebook.providers.catalogue.installed_models import RECORD, ModelStore
from sourcebook.providers.catalogue.known_models import (
    KnownModel,
    ModelForm,
    ModelKind,
    find,
    known,
    require_runtime,
)
from sourcebook.providers.catalogue.model_loading import chat_weights
from sourcebook.providers.hub.repository_listing import HUB, HubAddress

REPO = "maker/tiny-embedder"
WEIGHTS = bytes(range(256)) * 20
TOKENIZER = b'{"version": "1.0"}'
MODEL = KnownModel(
    name="tiny-embedder",
    kind=ModelKind.EMBEDDER,
    repo=REPO,
    weights=("onnx/model.onnx",),
    languages="English",
    size_mb=1,
    licence="MIT",
    source="nowhere",
    good_for="tests",
    tokens=16,
    dimensions=4,
)


@pytest.fixture
def behaviour() -> Behaviour:
    files = {"onnx/model.onnx": WEIGHTS, "tokenizer.json": TOKENIZER, "config.json": b"{}", "README.md": b"#"}
    return Behaviour({REPO: files})


@pytest.fixture
def hub(behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch) -> Generator[Hub]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sourcebook.providers.hub.download._FIRST_WAIT", 0.0)
    with model_hub.served(behaviour) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


def address(hub: Hub, key: str | None = None) -> HubAddress:
    return HubAddress(hub.url, key)


def test_a_model_arrives_whole_with_the_commit_and_the_hashes_it_had_on_the_hub(
    hub: Hub, store: ModelStore
) -> None:
    seen: list[tuple[int, int]] = []
    got = store.download(MODEL, address(hub), lambda done, total: seen.append((done, total)))
    assert got.weights_path.read_bytes() == WEIGHTS
    assert (got.folder / "tokenizer.json").read_bytes() == TOKENIZER
    assert (got.revision, got.files["model.onnx"]) == (COMMIT, hashlib.sha256(WEIGHTS).hexdigest())
    assert store.get("TINY-embedder") == got
    assert seen[-1] == (len(WEIGHTS) + len(TOKENIZER) + 2, len(WEIGHTS) + len(TOKENIZER) + 2)
    assert seen == sorted(seen)
    assert not (got.folder / "README.md").exists()


def test_what_is_here_is_not_asked_for_again(hub: Hub, behaviour: Behaviour, store: ModelStore) -> None:
    store.download(MODEL, address(hub))
    before = len(behaviour.asked)
    store.download(MODEL, address(hub))
    assert len(behaviour.asked) == before


def test_a_connection_that_breaks_is_taken_up_where_it_broke(
    hub: Hub, behaviour: Behaviour, store: ModelStore
) -> None:
    behaviour.breaks_after = [1500, 700]
    got = store.download(MODEL, address(hub))
    assert got.weights_path.read_bytes() == WEIGHTS
    # Each request is seen by the hub and by the server behind it.
    assert list(dict.fromkeys(behaviour.ranges)) == ["bytes=1500-", "bytes=2200-"]


def test_an_interrupted_download_goes_on_with_the_next_call(
    hub: Hub, behaviour: Behaviour, store: ModelStore
) -> None:
    behaviour.breaks_after = [1500]

    def interrupt(done: int, _: int) -> None:
        if done >= 1500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.download(MODEL, address(hub), interrupt)
    assert store.installed() == []
    assert store.download(MODEL, address(hub)).weights_path.read_bytes() == WEIGHTS
    assert behaviour.ranges[0] == "bytes=1500-"


def test_a_server_that_knows_no_ranges_sends_everything_again(
    hub: Hub, behaviour: Behaviour, store: ModelStore
) -> None:
    behaviour.knows_ranges = False
    behaviour.breaks_after = [1500]
    assert store.download(MODEL, address(hub)).weights_path.read_bytes() == WEIGHTS


def test_a_file_that_never_comes_to_its_end_is_an_error_and_what_came_is_kept(
    hub: Hub, behaviour: Behaviour, store: ModelStore
) -> None:
    behaviour.breaks_after = [100] * 20
    with pytest.raises(DownloadFailed, match="broke off at 500"):
        store.download(MODEL, address(hub))
    behaviour.breaks_after = []
    assert store.download(MODEL, address(hub)).weights_path.read_bytes() == WEIGHTS


@pytest.mark.parametrize("name", ["onnx/model.onnx", "tokenizer.json"])
def test_a_file_with_a_wrong_hash_is_refused_and_removed(
    hub: Hub, behaviour: Behaviour, store: ModelStore, name: str
) -> None:
    behaviour.sends[name] = bytes(reversed(behaviour.files[REPO][name]))
    with pytest.raises(DownloadFailed, match="its hash differs"):
        store.download(MODEL, address(hub))
    assert store.installed() == []
    kept = [path.name for path in store.folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    assert name.rpartition("/")[2] not in kept
    behaviour.sends.clear()
    assert store.download(MODEL, address(hub)).missing == []


def test_more_than_was_told_of_is_refused(hub: Hub, behaviour: Behaviour, store: ModelStore) -> None:
    behaviour.sends["onnx/model.onnx"] = WEIGHTS + b"more"
    with pytest.raises(DownloadFailed, match="sends more"):
        store.download(MODEL, address(hub))


def test_a_mirror_that_lists_no_hashes_names_them_with_the_files(
    hub: Hub, behaviour: Behaviour, store: ModelStore
) -> None:
    behaviour.names_hashes = False
    assert store.download(MODEL, address(hub)).weights_path.read_bytes() == WEIGHTS
    behaviour.sends["onnx/model.onnx"] = bytes(reversed(WEIGHTS))
    store.remove(MODEL.name)
    with pytest.raises(DownloadFailed, match="its hash differs"):
        store.download(MODEL, address(hub))


def test_the_key_is_shown_to_the_hub_and_not_to_where_it_points(
    hub: Hub, behaviour: Behaviour, store: ModelStore
) -> None:
    behaviour.key = "hf_secret"
    with pytest.raises(ProviderRefused, match="does not give") as refused:
        store.download(MODEL, address(hub))
    assert "HF_TOKEN" in refused.value.hint
    store.download(MODEL, address(hub, "hf_secret"))
    assert behaviour.keys_elsewhere == [None]


def test_without_a_network_the_error_names_the_way_with_a_folder(store: ModelStore) -> None:
    with pytest.raises(ProviderUnreachable, match="could not be reached") as error:
        store.download(MODEL, HubAddress("http://127.0.0.1:9"))
    assert "models add" in error.value.hint


def test_without_space_nothing_is_begun(
    hub: Hub, behaviour: Behaviour, store: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")

    def nearly_full(_: Path) -> object:
        return type(usage)(usage.total, usage.used, 50)

    monkeypatch.setattr(shutil, "disk_usage", nearly_full)
    with pytest.raises(DownloadFailed, match="are needed"):
        store.download(MODEL, address(hub))
    assert [path for _, path, _ in behaviour.asked if "resolve" in path] == []


def test_the_proxy_of_the_environment_is_asked(
    hub: Hub, behaviour: Behaviour, store: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", hub.url)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    store.download(MODEL, HubAddress("http://hub.invalid"))
    assert behaviour.asked[0][1].startswith("http://hub.invalid/api/models/")


def test_the_mirror_is_named_by_the_environment() -> None:
    assert HubAddress.of({}).endpoint == HUB
    mirror = HubAddress.of({"HF_ENDPOINT": "https://user:word@mirror.example/hf/", "HF_TOKEN": "hf_x"})
    assert (mirror.endpoint, mirror.token) == ("https://user:word@mirror.example/hf", "hf_x")
    assert mirror.shown == "https://mirror.example/hf"
    with pytest.raises(DownloadFailed, match="HF_ENDPOINT"):
        HubAddress.of({"HF_ENDPOINT": "ftp://mirror"})


def test_a_repository_without_ready_weights_says_how_to_export_them(
    hub: Hub, behaviour: Behaviour, store: ModelStore
) -> None:
    with pytest.raises(DownloadFailed, match="has no file") as error:
        store.download(replace(MODEL, weights=("model_q4.onnx",)), address(hub))
    assert "optimum-cli" in error.value.hint
    with pytest.raises(DownloadFailed, match="has no maker/gone"):
        store.download(replace(MODEL, repo="maker/gone"), address(hub))


def test_weights_in_several_files_come_together(hub: Hub, behaviour: Behaviour, store: ModelStore) -> None:
    behaviour.files[REPO]["onnx/model.onnx_data"] = WEIGHTS[::-1]
    got = store.download(MODEL, address(hub))
    assert (got.folder / "model.onnx_data").read_bytes() == WEIGHTS[::-1]


def test_a_folder_that_somebody_brought_is_added_and_a_changed_one_is_not(
    hub: Hub, store: ModelStore, tmp_path: Path
) -> None:
    got = store.download(MODEL, address(hub))
    brought = tmp_path / "stick" / MODEL.name
    shutil.copytree(got.folder, brought)
    store.remove(MODEL.name)
    added = store.add(brought)
    assert (added.files, added.revision, added.kind) == (got.files, COMMIT, ModelKind.EMBEDDER)
    with pytest.raises(UsageError, match="already"):
        store.add(brought)
    store.remove(MODEL.name)
    (brought / "model.onnx").write_bytes(b"changed")
    with pytest.raises(DownloadFailed, match="not those"):
        store.add(brought)
    assert store.installed() == []


def test_a_gguf_file_alone_is_a_chat_model(store: ModelStore, tmp_path: Path) -> None:
    file = tmp_path / "my-model.gguf"
    file.write_bytes(b"GGUF")
    added = store.add(file)
    assert (added.name, added.kind) == ("my-model", ModelKind.CHAT)
    assert chat_weights(store, "my-model").read_bytes() == b"GGUF"


@pytest.mark.parametrize("name", ["../outside", ".hidden", "a/b", ""])
def test_a_name_that_leads_elsewhere_is_refused(store: ModelStore, tmp_path: Path, name: str) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    if name:
        with pytest.raises(UsageError):
            store.add(file, name)
    assert store.get(name) is None


def test_a_record_that_leads_elsewhere_is_not_believed(store: ModelStore) -> None:
    folder = store.folder / "evil"
    folder.mkdir(parents=True)
    record: dict[str, Any] = {"name": "evil", "kind": "chat", "weights": "../../etc/passwd", "files": {}}
    (folder / RECORD).write_text(json.dumps(record))
    assert store.installed() == []


def test_a_model_that_lost_a_file_is_named(hub: Hub, store: ModelStore) -> None:
    got = store.download(MODEL, address(hub))
    got.weights_path.unlink()
    with pytest.raises(ModelNotFound, match=r"lacks model\.onnx"):
        store.require(MODEL.name)
    assert store.download(MODEL, address(hub)).missing == []


def test_the_table_is_complete() -> None:
    assert {model.kind for model in known().values()} == set(ModelKind)
    for model in known().values():
        assert model.source.startswith("https://")
        assert (model.form is ModelForm.GGUF) == (model.kind is ModelKind.CHAT)
        assert (model.dimensions is not None) == (model.kind is ModelKind.EMBEDDER)
        assert model.licence
        assert model.measured
        assert 0 < model.max_tokens <= model.tokens
    assert find("QWEN2.5-1.5b-instruct").name == "qwen2.5-1.5b-instruct"
    with pytest.raises(ModelNotFound) as error:
        find("multilingual-e5-smal")
    assert "multilingual-e5-small" in error.value.hint


def test_the_page_names_every_model_with_its_licence_and_source() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "models.md").read_text("utf-8")
    rows = {row.split("`")[1]: row for row in page.splitlines() if row.startswith("| `")}
    for model in known().values():
        row = rows[model.name]
        assert all(
            part in row for part in (model.licence, model.source, f"{model.size_mb:,}", model.measured)
        )
        assert ("not for commercial use" in row) != model.commercial


def test_what_cannot_be_run_here_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr("sourcebook.providers.catalogue.known_models.find_spec", nothing)
    for kind, extra in (("chat", "local"), ("embedder", "onnx"), ("judge", "onnx")):
        with pytest.raises(ProviderMissing) as error:
            require_runtime(kind)
        assert f"sourcebook[{extra}]" in error.value.hint
