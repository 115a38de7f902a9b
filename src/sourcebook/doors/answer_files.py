"""`book.answer_files`: the curated answers as Markdown files, and their check against documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.assembly import (
    make_answer_export,
    make_answer_import,
    make_entries,
    make_folder_check,
    make_parsers,
)
from sourcebook.consult.question.inquiry import LOCAL_USER
from sourcebook.doors.connection import works_closed
from sourcebook.ports.arguments import checks_arguments

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from sourcebook.doors.connection import DoorConnection
    from sourcebook.model.add_reports import Progress
    from sourcebook.model.answer_check import AnswerCheck, FileTransfer


@checks_arguments
class AnswerFilesDoor:
    """Curated answers as Markdown files that live beside the documents: write, read and check them."""

    def __init__(self, connection: DoorConnection) -> None:
        self._connection = connection

    async def export(self, folder: str | os.PathLike[str], *, collection: str | None = None) -> FileTransfer:
        """Write the curated answers to a folder, one file each. A file that has the same question keeps its name."""
        return await make_answer_export(self._connection.stores).write(collection, Path(folder))

    async def read(
        self,
        folder: str | os.PathLike[str],
        *,
        collection: str | None = None,
        approved_by: int | None = LOCAL_USER,
    ) -> FileTransfer:
        """Bring the answers of a folder into the base. Each takes the place of the one with the same question.

        An answer whose quotes do not stand in the documents is left out, with the reason.
        """
        bringing = make_answer_import(
            self._connection.stores,
            make_entries(self._connection.stores, self._connection.embedders),
            self._connection.named(collection),
            approved_by,
        )
        return await bringing.read(Path(folder))

    async def check(
        self,
        documents: str | os.PathLike[str],
        *,
        collection: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> AnswerCheck:
        """What the documents of a folder, as they are now, mean for the curated answers of the base."""
        answers = await make_answer_export(self._connection.stores).answers(collection)
        parsers = make_parsers()
        try:
            return await make_folder_check(parsers, Path(documents), on_progress).of_answers(answers)
        finally:
            await parsers.close()

    @works_closed
    async def check_files(
        self,
        documents: str | os.PathLike[str],
        answers: str | os.PathLike[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> AnswerCheck:
        """What the documents of a folder mean for the answers of another. It needs no base and no model."""
        parsers = make_parsers()
        try:
            return await make_folder_check(parsers, Path(documents), on_progress).of_folder(Path(answers))
        finally:
            await parsers.close()
