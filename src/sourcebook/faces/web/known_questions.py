"""Questions whose right documents are known: what experts decided or, in the sample library, what comes with it."""

from __future__ import annotations

from dataclasses import dataclass

from anyio import to_thread

from sourcebook.errors import PathNotFound
from sourcebook.faces.sample_library import sample_folder
from sourcebook.faces.web.page import Page
from sourcebook.retrieve.evaluation.question_sets import read_own_questions
from sourcebook.retrieve.evaluation.service import JudgedQuestion, resolved

_SMALL = 200
"""The sample library is small. A larger collection is not looked through for its documents."""
_ENOUGH = 20


@dataclass(frozen=True, slots=True)
class KnownQuestions:
    """`origin` is where they come from: experts or sample."""

    origin: str
    questions: list[JudgedQuestion]

    @property
    def answerable(self) -> list[JudgedQuestion]:
        return [each for each in self.questions if each.has_answer]


async def questions_for_search(page: Page, collection: str) -> KnownQuestions:
    """To measure what is found."""
    decided = await page.book.moderation.judged_questions(collection)
    return await _or_sample(page, collection, decided)


async def questions_for_threshold(page: Page, collection: str) -> KnownQuestions:
    """To measure what is answered and what declined."""
    decided = await page.book.quality.decided_questions(collection=collection)
    return await _or_sample(page, collection, decided)


async def _or_sample(page: Page, collection: str, decided: list[JudgedQuestion]) -> KnownQuestions:
    known = KnownQuestions("experts", decided)
    if len(decided) >= _ENOUGH:
        return known
    counted = next((each.document_count for each in await page.collections() if each.id == collection), 0)
    sample = await _of_sample(page, collection) if 0 < counted <= _SMALL else []
    return KnownQuestions("sample", sample) if sample else known


async def _of_sample(page: Page, collection: str) -> list[JudgedQuestion]:
    """The sample's own questions, if every document that they name is here."""
    try:
        listed = await to_thread.run_sync(read_own_questions, sample_folder().parent / "questions.csv")
    except PathNotFound:
        return []
    documents = await page.book.library.documents(collection)
    paths = {each.id: each.file_path for each in documents}
    titles = {each.id: each.title or "" for each in documents}
    found: list[JudgedQuestion] = []
    for number, own in enumerate(listed, start=1):
        # Wherever the sample was copied to, the ends of its paths are the same.
        names = [name.removeprefix("documents/") for name in own.expected]
        judgements, unknown = resolved(names, paths, titles)
        if unknown:
            return []
        found.append(JudgedQuestion(str(number), own.text, judgements, language=own.language))
    return found
