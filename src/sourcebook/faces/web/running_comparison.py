"""A comparison of models that runs beside the requests, because it takes minutes."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.errors import SourcebookError

if TYPE_CHECKING:
    from sourcebook.faces.web.page_frame import Page
    from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion
    from sourcebook.retrieve.evaluation.kept_measurements import Measurements

_log = logging.getLogger(__name__)
DOCUMENTS = 200
"""So many documents are tried with: enough to tell models apart, and few enough to wait for."""


class RunningComparison:
    """One comparison at a time. How far it is can be asked; what it found is kept with the collection."""

    def __init__(self, models: int) -> None:
        self.is_over = False
        self.failed: tuple[str, str] | None = None
        """The code and the message of what ended it."""
        self.model = ""
        self.percent = 0
        self._models = models
        self._seen: list[str] = []

    async def run(
        self,
        page: Page,
        kept: Measurements,
        names: Sequence[str],
        questions: Sequence[JudgedQuestion],
        collection: str,
    ) -> None:
        """Compare, keep what was found, and never fail: whoever looks is told."""
        try:
            compared = await page.book.models.compare(
                names, questions, collection=collection, documents=DOCUMENTS, on_progress=self._note
            )
            await kept.keep_comparison(compared)
        except SourcebookError as error:
            self.failed = (error.code, error.message)
        except Exception as error:
            _log.exception("models could not be compared", exc_info=error)
            self.failed = ("error", "")
        finally:
            self.is_over = True

    def _note(self, stage: str, done: int, total: int) -> None:
        """Adding and asking are two steps of each model."""
        if stage not in self._seen:
            self._seen.append(stage)
        self.model = stage.rpartition(": ")[0]
        steps = 2 * self._models
        self.percent = min(99, int(100 * (len(self._seen) - 1 + done / max(1, total)) / steps))


def running(page: Page) -> RunningComparison | None:
    """The comparison that was started last since the server began."""
    found = getattr(page.request.app.state, "comparison", None)
    return found if isinstance(found, RunningComparison) else None
