"""Every folder becomes a base, and every question is asked of its folder as a user would, without a chat model."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.answers.judge import CONCISE, Verdict, is_right, judged, length_of
from benchmarks.answers.questions import folder_of
from sourcebook import AsyncSourcebook, Settings, Tier
from sourcebook.errors import NothingAsked

if TYPE_CHECKING:
    from benchmarks.answers.questions import Question
    from sourcebook import Citation

_UNREAD = ".json"
"""Files of questions that lie beside the documents: added, they would answer themselves."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was answered to a question and what the judge says. `length` is that of the words a reader reads.

    `beside`: what is quoted beside the answer as another that may be right, or below a decline as closest.
    """

    question: Question
    verdict: Verdict
    answer: str
    tier: Tier
    length: int
    citations: Sequence[Citation]
    beside: Sequence[str] = ()

    @property
    def is_beside(self) -> bool:
        """Whether one that was asked for and not given stands beside."""
        is_missed = self.verdict in (Verdict.WRONG, Verdict.WRONGLY_DECLINED)
        return is_missed and any(is_right(each, self.question.accept) for each in self.beside)

    @property
    def is_concise(self) -> bool:
        return self.verdict is Verdict.RIGHT and self.length <= CONCISE


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the folders of documents are, where their bases are kept between runs, and who is told."""

    documents: Path
    work: Path
    tell: Callable[[str], None]
    is_conversation: bool = False
    """Whether the questions of a folder are asked one after the other in a conversation."""
    is_together: bool = False
    """Whether all folders are one base."""

    async def outcomes(self, questions: Sequence[Question]) -> list[Outcome]:
        """Ask them folder by folder. The bases that are kept are not changed: a copy is asked."""
        found: list[Outcome] = []
        folders = list(dict.fromkeys(question.folder for question in questions))
        for of_base in [folders] if self.is_together else [[folder] for folder in folders]:
            base = await self._base(of_base)
            with tempfile.TemporaryDirectory(prefix="sourcebook-answers-") as place:
                copy = shutil.copytree(base, Path(place) / "base")
                for folder in of_base:
                    of_folder = [question for question in questions if question.folder == folder]
                    found += await self._asked(copy, of_folder)
                    self.tell(f"{folder}: {len(of_folder)} questions")
        return found

    async def _asked(self, base: Path, questions: Sequence[Question]) -> list[Outcome]:
        found: list[Outcome] = []
        session: str | None = None
        async with AsyncSourcebook(settings=_settings(base)) as book:
            for question in questions:
                outcome, asked_in = await _outcome(book, question, session)
                found.append(outcome)
                session = asked_in if self.is_conversation else None
        return found

    async def _base(self, folders: Sequence[str]) -> Path:
        """The folder with the base of these: made once, complete or not there at all."""
        kept = self.work / "bases" / "+".join(folders)
        if kept.exists():
            return kept
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="new-", dir=kept.parent) as place:
            async with AsyncSourcebook(settings=_settings(Path(place))) as book:
                for folder in folders:
                    report = await book.add(*_documents(folder_of(folder, self.documents)))
                    self.tell(f"{folder}: {report.added} documents added")
            shutil.copytree(place, kept)
        return kept


def _documents(folder: Path) -> list[Path]:
    if not any(folder.rglob(f"*{_UNREAD}")):
        return [folder]
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != _UNREAD]


def _settings(place: Path) -> Settings:
    return Settings(db=str(place / "base.db"), chat_model="none")


async def _outcome(
    book: AsyncSourcebook, question: Question, session: str | None
) -> tuple[Outcome, str | None]:
    """What comes of a question, and the conversation that it was asked in."""
    try:
        given = await book.ask(question.text, session=session)
    except NothingAsked as refused:
        # A greeting is answered by the faces, not by the base.
        return Outcome(question, judged(question, None), refused.message, Tier.NONE, 0, ()), session
    verdict = judged(question, None if given.tier is Tier.NONE else given.answer)
    length = length_of(given.answer)
    beside = [each for each in (*given.see_also_excerpts, *given.nearest_excerpts) if each is not None]
    outcome = Outcome(question, verdict, given.answer, given.tier, length, given.citations, beside)
    return outcome, given.session_id
