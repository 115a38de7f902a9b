"""The table of known models, read from `models.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from importlib import resources
from importlib.util import find_spec
from typing import Any

from sourcebook.errors import ModelNotFound, ProviderMissing
from sourcebook.providers.served_model_prefixes import Prefixes


class ModelKind(StrEnum):
    """What a model is for."""

    EMBEDDER = "embedder"
    RERANKER = "reranker"
    READER = "reader"
    JUDGE = "judge"
    CHAT = "chat"


class ModelForm(StrEnum):
    """What runs it."""

    ONNX = "onnx"
    STATIC = "static"
    GGUF = "gguf"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model of the table: what it is, where it comes from, and how it wants to be used."""

    name: str
    kind: ModelKind
    repo: str
    weights: tuple[str, ...]
    languages: str
    size_mb: int
    licence: str
    source: str
    good_for: str
    tokens: int
    form: ModelForm = ModelForm.ONNX
    commercial: bool = True
    dimensions: int | None = None
    used_tokens: int | None = None
    pooling: str = "mean"
    question_prefix: str = ""
    passage_prefix: str = ""
    measured: str = "not measured by us"

    @property
    def prefixes(self) -> Prefixes:
        return Prefixes(self.question_prefix, self.passage_prefix)

    @property
    def max_tokens(self) -> int:
        """How much of a text is read. Passages are short, and memory grows with the square of what is read."""
        return self.used_tokens or self.tokens

    def as_dict(self) -> dict[str, object]:
        """The shape in which `models list --json` prints it."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "weights"}


@cache
def known() -> Mapping[str, KnownModel]:
    """All models of the table by their names, in its order."""
    text = (resources.files("sourcebook.providers.catalogue") / "models.toml").read_text("utf-8")
    return {name: _model(name, row) for name, row in tomllib.loads(text).items()}


def find(name: str) -> KnownModel:
    """The model of this name, in letters of any size, or an error that names the nearest."""
    for one, model in known().items():
        if one.casefold() == name.casefold():
            return model
    near = get_close_matches(name, list(known()), n=1, cutoff=0.5)
    hint = f"Did you mean `{near[0]}`?" if near else "`sourcebook models list` shows the models."
    raise ModelNotFound(f"There is no model {name!r} in the table.", hint=hint)


def is_known(name: str) -> bool:
    return any(one.casefold() == name.casefold() for one in known())


def require_runtime(kind: str) -> None:
    """An error if the packages that run such models are not installed."""
    extra, packages = (
        ("local", ("xllamacpp",)) if kind == ModelKind.CHAT else ("onnx", ("onnxruntime", "tokenizers"))
    )
    if missing := [package for package in packages if find_spec(package) is None]:
        raise ProviderMissing(
            f"Models of the kind {kind} need {' and '.join(missing)}.",
            hint=f'Run `pip install "sourcebook[{extra}]"`.',
        )


def _model(name: str, row: dict[str, Any]) -> KnownModel:
    kind = ModelKind(row.pop("kind"))
    form = ModelForm(row.pop("form", ModelForm.GGUF if kind is ModelKind.CHAT else ModelForm.ONNX))
    return KnownModel(name=name, kind=kind, form=form, weights=tuple(row.pop("weights")), **row)
