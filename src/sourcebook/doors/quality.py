"""`book.quality`: how well the base answers, and how to make it answer better."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sourcebook.assembly import make_absences, make_calibrator
from sourcebook.consult.calibration.service import questions_from
from sourcebook.retrieve.evaluation import SearchSetting, evaluate, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sourcebook.consult.calibration.service import Calibrator
    from sourcebook.doors.connection import Connection
    from sourcebook.model.calibration import Calibration, QuestionPair
    from sourcebook.model.explanation import DocumentPlace
    from sourcebook.model.model_facts import Thresholds
    from sourcebook.model.search import RetrievalConfig
    from sourcebook.retrieve.evaluation import Evaluation, JudgedQuestion, Replayed


class QualityDoor:
    """How well the base is searched: judge it, compare settings, calibrate it, ask why a document is not found."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def evaluate(
        self,
        questions: Sequence[JudgedQuestion],
        setting: SearchSetting | None = None,
        *,
        k: int = 10,
        collection: str | None = None,
        on_asked: Callable[[int, int], None] | None = None,
    ) -> Evaluation:
        """Ask questions whose documents are known, and judge what is found: nDCG, recall, MRR at `k`, and the time."""
        search = partial(self._connection.retriever().retrieve, self._connection.named(collection))
        chosen = setting or SearchSetting.of("hybrid")
        return await evaluate(search, questions, chosen, k=k, on_asked=on_asked)

    async def replay(
        self,
        questions: Sequence[str],
        before: SearchSetting,
        after: SearchSetting,
        *,
        k: int = 5,
        collection: str | None = None,
        on_asked: Callable[[int, int], None] | None = None,
    ) -> list[Replayed]:
        """Ask questions under two settings, and tell what changes among the first `k` documents."""
        search = partial(self._connection.retriever().retrieve, self._connection.named(collection))
        return await replay(search, questions, before, after, k=k, on_asked=on_asked)

    async def calibrate(
        self,
        questions: Sequence[JudgedQuestion] = (),
        pairs: Sequence[QuestionPair] = (),
        *,
        collection: str | None = None,
        on_asked: Callable[[int, int], None] | None = None,
    ) -> Calibration:
        """What the thresholds of a collection do to questions and pairs whose right outcome is known, and better ones.

        Questions without a document are those that should be declined. Nothing is changed.
        """
        return await self._calibrator().run(self._connection.named(collection), questions, pairs, on_asked)

    async def apply_calibration(self, calibration: Calibration) -> Thresholds:
        """Let the collection use the thresholds that were suggested, as long as it keeps its model."""
        return await self._calibrator().apply(calibration)

    async def decided_questions(self, *, collection: str | None = None) -> list[JudgedQuestion]:
        """What experts decided about answers from documents, as questions for `calibrate`."""
        decided = await self._connection.stores.moderation.decided()
        return questions_from(decided, self._connection.named(collection))

    async def explain_document(
        self,
        document: str,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> DocumentPlace:
        """Where the document of this id or path stands in the search, and if it is not found, why."""
        absences = make_absences(self._connection.stores, self._connection.retriever())
        return await absences.explain(document, self._connection.searched(collection), query, config)

    def _calibrator(self) -> Calibrator:
        at = self._connection
        return make_calibrator(at.stores, at.retriever(), at.embedders, at.settings)
