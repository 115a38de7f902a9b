"""The words of a document and of its passages, each part of the text read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise

from sourcebook.storage.index.bm25 import WordCount, as_stored
from sourcebook.text.analysis import AnalysedText, analyse_content
from sourcebook.text.case_and_accents import folded

Span = tuple[int, int]
# Words that are one word although there is a space in them: see `text.spellings`.
_PARTS_OF_WORDS = ("wi", "вай")
_NEAR = 8


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """How often a document says each word, and each of its passages."""

    of_document: WordCount
    of_passages: Sequence[WordCount]

    @classmethod
    def of(
        cls, content: str, title: str | None, language: str | None, passages: Sequence[Span]
    ) -> DocumentWords:
        """What `WordCount` counts in all of the text and in these spans of it, one by one.

        Passages overlap, and the document holds all of them: so the text is taken apart where any of them begins or
        ends, and what the parts say is put together. A span that reaches beyond the text ends with it, as a slice does.
        """
        passages = [slice(*span).indices(len(content))[:2] for span in passages]
        cuts = sorted({0, len(content), *chain.from_iterable(passages)})
        if not title and passages == [(0, len(content))]:
            only = WordCount.of_document(content, title, language)
            return cls(only, [only])
        if len(passages) < 2 or not all(_parts_words(content, cut) for cut in cuts[1:-1]):
            return cls(
                WordCount.of_document(content, title, language),
                [WordCount.of_passage(content[start:end], title, language) for start, end in passages],
            )
        analysed = partial(analyse_content, language=language)
        number = {cut: place for place, cut in enumerate(cuts)}
        parts = [analysed(content[start:end]) for start, end in pairwise(cuts)]
        heading = [analysed(title)] if title else []
        whole = _together([*heading, *heading, *parts])
        found = [_together([*heading, *parts[number[start] : number[end]]]) for start, end in passages]
        return cls(
            whole or WordCount.of_document(content, title, language),
            [
                count or WordCount.of_passage(content[start:end], title, language)
                for count, (start, end) in zip(found, passages, strict=True)
            ],
        )


def _together(parts: Sequence[AnalysedText]) -> WordCount | None:
    """The words of several texts, or None if all of them are stop words: then they count after all."""
    frequencies = Counter(chain.from_iterable(part.terms for part in parts))
    if not frequencies:
        return None
    return WordCount(as_stored(frequencies), sum(part.length for part in parts))


def _parts_words(content: str, cut: int) -> bool:
    """Whether no word goes on behind the cut."""
    if not (content[cut - 1].isspace() or content[cut].isspace()):
        return False
    near = folded(content[max(cut - _NEAR, 0) : cut + _NEAR])
    return not any(part in near for part in _PARTS_OF_WORDS)
