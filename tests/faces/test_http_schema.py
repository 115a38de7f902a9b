"""The API's description is true: whatever is sent, the answer is one that it names, and never a fault of ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks
from tests.conftest import BACKENDS
from tests.faces.http_server import PATIENCE, Served, served_on

from sourcebook import Settings
from sourcebook.faces.http.server import make_app

pytestmark = pytest.mark.filterwarnings("default")
DESCRIBED: Any = make_app(Settings(), "127.0.0.1").openapi()
CHECKS: Any = checks
SCHEMA: Any = schemathesis.openapi.from_dict(DESCRIBED)
OPERATIONS = [(path, method) for path, methods in DESCRIBED["paths"].items() for method in methods]


@pytest.fixture(scope="module", params=BACKENDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from served_on(request, tmp_path_factory)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=("right", "wrong"))
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_answer_is_one_that_is_described(
    server: Served, path: str, method: str, mode: GenerationMode
) -> None:
    operation = SCHEMA[path][method.upper()]
    if mode is GenerationMode.NEGATIVE and not (
        operation.body or operation.query or operation.path_parameters
    ):
        pytest.skip("nothing can be wrong with it")

    # No schema tells a cursor, a filter or the id of a document from any other text; and a form has only texts.
    excluded = [CHECKS.positive_data_acceptance]
    if (path, method) == ("/api/documents", "post"):
        excluded.append(CHECKS.negative_data_rejection)

    @seed(20261115)
    @settings(
        max_examples=6,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        case.call_and_validate(
            base_url=server.url, session=session, excluded_checks=excluded, timeout=PATIENCE
        )

    with requests.Session() as session:
        try:
            ask()
        except Unsatisfiable:
            pytest.skip("nothing can be wrong with it")
