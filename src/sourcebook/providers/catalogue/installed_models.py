"""The models of this machine: a folder for each, with a record of where it came from and what its files are."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sourcebook.errors import DownloadFailed, ModelNotFound, PathNotFound, UsageError
from sourcebook.providers.catalogue.known_models import ModelForm, ModelKind, find, is_known
from sourcebook.providers.hub.download import Download, sha256_of
from sourcebook.providers.hub.repository_listing import HubAddress

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcebook.providers.catalogue.known_models import KnownModel
    from sourcebook.providers.hub.repository_listing import HubFile, Repository

RECORD = "sourcebook-model.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_BESIDE = {
    ModelForm.ONNX: ("tokenizer.json", "config.json"),
    ModelForm.STATIC: ("tokenizer.json", "config.json"),
    ModelForm.GGUF: (),
}
_REQUIRED = "tokenizer.json"
_SPARE_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model on this machine. `files` maps each of its files to its SHA-256."""

    name: str
    kind: ModelKind
    folder: Path
    weights: str
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    repo: str | None = None
    revision: str | None = None
    size: int = 0

    @property
    def weights_path(self) -> Path:
        return self.folder / self.weights

    @property
    def missing(self) -> list[str]:
        """The files that are no longer there."""
        return [name for name in self.files if not (self.folder / name).is_file()]

    def as_dict(self) -> dict[str, Any]:
        """The shape of its record."""
        return {
            "name": self.name,
            "kind": self.kind.value,
            "weights": self.weights,
            "repo": self.repo,
            "revision": self.revision,
            "size": self.size,
            "files": dict(self.files),
        }


