"""Exports curated answers to a folder of files, and imports them from one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from sourcebook.consult.answer_check.folder_check import read_answers
from sourcebook.consult.question.inquiry import LOCAL_USER
from sourcebook.curate.answer_files import answer_text, file_name
from sourcebook.errors import BadAnswerFile, SourcebookError
from sourcebook.model.add_reports import FailedFile
from sourcebook.model.answer_check import AnswerFile, AnswerFinding, FileSource, FileTransfer
from sourcebook.text.case_and_accents import normal_form

if TYPE_CHECKING:
    from sourcebook.consult.curated.curated_entries import CuratedEntries
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.ports.stores import Stores


async def as_files(stores: Stores, entries: Sequence[CuratedAnswer]) -> list[AnswerFile]:
    """The active answers with a question, as files. Paths are relative to the folders that were added."""
    paths: dict[tuple[str, str], str] = {}
    found: list[AnswerFile] = []
    for entry in entries:
        if entry.question is None or not entry.is_active:
            continue
        sources: list[FileSource] = []
        for source in entry.sources:
            key = source.collection_id, source.document_id
            if key not in paths:
                details = await stores.library.get_details(*key)
                held = details.paths[0].path if details and details.paths else None
                paths[key] = held or source.document_path
            sources.append(FileSource(paths[key], source.quote))
        found.append(
            AnswerFile(
                name=str(entry.id),
                question=entry.question,
                answer=entry.answer,
                also=tuple(wording.question for wording in entry.wordings if wording.is_matched),
                category=entry.category,
                subcategory=entry.subcategory,
                language=entry.language,
                sources=tuple(sources),
                approved_at=entry.approved_at,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class AnswerExport:
    """The curated answers of a base as files."""

    stores: Stores

    async def answers(self, collection_id: str | None) -> list[AnswerFile]:
        return await as_files(self.stores, await self.stores.curated.kb_list(collection_id))

    async def write(self, collection_id: str | None, folder: Path) -> FileTransfer:
        return await to_thread.run_sync(_write_files, await self.answers(collection_id), folder)


def _write_files(answers: Sequence[AnswerFile], folder: Path) -> FileTransfer:
    """Write each answer to the file that has its question, or to a new one. No file is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    known = [each for each in read_answers(folder) if isinstance(each, AnswerFile)]
    named = {normal_form(each.question): each.name for each in known}
    taken = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    written: list[str] = []
    unchanged: list[str] = []
    for answer in answers:
        name = named.pop(normal_form(answer.question), None) or file_name(answer.question, taken)
        taken.add(name)
        path, text = folder / name, answer_text(answer)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            unchanged.append(name)
            continue
        path.write_text(text, encoding="utf-8", newline="\n")
        written.append(name)
    return FileTransfer(tuple(written), tuple(unchanged), (), tuple(sorted(named.values())))


@dataclass
class AnswerImport:
    """Imports a folder of answers into a collection. An answer that cannot be bound to its sources is left out."""

    stores: Stores
    entries: CuratedEntries
    collection_id: str
    approved_by: int | None
    written: list[str] = field(default_factory=list[str])
    unchanged: list[str] = field(default_factory=list[str])
    failed: list[FailedFile] = field(default_factory=list[FailedFile])

    async def read(self, folder: Path) -> FileTransfer:
        held = await self.stores.curated.kb_list(self.collection_id)
        known = {normal_form(entry.question): entry for entry in held if entry.question and entry.is_active}
        as_they_are = {each.name: each for each in await as_files(self.stores, list(known.values()))}
        for answer in read_answers(folder):
            if isinstance(answer, AnswerFinding):
                self.failed.append(FailedFile(answer.name, BadAnswerFile.code, answer.message))
                continue
            try:
                await self._bring(answer, known, as_they_are)
            except SourcebookError as error:
                self.failed.append(FailedFile(answer.name, error.code, error.message))
        return FileTransfer(tuple(self.written), tuple(self.unchanged), tuple(self.failed))

    async def _bring(
        self,
        answer: AnswerFile,
        known: Mapping[str, CuratedAnswer],
        as_they_are: Mapping[str, AnswerFile],
    ) -> None:
        old = known.get(normal_form(answer.question))
        if old is not None and old.stale_since is None:
            held = as_they_are[str(old.id)]
            said = held.approved_at if answer.approved_at is None else answer.approved_at
            stored = replace(held, name=answer.name, language=answer.language)
            if answer_text(stored) == answer_text(replace(answer, approved_at=said)):
                self.unchanged.append(answer.name)
                return
        sources = [
            await self.entries.source(self.collection_id, source.path, source.quote, answer.answer)
            for source in answer.sources
        ]
        entry = await self.entries.insert(
            collection_id=self.collection_id,
            category=answer.category,
            subcategory=answer.subcategory,
            question=answer.question,
            answer=answer.answer,
            language=answer.language,
            approved_by=self.approved_by,
            approved_at=_approved_at(answer, old),
            sources=sources,
        )
        for wording in answer.also:
            await self.entries.add_wording(entry, wording, self.approved_by or LOCAL_USER)
        if old is not None:
            await self.stores.curated.kb_remove(old.id)
        self.written.append(answer.name)


def _approved_at(answer: AnswerFile, old: CuratedAnswer | None) -> int | None:
    """When an answer in a file was approved. None, for now, if it was edited but its time was not."""
    return None if old is not None and old.approved_at == answer.approved_at else answer.approved_at
