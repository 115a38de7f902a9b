"""Words on their way into a base and out of it, and BM25 over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sourcebook.text.analysis import analyse_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Measured together with the title in every passage: see docs/decisions/0012-fusion-and-rerank.md.
K1 = 0.9
B = 0.4
MOST_OFTEN = 65535


@dataclass(frozen=True, slots=True)
class WordCount:
    """How often each stem occurs in a text, and how many words the text has in all."""

    frequencies: Mapping[str, int] = field(default_factory=dict[str, int])
    length: int = 0

    @classmethod
    def of(cls, text: str, language: str | None) -> WordCount:
        analysed = analyse_text(text, language)
        return cls(as_stored(Counter(analysed.terms)), analysed.length)

    @classmethod
    def of_passage(cls, content: str, title: str | None, language: str | None) -> WordCount:
        """The words of a passage and those of its document's title, which it often does not repeat."""
        return cls.of(f"{title}\n{content}" if title else content, language)

    @classmethod
    def of_document(cls, content: str, title: str | None, language: str | None) -> WordCount:
        """The words of a document. Its title counts twice: it says what all of it is about."""
        return cls.of(f"{title}\n{title}\n{content}" if title else content, language)


def as_stored(frequencies: Mapping[str, int]) -> Mapping[str, int]:
    """The frequencies, none above what is stored: hardly any text says one word so often."""
    if max(frequencies.values(), default=0) <= MOST_OFTEN:
        return frequencies
    return {stem: min(n, MOST_OFTEN) for stem, n in frequencies.items()}


class TermIds(bytes):
    """Ascending ids of terms: u32, little endian. A database with arrays keeps them as one."""

    __slots__ = ()


class Frequencies(bytes):
    """How often each of those terms occurs: u16, little endian."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class EncodedWords:
    """A word count as stored."""

    NONE: ClassVar[EncodedWords]

    term_ids: TermIds
    frequencies: Frequencies

    @classmethod
    def of(cls, count: WordCount, ids: Mapping[str, int]) -> EncodedWords:
        terms = np.array([ids[stem] for stem in count.frequencies], dtype="<u4")
        often = np.array(list(count.frequencies.values()), dtype="<u2")
        order = np.argsort(terms)
        return cls(TermIds(terms[order].tobytes()), Frequencies(often[order].tobytes()))


EncodedWords.NONE = EncodedWords(TermIds(), Frequencies())


def decode_ids(blob: bytes | bytearray) -> NDArray[np.uint32]:
    return np.frombuffer(blob, dtype="<u4")


def decode_frequencies(blob: bytes | bytearray) -> NDArray[np.uint16]:
    return np.frombuffer(blob, dtype="<u2")


def idf(rows: int, holding: int) -> float:
    """How much a term tells that `holding` of `rows` texts hold."""
    return float(np.log1p((rows - holding + 0.5) / (holding + 0.5)))


def norms(lengths: NDArray[np.float64], average_length: float) -> NDArray[np.float64]:
    """How often a term must occur in texts of these lengths to count half."""
    return K1 * (1 - B + B * lengths / average_length)


def saturation(
    frequencies: NDArray[np.float64], lengths: NDArray[np.float64], average_length: float
) -> NDArray[np.float64]:
    """How much a term counts that occurs so often in texts of these lengths: from 0 towards 1."""
    return saturated(frequencies, norms(lengths, average_length))


def saturated(frequencies: NDArray[np.float64], norms: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for texts whose norms are known."""
    return frequencies / (frequencies + norms)