@dataclass(frozen=True, slots=True)
class ModelStore:
    """The folder of all models. Several bases and processes may share it."""

    folder: Path

    def installed(self) -> list[InstalledModel]:
        """What is here, by name."""
        return sorted(self._records(), key=lambda one: one.name.casefold())

    def get(self, name: str) -> InstalledModel | None:
        return next((one for one in self._records() if one.name.casefold() == name.casefold()), None)

    def require(self, name: str, kind: ModelKind | None = None) -> InstalledModel:
        """The installed model of this name, all of whose files are there."""
        found = self.get(name)
        if found is None:
            hint = (
                f"Run `sourcebook models get {name}`."
                if is_known(name)
                else "`sourcebook models list` shows them."
            )
            raise ModelNotFound(f"The model {name!r} is not installed.", hint=hint)
        if missing := found.missing:
            raise ModelNotFound(
                f"The model {name} lacks {', '.join(missing)}.",
                hint=f"Run `sourcebook models remove {name}` and get or add it again.",
            )
        if kind is not None and found.kind is not kind:
            raise UsageError(f"{name} is a model of the kind {found.kind.value}, not {kind.value}.")
        return found

    def download_named(
        self, name: str, on_progress: Callable[[int, int], None] | None = None
    ) -> InstalledModel:
        """Bring the known model of this name here, from the hub that the environment names."""
        return self.download(find(name), HubAddress.of(), on_progress)

    def add_kind(self, source: Path, name: str | None, kind: str | None) -> InstalledModel:
        """The same as `add`, with the kind as a word."""
        try:
            return self.add(source, name, ModelKind(kind) if kind else None)
        except ValueError:
            kinds = ", ".join(ModelKind)
            raise UsageError(f"There is no kind of model {kind!r}.", hint=f"It is one of {kinds}.") from None

    def download(
        self, model: KnownModel, address: HubAddress, on_progress: Callable[[int, int], None] | None = None
    ) -> InstalledModel:
        """Bring a known model here. What came in an earlier try is not brought again."""
        if (found := self.get(model.name)) is not None and not found.missing:
            return found
        repository = address.repository(model.repo)
        wanted = _wanted(model, repository)
        with self._claimed(model.name) as incoming:
            downloads = [Download(address, repository, file, incoming / _flat(file)) for file in wanted]
            _require_space(incoming, sum(d.file.size - min(d.here, d.file.size) for d in downloads))
            hashes = _brought(downloads, on_progress)
            return self._finish(
                incoming,
                InstalledModel(
                    model.name,
                    model.kind,
                    self.folder / model.name,
                    downloads[0].target.name,
                    hashes,
                    model.repo,
                    repository.commit,
                    sum(file.size for file in wanted),
                ),
            )

    def add(self, source: Path, name: str | None = None, kind: ModelKind | None = None) -> InstalledModel:
        """Take a model from a folder or a file that somebody brought. If it has a record, its hashes must be right."""
        if not source.exists():
            raise PathNotFound(f"There is no {str(source)!r}.")
        record = _read_record(source) if source.is_dir() else None
        chosen = name or (
            record.name if record else source.stem if source.is_file() else source.resolve().name
        )
        if not _NAME.fullmatch(chosen):
            raise UsageError(
                f"{chosen!r} cannot be the name of a model.", hint="Choose another with `--name`."
            )
        if self.get(chosen) is not None:
            raise UsageError(
                f"There is already a model {chosen}.", hint=f"Run `sourcebook models remove {chosen}`."
            )
        kind = kind or (
            record.kind if record else find(chosen).kind if is_known(chosen) else _kind_of(source)
        )
        with self._claimed(chosen) as incoming:
            _copy(source, incoming)
            weights = record.weights if record else _weights_in(incoming, kind)
            hashes = {path.relative_to(incoming).as_posix(): sha256_of(path) for path in _files(incoming)}
            if record and any(hashes.get(path) != right for path, right in record.files.items()):
                shutil.rmtree(incoming)
                raise DownloadFailed(
                    f"The files in {source} are not those that its {RECORD} tells of.",
                    hint="Copy them again.",
                )
            size = sum(path.stat().st_size for path in _files(incoming))
            came_from = (record.repo, record.revision) if record else (None, None)
            return self._finish(
                incoming,
                InstalledModel(chosen, kind, self.folder / chosen, weights, hashes, *came_from, size),
            )

    def remove(self, name: str) -> InstalledModel:
        found = self.get(name)
        if found is None:
            raise ModelNotFound(f"The model {name!r} is not installed.")
        shutil.rmtree(found.folder)
        return found

    def _records(self) -> Iterator[InstalledModel]:
        if not self.folder.is_dir():
            return
        for folder in self.folder.iterdir():
            if not folder.name.startswith(".") and (found := _read_record(folder)) is not None:
                yield found

    @contextmanager
    def _claimed(self, name: str) -> Generator[Path]:
        """The folder where a model's files come together. Nobody else works on it meanwhile."""
        incoming = self.folder / f".{name}.incoming"
        incoming.mkdir(parents=True, exist_ok=True)
        with (self.folder / f".{name}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise DownloadFailed(
                    f"Another process is bringing {name} here.", hint="Wait for it to finish."
                ) from None
            yield incoming
        Path(lock.name).unlink(missing_ok=True)

    def _finish(self, incoming: Path, model: InstalledModel) -> InstalledModel:
        """Make a complete folder visible, all at once."""
        (incoming / RECORD).write_text(json.dumps(model.as_dict(), indent=1) + "\n", "utf-8")
        if model.folder.exists():
            shutil.rmtree(model.folder)
        incoming.replace(model.folder)
        return model


