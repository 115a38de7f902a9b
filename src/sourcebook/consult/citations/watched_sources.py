"""What an approved answer is watched against, and whether that says what the answer says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.citations.marks_and_quotes import best_quote, cited_sentences
from sourcebook.consult.support.support_check import check_support, missing_facts
from sourcebook.curate.quoted_rows import shows_row_of

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer, CuratedSource


@dataclass(frozen=True, slots=True)
class WatchedSource:
    """A source of an approved answer. `missing` are numbers and names of the answer that none of its sources has."""

    source: CuratedSource
    is_supporting: bool
    missing: tuple[str, ...] = ()


def watched_sources(entry: CuratedAnswer) -> list[WatchedSource]:
    """The sources of an answer. One that a person named is watched, whether or not it supports what cites it."""
    sentences = cited_sentences(entry.answer)
    has_marks = any(sentence.numbers for sentence in sentences)
    found: list[WatchedSource] = []
    for number, source in enumerate(entry.sources, start=1):
        said = [each.text for each in sentences if number in each.numbers or not has_marks]
        unsaid = [s for s in said if not bears_out(s, source.quote, entry.language, _context(source))]
        # Without marks, nothing tells which sentence a source is for.
        is_supporting = not unsaid if has_marks else len(unsaid) < len(said)
        found.append(WatchedSource(source, is_supporting, () if is_supporting else _missing(entry, unsaid)))
    return found


def missing_in_sources(entry: CuratedAnswer) -> list[str]:
    """The numbers and names of an answer that the sources named for it do not have, each once."""
    return list(dict.fromkeys(fact for each in watched_sources(entry) for fact in each.missing))


def bears_out(sentence: str, quote: str, language: str | None, context: str = "") -> bool:
    """Whether a quote, or one or two sentences or a row of it, support a sentence."""
    return (
        shows_row_of(sentence, quote)
        or best_quote(sentence, quote, language, context).is_enough
        or check_support(sentence, quote, language, context).is_enough
    )


def _missing(entry: CuratedAnswer, said: list[str]) -> tuple[str, ...]:
    """What the sentences say that none of the answer's sources has, each once."""
    there = "\n".join(f"{_context(each)}\n{each.quote}" for each in entry.sources)
    return tuple(dict.fromkeys(fact for each in said for fact in missing_facts(each, there, entry.language)))


def _context(source: CuratedSource) -> str:
    return "\n".join(part for part in (source.document_title, source.section) if part)
