"""`book.quality`: measures how well the base answers, and improves it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sourcebook.assembly import make_absences, make_calibrator
from sourcebook.consult.calibration.decided_questions import questions_from
from sourcebook.ports.arguments import checks_arguments
from sourcebook.retrieve.evaluation.evaluate import SearchSetting, evaluate, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sourcebook.consult.calibration.calibrator import Calibrator
    from sourcebook.doors.connection import DoorConnection
    from sourcebook.model.answer_thresholds import Thresholds
    from sourcebook.model.calibration import Calibration, QuestionPair
    from sourcebook.model.explanation import DocumentPlace
    from sourcebook.model.search import RetrievalConfig
    from sourcebook.retrieve.evaluation.evaluate import Evaluation, JudgedQuestion, Replayed


@checks_arguments
class QualityDoor:
    """The quality of search: evaluate it, compare settings, calibrate thresholds, explain what is not found."""

    def __init__(self, connection: DoorConnection) -> None:
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
        """Search with questions whose relevant documents are known: nDCG, recall and MRR at `k`, and the time taken."""
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
        """Search with the same questions under two settings, and show what changes in the top `k` documents."""
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
        """Measure a collection's thresholds on questions and pairs with known outcomes, and suggest better ones.

        A question without a document is one that should be declined. Nothing is changed.
        """
        return await self._calibrator().run(self._connection.named(collection), questions, pairs, on_asked)

    async def apply_calibration(self, calibration: Calibration) -> Thresholds:
        """Use the suggested thresholds for the collection, for as long as it keeps its model."""
        return await self._calibrator().apply(calibration)

    async def decided_questions(self, *, collection: str | None = None) -> list[JudgedQuestion]:
        """The experts' decisions on answers from documents, as questions for `calibrate`."""
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
        """Where the document with this id or path ranks in the search, and if it is not found, why not."""
        absences = make_absences(self._connection.stores, self._connection.retriever())
        return await absences.explain(document, self._connection.searched(collection), query, config)

    def _calibrator(self) -> Calibrator:
        at = self._connection
        return make_calibrator(at.stores, at.retriever(), at.embedders, at.settings)
