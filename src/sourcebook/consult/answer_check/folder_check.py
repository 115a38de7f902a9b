"""Checks approved answers against a folder of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from sourcebook.consult.answer_check.verdicts import CheckedDocument, DocumentTexts, checked
from sourcebook.curate.answer_files import read_answer
from sourcebook.errors import BadAnswerFile, PathNotFound
from sourcebook.ingest.folder.texts_only import read_folder_texts
from sourcebook.model.answer_check import AnswerCheck, AnswerFile, AnswerFinding, Verdict

if TYPE_CHECKING:
    from sourcebook.ingest.add_tools import Parser
    from sourcebook.model.add_reports import Progress

MOST_BYTES = 256_000
"""The size limit for an answer's file: a long page, with room for many quotes."""


@dataclass(frozen=True, slots=True)
class FolderCheck:
    """Checks answers against the documents of a folder, read with this parser."""

    parser: Parser
    documents: Path
    on_progress: Callable[[Progress], None] | None = None

    async def of_answers(
        self, answers: Sequence[AnswerFile | AnswerFinding], excluded: Iterable[Path] = ()
    ) -> AnswerCheck:
        """A finding for each answer, in order. Invalid files are findings already, and stay as they are."""
        read = await read_folder_texts(
            self.documents, self.parser, excluded=excluded, on_progress=self.on_progress
        )
        texts = DocumentTexts(
            [CheckedDocument(file.path, file.parsed.text, file.parsed.title, file.raw) for file in read.files]
        )

        def findings() -> list[AnswerFinding]:
            return [each if isinstance(each, AnswerFinding) else checked(each, texts) for each in answers]

        return AnswerCheck(len(texts), tuple(await to_thread.run_sync(findings)), tuple(read.failed))

    async def of_folder(self, answers: Path) -> AnswerCheck:
        """The same for the answers in a folder, which may lie among the documents."""
        return await self.of_answers(await to_thread.run_sync(read_answers, answers), excluded=[answers])


def read_answers(folder: Path) -> list[AnswerFile | AnswerFinding]:
    """The answers in a folder, by name, with a finding for each file that is not a valid answer."""
    if not folder.is_dir():
        raise PathNotFound(
            f"There is no folder {str(folder)!r}.", hint="`sourcebook kb export DIR` makes one."
        )
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    return [_read(folder, name) for name in names if not Path(name).name.startswith(("README", "."))]


def _read(folder: Path, name: str) -> AnswerFile | AnswerFinding:
    try:
        return read_answer(_text(folder, name), name)
    except BadAnswerFile as error:
        return AnswerFinding(name, "", Verdict.INVALID, error.message)
    except (OSError, UnicodeDecodeError) as error:
        return AnswerFinding(name, "", Verdict.INVALID, f"{name} cannot be read: {error}")


def _text(folder: Path, name: str) -> str:
    """The text of an answer's file. Links out of the folder and large files are refused: anybody may write one."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise BadAnswerFile(f"{name} is a link to a file outside of the folder of answers.")
    if not path.is_file():
        raise BadAnswerFile(f"{name} is not a file.")
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise BadAnswerFile(f"{name} is larger than {MOST_BYTES // 1000} kB.")
    return content.decode("utf-8")
