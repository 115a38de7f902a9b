"""What the server counts, in the format of Prometheus."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
    multiprocess,
)
from prometheus_client.core import GaugeMetricFamily

from sourcebook.model.moderation import DraftKind

if TYPE_CHECKING:
    from prometheus_client.core import Metric

    from sourcebook.client import AsyncSourcebook

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable by which the library learns where several processes add up their figures."""
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


# When a counter began is nobody's question here, and doubles the page.
disable_created_metrics()


class Metrics:
    """The counters of one process. With several workers they are added up over all of them."""

    def __init__(self) -> None:
        self._registry = own = CollectorRegistry()
        self.requests = Counter(
            "sourcebook_http_requests_total",
            "Requests, by route and status.",
            ("method", "route", "status"),
            registry=own,
        )
        self.seconds = Histogram(
            "sourcebook_http_request_seconds",
            "Seconds until a response was sent.",
            ("method", "route"),
            registry=own,
            buckets=_SECONDS,
        )
        self.stages = Histogram(
            "sourcebook_stage_seconds",
            "Seconds from the question to each stage: search, passages, first_text, answer.",
            ("stage",),
            registry=own,
            buckets=_SECONDS,
        )
        self.answers = Counter(
            "sourcebook_answers_total",
            "Answers, by where they came from; `none` is declined.",
            ("tier",),
            registry=own,
        )
        self.provider_errors = Counter(
            "sourcebook_provider_errors_total",
            "Failures of embedders, rerankers and chat models, by code.",
            ("code",),
            registry=own,
        )
        self.uploads = Counter("sourcebook_uploads_total", "Files taken in.", registry=own)

    async def text(self, book: AsyncSourcebook) -> bytes:
        """Everything that is known, read from the base where the base knows it."""
        registry = self._registry
        if SHARED_FOLDER in os.environ:
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # pyright: ignore[reportUnknownMemberType, reportUnusedExpression]
        return generate_latest(registry) + generate_latest(await _of_base(book))


async def _of_base(book: AsyncSourcebook) -> CollectorRegistry:
    jobs = GaugeMetricFamily("sourcebook_jobs", "Jobs, by kind and status.", labels=("kind", "status"))
    for kind, states in (await book.stores.jobs.count()).items():
        for status, count in states.items():
            jobs.add_metric((kind, status.value), count)
    drafts = GaugeMetricFamily("sourcebook_drafts_waiting", "Drafts that wait for review.", labels=("kind",))
    waiting = await book.moderation.count_pending()
    for kind, count in waiting.items():
        drafts.add_metric((kind.value,), count)
    stale = GaugeMetricFamily(
        "sourcebook_stale_answers",
        "Curated answers whose sources changed and that nobody has looked at since.",
        value=waiting.get(DraftKind.STALE, 0),
    )
    return _Figures(jobs, drafts, stale)


class _Figures(CollectorRegistry):
    """Figures as they are now. They are the base's, so that several processes must not add them up."""

    def __init__(self, *families: Metric) -> None:
        super().__init__()
        self._families = families

    def collect(self) -> Iterator[Metric]:
        yield from self._families
