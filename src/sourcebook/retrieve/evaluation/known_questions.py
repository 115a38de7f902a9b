"""Questions whose documents are known: from experts' decisions, or from the sample library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from sourcebook.errors import PathNotFound
from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion, resolved
from sourcebook.retrieve.evaluation.question_sets import read_own_questions

if TYPE_CHECKING:
    from sourcebook.ports.storage import Library

_SMALL = 200
"""A collection with more documents is not checked for the sample's: the sample is small."""
_ENOUGH = 20


@dataclass(frozen=True, slots=True)
class KnownQuestions:
    """`origin` is where they come from: experts or sample."""

    origin: str
    questions: list[JudgedQuestion]

    @property
    def answerable(self) -> list[JudgedQuestion]:
        return [each for each in self.questions if each.has_answer]


async def known_questions(
    library: Library, collection: str, decided: Sequence[JudgedQuestion], sample: Path | None
) -> KnownQuestions:
    """What experts decided, if that is enough to measure with; else the sample's questions, if its documents are here.

    `sample` is the file of its questions.
    """
    known = KnownQuestions("experts", list(decided))
    if len(decided) >= _ENOUGH or sample is None:
        return known
    counted = sum((await library.status_counts(collection)).values())
    found = await _of_sample(library, collection, sample) if 0 < counted <= _SMALL else []
    return KnownQuestions("sample", found) if found else known


async def _of_sample(library: Library, collection: str, sample: Path) -> list[JudgedQuestion]:
    """The sample's own questions, if every document that they name is here."""
    try:
        listed = await to_thread.run_sync(read_own_questions, sample)
    except PathNotFound:
        return []
    documents = await library.list_documents(collection)
    paths = {each.id: each.file_path for each in documents}
    titles = {each.id: each.title or "" for each in documents}
    found: list[JudgedQuestion] = []
    for number, own in enumerate(listed, start=1):
        # The sample may have been copied anywhere; the ends of its paths stay the same.
        names = [name.removeprefix("documents/") for name in own.expected]
        judgements, unknown = resolved(names, paths, titles)
        if unknown:
            return []
        found.append(JudgedQuestion(str(number), own.text, judgements, language=own.language))
    return found
