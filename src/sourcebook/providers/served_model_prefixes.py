"""What is known of models that others serve: how long their vectors are, and what is put before a text.

The prefixes are part of how a model was trained: without them it finds markedly less.
"""

from __future__ import annotations

from dataclasses import dataclass

from sourcebook.ports.providers import TextRole

COMPOSITION = "child+0.5*title;mean(passage,best child)"
"""How vectors are put together from those that a model gives; part of what makes two vectors comparable."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What is put before a question, and before a text that may answer it."""

    question: str = ""
    passage: str = ""

    def on(self, text: str, role: TextRole) -> str:
        return (self.question if role is TextRole.QUESTION else self.passage) + text

    @property
    def recipe(self) -> str:
        """How vectors are made, so that vectors made with other prefixes are known to be others."""
        if self == Prefixes():
            return COMPOSITION
        return f"{COMPOSITION};question {self.question!r};passage {self.passage!r}"


_SEARCHING = "Represent this sentence for searching relevant passages: "
# By a part of the model's name, in small letters; the first that fits.
_PREFIXES: tuple[tuple[str, Prefixes], ...] = (
    ("e5-", Prefixes("query: ", "passage: ")),
    ("nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    ("mxbai-embed-large", Prefixes(_SEARCHING)),
    ("snowflake-arctic-embed2", Prefixes("query: ")),
    ("snowflake-arctic-embed-l-v2", Prefixes("query: ")),
    ("snowflake-arctic-embed-m-v2", Prefixes("query: ")),
    ("snowflake-arctic-embed", Prefixes(_SEARCHING)),
    ("bge-small-en", Prefixes(_SEARCHING)),
    ("bge-base-en", Prefixes(_SEARCHING)),
    ("bge-large-en", Prefixes(_SEARCHING)),
)
# Instruction-tuned relatives of E5 want an instruction of their own instead.
_NOT_E5 = ("e5-mistral", "instruct")

_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "nomic-embed-text": 768,
    "mxbai-embed-large": 1024,
    "snowflake-arctic-embed2": 1024,
    "all-minilm": 384,
    "bge-m3": 1024,
}
_CAN_BE_CUT = ("text-embedding-3-",)


def prefixes_of(name: str) -> Prefixes:
    """The prefixes that a model of this name was trained with; none for one that is not known."""
    small = name.lower()
    if any(part in small for part in _NOT_E5):
        return Prefixes()
    return next((prefixes for part, prefixes in _PREFIXES if part in small), Prefixes())


def dimensions_of(name: str) -> int | None:
    """The size of the model's vectors, if it is known without asking. A tag such as `:latest` does not matter."""
    return _DIMENSIONS.get(name.partition(":")[0].rpartition("/")[2].lower())


def can_be_cut(name: str) -> bool:
    """Whether a server may be asked for shorter vectors of this model."""
    return name.startswith(_CAN_BE_CUT)