def _wanted(model: KnownModel, repository: Repository) -> list[HubFile]:
    """The files of a model, its weights first."""
    names = sorted(repository.files)
    weights = next(
        (name for pattern in model.weights for name in names if fnmatchcase(name.lower(), pattern.lower())),
        None,
    )
    if weights is None:
        raise DownloadFailed(
            f"{model.repo} has no file {' or '.join(model.weights)}.",
            hint=f"Export it: `optimum-cli export onnx --model {model.repo} FOLDER`, then "
            f"`sourcebook models add FOLDER --name {model.name}`.",
        )
    beside = [_nearest(name, weights, names) for name in _BESIDE[model.form]]
    if _REQUIRED in _BESIDE[model.form] and beside[0] is None:
        raise DownloadFailed(f"{model.repo} has no {_REQUIRED}, without which its weights are of no use.")
    # Weights over two gigabytes lie in files of their own, named after the model.
    more = [name for name in names if name.startswith((f"{weights}_data", f"{weights}.data"))]
    chosen = [weights, *more, *(name for name in beside if name is not None)]
    return [repository.files[name] for name in chosen]


def _nearest(name: str, weights: str, names: list[str]) -> str | None:
    """A file beside the weights, else one at the top."""
    folder = weights.rpartition("/")[0]
    return next((path for path in (name, f"{folder}/{name}") if path in names), None)


def _flat(file: HubFile) -> str:
    """All files of a model lie in one folder: `onnx/model.onnx` is `model.onnx` here."""
    return file.path.rpartition("/")[2]


def _brought(downloads: list[Download], on_progress: Callable[[int, int], None] | None) -> dict[str, str]:
    total = sum(one.file.size for one in downloads)
    done = 0
    hashes: dict[str, str] = {}
    for one in downloads:
        before = done

        def tell(here: int, before: int = before) -> None:
            if on_progress is not None:
                on_progress(before + here, total)

        hashes[one.target.name] = one.run(tell)
        done += one.file.size
        tell(one.file.size)
    return hashes


def _require_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + _SPARE_BYTES:
        raise DownloadFailed(
            f"{needed // 1_000_000:,} MB are needed in {folder.parent}, and {free // 1_000_000:,} MB are free.",
            hint="Free some space, or set `models_folder` to another disk.",
        )


def _read_record(folder: Path) -> InstalledModel | None:
    try:
        said = json.loads((folder / RECORD).read_text("utf-8"))
        files = cast("dict[str, str]", said["files"])
        if any(Path(path).is_absolute() or ".." in Path(path).parts for path in (*files, said["weights"])):
            return None
        return InstalledModel(
            said["name"],
            ModelKind(said["kind"]),
            folder,
            said["weights"],
            files,
            said.get("repo"),
            said.get("revision"),
            int(said.get("size", 0)),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != RECORD)


def _copy(source: Path, incoming: Path) -> None:
    shutil.rmtree(incoming)
    try:
        if source.is_file():
            incoming.mkdir()
            shutil.copy2(source, incoming / source.name)
        else:
            shutil.copytree(source, incoming, symlinks=False)
    except OSError as error:
        shutil.rmtree(incoming, ignore_errors=True)
        raise DownloadFailed(f"{source} could not be copied: {os.strerror(error.errno or 0)}.") from error


def _kind_of(source: Path) -> ModelKind:
    files = [source] if source.is_file() else _files(source)
    return ModelKind.CHAT if any(path.suffix == ".gguf" for path in files) else ModelKind.EMBEDDER


def _weights_in(folder: Path, kind: ModelKind) -> str:
    """The one file of weights in a folder that somebody brought."""
    suffixes = (".gguf",) if kind is ModelKind.CHAT else (".onnx", ".safetensors")
    for suffix in suffixes:
        found = [path.relative_to(folder).as_posix() for path in _files(folder) if path.suffix == suffix]
        if len(found) == 1 or any(name.endswith("model.onnx") for name in found):
            return next((name for name in found if name.endswith("model.onnx")), found[0])
        if found:
            shutil.rmtree(folder)
            raise UsageError(
                f"There are several files of weights: {', '.join(found)}.",
                hint="Leave one of them in the folder.",
            )
    shutil.rmtree(folder)
    raise UsageError(
        f"There is no file {' or '.join('*' + suffix for suffix in suffixes)}.",
        hint="Bring a folder with the weights and tokenizer.json, or a GGUF file.",
    )
