"""How well the base finds."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sourcebook.errors import UsageError
from sourcebook.faces.evaluation_json_shapes import AskedSet, as_json
from sourcebook.faces.http.auth.caller import Admin, Book, ServerSettings
from sourcebook.faces.http.auth.guarded_routes import guarded_router, one_collection
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.routes.shared_parameters import Body
from sourcebook.model.search import RerankProvider
from sourcebook.retrieve.evaluation.evaluate import COMPARED, JudgedQuestion, SearchSetting

router = guarded_router("quality")
MOST_QUESTIONS = 200


class AskedAbout(Body):
    """A question, and the documents that answer it; without any, it should be declined."""

    question: str = Field(min_length=1, max_length=10_000)
    documents: list[Annotated[str, Field(max_length=1000)]] = Field(
        default_factory=list[str], max_length=50, description="Documents, by id or path."
    )


class EvaluationBody(Body):
    """The questions to ask, and how to search."""

    questions: list[AskedAbout] = Field(
        default_factory=list[AskedAbout],
        max_length=MOST_QUESTIONS,
        description="Without any, the questions that experts decided.",
    )
    search: list[Annotated[str, Field(max_length=50)]] = Field(
        default_factory=lambda: [COMPARED[0]],
        min_length=1,
        max_length=4,
        description=f"How to search: {', '.join(COMPARED)}. The others are compared with the first.",
    )
    top_k: int = Field(10, ge=1, le=100, description="How many documents count.")
    collection: str | None = Field(
        None, max_length=200, description="The collection; without one, the default."
    )


@router.post(
    "/evaluation",
    summary="Measure how well documents are found",
    responses=examples.shown(examples.EVALUATION),
)
async def evaluation(
    body: EvaluationBody, caller: Admin, book: Book, settings: ServerSettings
) -> dict[str, Any]:
    """Ask questions whose documents are known: nDCG, recall and MRR, and how long a search takes."""
    chosen = one_collection(caller, body.collection, settings)
    provider = RerankProvider(settings.rerank_provider)
    wanted = [SearchSetting.of(name, provider) for name in body.search]
    if body.questions:
        questions = [await _judged(book, chosen, n, asked) for n, asked in enumerate(body.questions, 1)]
    else:
        questions = (await book.moderation.judged_questions(chosen))[:MOST_QUESTIONS]
    if not questions:
        raise UsageError(
            "There is nothing to evaluate.", hint="Send questions, or approve some drafts first."
        )
    found = [
        await book.quality.evaluate(questions, setting, k=body.top_k, collection=chosen) for setting in wanted
    ]
    documents = len(await book.library.documents(chosen))
    return as_json(AskedSet("request" if body.questions else "moderation", documents, found), None)


async def _judged(book: Book, collection: str, number: int, asked: AskedAbout) -> JudgedQuestion:
    found = [await book.library.find(name, collection=collection) for name in asked.documents]
    return JudgedQuestion(str(number), asked.question, {details.document.id: 1 for details in found})
