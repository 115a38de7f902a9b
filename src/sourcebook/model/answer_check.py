"""Approved answers as files, and what a check of them against documents found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.model.add_reports import FailedFile


@dataclass(frozen=True, slots=True)
class FileSource:
    """A source of an answer in a file: a document, by its path in the documents' folder, and the quoted words."""

    path: str
    quote: str


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """An approved answer as a file holds it. `name` is the file's path in its folder."""

    name: str
    question: str
    answer: str
    also: Sequence[str] = ()
    """Other wordings of the question."""
    category: str = "general"
    subcategory: str | None = None
    language: str | None = None
    sources: Sequence[FileSource] = ()
    approved_at: int | None = None
    """When it was approved, in seconds since 1970; None if the file does not say."""


class Verdict(StrEnum):
    """What became of an answer, or of one of its sources. The order is that of gravity."""

    CURRENT = "current"
    """The quoted words stand where they stood."""
    MOVED = "moved"
    """The quoted words stand in another document now."""
    REWORDED = "reworded"
    """The quoted words have changed, and the documents still say what the answer says."""
    UNCHECKED = "unchecked"
    """The answer names no source, so there is nothing to check it against."""
    UNTRUE = "untrue"
    """The documents now say something else."""
    UNANSWERABLE = "unanswerable"
    """The documents no longer say anything about it."""
    INVALID = "invalid"
    """The file cannot be read as an answer."""

    @property
    def is_failure(self) -> bool:
        return self in (Verdict.UNTRUE, Verdict.UNANSWERABLE, Verdict.INVALID)

    @property
    def is_warning(self) -> bool:
        return self in (Verdict.MOVED, Verdict.REWORDED, Verdict.UNCHECKED)


@dataclass(frozen=True, slots=True)
class SourceFinding:
    """One source of an answer: what was quoted, and what the document says there now."""

    path: str
    quote: str
    verdict: Verdict
    now: str | None = None
    found_in: str | None = None
    """Where the words stand now, if they moved."""
    line: int | None = None
    """The line of the document's file that this is about, counted from 1, where it is known."""


@dataclass(frozen=True, slots=True)
class SentenceFinding:
    """A sentence of an answer that the documents no longer support, why, and what they say instead."""

    text: str
    doubts: Sequence[str]
    now: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerFinding:
    """What became of one answer."""

    name: str
    question: str
    verdict: Verdict
    message: str
    sources: Sequence[SourceFinding] = ()
    sentences: Sequence[SentenceFinding] = ()


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """A whole check: a finding for each answer, and the documents that could not be read."""

    documents: int
    findings: Sequence[AnswerFinding] = ()
    unreadable: Sequence[FailedFile] = ()

    def of(self, *verdicts: Verdict) -> list[AnswerFinding]:
        return [finding for finding in self.findings if finding.verdict in verdicts]

    @property
    def failures(self) -> list[AnswerFinding]:
        return [finding for finding in self.findings if finding.verdict.is_failure]

    @property
    def warnings(self) -> list[AnswerFinding]:
        return [finding for finding in self.findings if finding.verdict.is_warning]


@dataclass(frozen=True, slots=True)
class FileTransfer:
    """What `kb export` or `kb import` did, by the names of files."""

    written: Sequence[str] = ()
    unchanged: Sequence[str] = ()
    failed: Sequence[FailedFile] = ()
    left_over: Sequence[str] = ()
    """Files whose answer the base does not have. They are left alone."""
