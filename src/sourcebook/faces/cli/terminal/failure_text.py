"""What to do about files that could not be read."""

from __future__ import annotations

from collections.abc import Sequence

from sourcebook.errors import SourcebookError


def next_steps(codes: Sequence[str]) -> list[str]:
    """What to do, once for each kind of reason."""
    kinds = SourcebookError.kinds()
    hints = {code: kinds[code].usual_texts()[1] for code in dict.fromkeys(codes) if code in kinds}
    return [f"{code}: {hint}" for code, hint in hints.items()]
