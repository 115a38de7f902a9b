"""Policies in a YAML file: from which collections questions about an entity are answered.

entities:
  news:
    collections: [news, press]
    max_chunks: 5      # optional, as are the others
    min_score: 0.3
    max_characters: 6000
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from sourcebook.errors import BadPolicy, PathNotFound

DEFAULT_PATH = Path("data/policies/rag.yaml")
_KEYS = ("collections", "max_chunks", "min_score", "max_characters")


@dataclass(frozen=True, slots=True)
class Policy:
    """The policy of one entity. None leaves a value to the caller."""

    collections: tuple[str, ...]
    max_chunks: int | None = None
    min_score: float | None = None
    max_characters: int | None = None


def load_policies(path: str | os.PathLike[str] | None = None) -> dict[str, Policy]:
    """The policies in a file by entity. Without a path, those of `data/policies/rag.yaml` if it exists."""
    chosen = DEFAULT_PATH if path is None else Path(path)
    try:
        text = chosen.read_text("utf-8-sig")
    except FileNotFoundError:
        if path is None:
            return {}
        raise PathNotFound(f"There is no policy file {chosen}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadPolicy(f"{chosen} cannot be read: {error}") from None
    try:
        return _policies(yaml.safe_load(text))
    except RecursionError:
        raise BadPolicy(f"{chosen} is nested too deeply.") from None
    except yaml.YAMLError as error:
        raise BadPolicy(f"{chosen} is not YAML: {' '.join(str(error).split())}") from None
    except _Wrong as error:
        raise BadPolicy(f"{chosen}: {error}") from None


class _Wrong(Exception):
    """What a file says makes no sense."""


def _policies(document: object) -> dict[str, Policy]:
    entities = _mapping(_mapping(document, "the file").get("entities"), "`entities`")
    return {name: _policy(name, entry) for name, entry in entities.items()}


def _policy(name: str, entry: object) -> Policy:
    where = f"entities.{name}"
    given = _mapping(entry, where)
    if unknown := sorted(set(given) - set(_KEYS)):
        raise _Wrong(f"{where} has {unknown[0]!r}; allowed are {', '.join(_KEYS)}")
    return Policy(
        _names(given.get("collections"), f"{where}.collections"),
        _count(given.get("max_chunks"), f"{where}.max_chunks"),
        _number(given.get("min_score"), f"{where}.min_score"),
        _count(given.get("max_characters"), f"{where}.max_characters"),
    )


def _mapping(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _Wrong(f"{where} must be a mapping of names to values")
    entries = cast("dict[Any, object]", value)
    if strange := [key for key in entries if not isinstance(key, str)]:
        raise _Wrong(f"{where} has the name {strange[0]!r}, which is not text: put it in quotes")
    return entries


def _names(value: object, where: str) -> tuple[str, ...]:
    names = [cast("object", value)] if isinstance(value, str) else value
    if not isinstance(names, list) or not names:
        raise _Wrong(f"{where} must be a list of collections")
    listed = cast("list[object]", names)
    if not all(isinstance(name, str) and name.strip() for name in listed):
        raise _Wrong(f"{where} must contain names of collections")
    return tuple(dict.fromkeys(cast("list[str]", listed)))


def _count(value: object, where: str) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _Wrong(f"{where} must be a whole number of at least 1")
    return value


def _number(value: object, where: str) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise _Wrong(f"{where} must be a number")
    return float(value)
