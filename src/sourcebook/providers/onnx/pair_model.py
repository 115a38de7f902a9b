"""A model that reads two texts together, such as a question and a passage."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sourcebook.errors import BadProviderAnswer
from sourcebook.providers.embedding_batches import by_length, cores
from sourcebook.providers.onnx.session import load_tokenizer, open_session
from sourcebook.providers.running_calls import RUNNING_CALLS
from sourcebook.providers.vector_checks import readable

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PAIRS_AT_A_TIME = 8


@dataclass(frozen=True, slots=True)
class PairFiles:
    """Where such a model lies, and how much it reads."""

    weights: Path
    tokenizer: Path
    max_tokens: int

    @property
    def labels(self) -> dict[str, int]:
        """What the outputs of a classifier stand for, in small letters, as its config.json says."""
        try:
            said = json.loads((self.tokenizer.parent / "config.json").read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        named = cast("dict[str, Any]", said).get("id2label") if isinstance(said, dict) else None
        pairs = cast("dict[str, str]", named or {}).items()
        return {label.lower(): int(number) for number, label in pairs if number.isdecimal()}


@dataclass(frozen=True, slots=True)
class PairOutput:
    """What the model made of one pair: an array for each of its outputs, and where the tokens stand in the texts."""

    outputs: Sequence[NDArray[np.float32]]
    offsets: Sequence[tuple[int, int]]
    sequence_ids: Sequence[int | None]


class PairModel:
    """Loaded when it is first used; several threads may use it at once. Only the second text is cut."""

    def __init__(self, find: Callable[[], PairFiles]) -> None:
        self._find = find
        self._lock = Lock()
        self._loaded: tuple[Any, Any, frozenset[str]] | None = None
        self._files: PairFiles | None = None

    @property
    def files(self) -> PairFiles:
        if self._files is None:
            self._files = self._find()
        return self._files

    def warm(self) -> None:
        """Load it now, so that loading is not counted as judging."""
        self._ready()

    def run(
        self, pairs: Sequence[tuple[str, str]], stop: Callable[[], bool] = lambda: False
    ) -> list[PairOutput]:
        """What the model makes of each pair, in their order; fewer if it is told to stop in between."""
        with RUNNING_CALLS.one():
            session, tokenizer, inputs = self._ready()
            done: list[PairOutput] = []
            for start in range(0, len(pairs), _PAIRS_AT_A_TIME):
                if stop():
                    break
                done += self._batch(session, tokenizer, inputs, pairs[start : start + _PAIRS_AT_A_TIME])
            return done

    def _ready(self) -> tuple[Any, Any, frozenset[str]]:
        with self._lock:
            if self._loaded is None:
                tokenizer = load_tokenizer(self.files.tokenizer)
                tokenizer.enable_truncation(self.files.max_tokens, strategy="only_second")
                session = open_session(self.files.weights, threads=cores())
                self._loaded = session, tokenizer, frozenset(given.name for given in session.get_inputs())
            return self._loaded

    def _batch(
        self, session: Any, tokenizer: Any, inputs: frozenset[str], pairs: Sequence[tuple[str, str]]
    ) -> list[PairOutput]:
        """Pairs of like length go together, so that little is filled up."""
        results: dict[int, PairOutput] = {}
        texts = [first + second for first, second in pairs]
        for positions in by_length(texts, _PAIRS_AT_A_TIME):
            read = [self._encoded(tokenizer, *pairs[position]) for position in positions]
            longest = max(len(one.ids) for one in read)
            known = {
                "input_ids": [_filled(one.ids, longest) for one in read],
                "attention_mask": [_filled(one.attention_mask, longest) for one in read],
                "token_type_ids": [_filled(one.type_ids, longest) for one in read],
            }
            if unknown := inputs - known.keys():
                raise BadProviderAnswer(
                    f"The model needs the input {min(unknown)!r}, which texts cannot provide."
                )
            feed = {name: np.array(known[name], dtype=np.int64) for name in inputs}
            made = cast("list[NDArray[np.float32]]", session.run(None, feed))
            for row, position in enumerate(positions):
                outputs = [np.asarray(one[row], dtype=np.float32) for one in made]
                results[position] = PairOutput(outputs, read[row].offsets, read[row].sequence_ids)
        return [results[position] for position in range(len(pairs))]

    def _encoded(self, tokenizer: Any, first: str, second: str) -> Any:
        # A question that leaves no room for a passage is cut too.
        return tokenizer.encode(readable(first)[: self.files.max_tokens], readable(second))


def _filled(numbers: Sequence[int], length: int) -> list[int]:
    return [*numbers, *[0] * (length - len(numbers))]
