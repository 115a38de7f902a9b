"""Sources that a person names because they say it in other words, which comparing words cannot confirm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.citations.marks_and_quotes import cited_sentences
from sourcebook.consult.support.support_check import check_support, lost_facts, share_of_terms

if TYPE_CHECKING:
    from sourcebook.consult.citations.marks_and_quotes import CitedSentence
    from sourcebook.model.chat import Citation
    from sourcebook.model.curation import CuratedSource


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source as it is now, and its words when it was named."""

    before: str
    source: CuratedSource


@dataclass(frozen=True, slots=True)
class NamedSources:
    """`must_all_be_used`: they were named for this answer, so each of them is watched for changes."""

    sources: Sequence[NamedSource]
    language: str | None
    must_all_be_used: bool = False

    def complete(
        self, sentences: Sequence[CitedSentence], supports: Sequence[list[CuratedSource]]
    ) -> list[list[CuratedSource]]:
        """The sources of each sentence. One without support gets the nearest of these sources."""
        found = [
            support or self._nearest(sentence.text)
            for sentence, support in zip(sentences, supports, strict=True)
        ]
        left = [each.source for each in self.sources if not _is_used(each.source, found)]
        if found and self.must_all_be_used:
            found[-1] = [*found[-1], *left]
        return found

    def _nearest(self, sentence: str) -> list[CuratedSource]:
        """The source that shares most words with the sentence, of those that still fit it."""
        fitting = [each for each in self.sources if self._still_fits(sentence, each)]
        shares = {id(n): share_of_terms(sentence, n.source.quote, self.language) for n in fitting}
        best = max(fitting, key=lambda each: shares[id(each)], default=None)
        return [] if best is None else [best.source]

    def _still_fits(self, sentence: str, named: NamedSource) -> bool:
        before, now = named.before, named.source.quote
        if before == now:
            return True
        context = named.source.document_title or ""
        # If the words themselves supported it and no longer do, support is lost, whoever named the source.
        was_borne_out = check_support(sentence, before, self.language, context).is_enough
        return not was_borne_out and not any(lost_facts(sentence, before, now, self.language))


def named_in(answer: str, citations: Sequence[Citation], language: str | None) -> list[Citation]:
    """The citations of an approved answer that a person named: their words alone do not support each sentence."""
    sentences = cited_sentences(answer)
    has_marks = any(sentence.numbers for sentence in sentences)
    return [
        citation
        for citation in citations
        if any(
            not check_support(
                each.text,
                citation.quote,
                language,
                f"{citation.document_title or ''}\n{citation.section or ''}",
            ).is_enough
            for each in sentences
            if citation.number in each.numbers or not has_marks
        )
    ]


def _is_used(source: CuratedSource, found: Sequence[list[CuratedSource]]) -> bool:
    """Whether a part of the source, or more of its document around it, is used already."""
    return any(
        each.document_id == source.document_id and (each.quote in source.quote or source.quote in each.quote)
        for support in found
        for each in support
    )
