"""Rows of a matrix are gathered as numpy gathers them."""

from __future__ import annotations

import numpy as np
import pytest

from sourcebook.storage.sqlite.engine.vector_codes import gathered


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.uint8])
@pytest.mark.parametrize("columns", [0, 1, 7, 48])
def test_the_rows_are_those_that_indexing_gives(kind: type[np.generic], columns: int) -> None:
    numbers = np.random.default_rng(1).integers(0, 200, (50, columns))
    matrix = numbers.astype(kind)
    for rows in (np.array([], np.int64), np.array([3, 3, 49, 0])):
        assert np.array_equal(gathered(matrix, rows), matrix[rows])
        assert gathered(matrix, rows).dtype == matrix.dtype
    if columns > 1:
        assert np.array_equal(gathered(matrix[:, ::2], np.array([1])), matrix[[1], ::2])
