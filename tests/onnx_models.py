"""Small models in the ONNX format, built as the large ones are: words and places, attention over what is no filling,
and what each kind of model has at its end. Beside each stands the same computation in plain numpy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "query",
    "passage",
    "search_query",
    "search_document",
    ":",
    "the",
    "a",
    "raspberry",
    "raspberries",
    "strawberry",
    "soil",
    "is",
    "are",
    "cut",
    "in",
    "autumn",
    "spring",
    "water",
    "plant",
    "when",
    "how",
    "deep",
    "acid",
    "not",
    "never",
    "always",
    "green",
    "door",
    ".",
    "?",
]
DIMENSIONS = 8
LONGEST = 2048
Floats = NDArray[np.float32]


def _chance(name: str, *shape: int) -> Floats:
    seed = sum(ord(letter) * place for place, letter in enumerate(name, start=1))
    return np.random.default_rng(seed).normal(0, 0.7, shape).astype(np.float32)


def weights(dimensions: int = DIMENSIONS) -> dict[str, Floats]:
    square = (dimensions, dimensions)
    return {
        "words": _chance("words", len(WORDS), dimensions),
        "places": _chance("places", LONGEST, dimensions),
        "query": _chance("query", *square),
        "key": _chance("key", *square),
        "value": _chance("value", *square),
    }


def hidden(ids: list[int], dimensions: int = DIMENSIONS) -> Floats:
    """The vectors of the tokens of one text, as the model computes them."""
    table = weights(dimensions)
    read = table["words"][ids] + table["places"][: len(ids)]
    scores = (read @ table["query"]) @ (read @ table["key"]).T / np.sqrt(np.float32(dimensions))
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return read + (powers / powers.sum(axis=1, keepdims=True)) @ (read @ table["value"])


def head(name: str, outputs: int, dimensions: int = DIMENSIONS) -> Floats:
    return _chance(f"head {name}", dimensions, outputs)


def tokenizer(*, pairs: bool = False) -> Any:
    import tokenizers

    library: Any = tokenizers
    numbers = {word: number for number, word in enumerate(WORDS)}
    made = library.Tokenizer(library.models.WordLevel(numbers, unk_token="[UNK]"))
    made.normalizer = library.normalizers.Lowercase()
    made.pre_tokenizer = library.pre_tokenizers.Sequence(
        [
            library.pre_tokenizers.WhitespaceSplit(),
            library.pre_tokenizers.Split(library.Regex(r"[:.?]"), "isolated"),
        ]
    )
    special = [(name, numbers[name]) for name in ("[CLS]", "[SEP]")]
    made.post_processor = library.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1" if pairs else None, special_tokens=special
    )
    return made


def write(folder: Path, kind: str, dimensions: int = DIMENSIONS, *, labels: list[str] | None = None) -> Path:
    """A folder with a model of this kind: `encoder`, `reranker`, `reader` or `judge`."""
    import onnx

    library: Any = onnx
    folder.mkdir(parents=True, exist_ok=True)
    library.save(_model(library, kind, dimensions), str(folder / "model.onnx"))
    tokenizer(pairs=kind != "encoder").save(str(folder / "tokenizer.json"))
    config: dict[str, Any] = {"hidden_size": dimensions}
    if labels:
        config["id2label"] = {str(number): label for number, label in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def _model(library: Any, kind: str, dimensions: int) -> Any:
    make = library.helper
    float_type, int_type = library.TensorProto.FLOAT, library.TensorProto.INT64
    held = weights(dimensions) | {
        "scale": np.array(np.sqrt(np.float32(dimensions))),
        "far": np.array(-1e9, np.float32),
        "one": np.array(1.0, np.float32),
    }
    node = make.make_node
    nodes = [
        node("Gather", ["words", "input_ids"], ["read_words"]),
        node("Shape", ["input_ids"], ["shape"]),
        node("Gather", ["shape", "i_one"], ["length"], axis=0),
        node("Slice", ["places", "i_zero_row", "length_row", "i_zero_row"], ["own_places"]),
        node("Unsqueeze", ["length", "i_zero_row"], ["length_row"]),
        node("Add", ["read_words", "own_places"], ["read"]),
        node("MatMul", ["read", "query"], ["q"]),
        node("MatMul", ["read", "key"], ["k"]),
        node("MatMul", ["read", "value"], ["v"]),
        node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
        node("MatMul", ["q", "kt"], ["raw"]),
        node("Div", ["raw", "scale"], ["scaled"]),
        node("Cast", ["attention_mask"], ["mask"], to=float_type),
        node("Sub", ["one", "mask"], ["filling"]),
        node("Mul", ["filling", "far"], ["distance"]),
        node("Unsqueeze", ["distance", "i_one_row"], ["distance_row"]),
        node("Add", ["scaled", "distance_row"], ["masked"]),
        node("Softmax", ["masked"], ["shares"], axis=2),
        node("MatMul", ["shares", "v"], ["mixed"]),
        node("Add", ["read", "mixed"], ["last_hidden_state"]),
    ]
    nodes.insert(3, nodes.pop(4))
    outputs: list[Any] = []
    whole = {
        "i_one": np.array(1),
        "i_zero_row": np.array([0]),
        "i_one_row": np.array([1]),
    }
    if kind == "encoder":
        outputs = [make.make_tensor_value_info("last_hidden_state", float_type, ["b", "t", dimensions])]
    elif kind == "reader":
        for name in ("start_logits", "end_logits"):
            held[f"head_{name}"] = head(name, 1, dimensions)[:, 0]
            nodes.append(node("MatMul", ["last_hidden_state", f"head_{name}"], [name]))
            outputs.append(make.make_tensor_value_info(name, float_type, ["b", "t"]))
    else:
        count = 1 if kind == "reranker" else 3
        held["head"] = head(kind, count, dimensions)
        nodes += [
            node("Gather", ["last_hidden_state", "i_zero"], ["first"], axis=1),
            node("MatMul", ["first", "head"], ["logits"]),
        ]
        whole["i_zero"] = np.array(0)
        outputs = [make.make_tensor_value_info("logits", float_type, ["b", count])]
    inputs = [
        make.make_tensor_value_info(name, int_type, ["b", "t"]) for name in ("input_ids", "attention_mask")
    ]
    tensors = [library.numpy_helper.from_array(array, name) for name, array in held.items()]
    tensors += [
        library.numpy_helper.from_array(array.astype(np.int64), name) for name, array in whole.items()
    ]
    graph = make.make_graph(nodes, kind, inputs, outputs, tensors)
    opset = [make.make_opsetid("", 17)]
    return make.make_model(graph, opset_imports=opset, ir_version=8)
