"""Bars as plain SVG, for the results of the benchmarks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

OURS = "sourcebook"
_WIDTH, _LEFT, _BAR, _GAP, _TOP = 760, 215, 16, 6, 64
_ROOM = _WIDTH - _LEFT - 90
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2328}.t{font-weight:600;font-size:15px}.n{fill:#59636e}"
    ".b{fill:#9aa7b5}.o{fill:#2f6f4f}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.n{fill:#9aa4ae}.b{fill:#57616d}.o{fill:#58b788}}"
)


@dataclass(frozen=True, slots=True)
class Chart:
    """Horizontal bars, in the order given. On a logarithmic scale bars of very different lengths can be read."""

    name: str
    title: str
    note: str
    bars: Sequence[tuple[str, float]]
    digits: int = 2
    logarithmic: bool = False


def svg(chart: Chart) -> str:
    """The chart as a picture of its own, for light and dark pages."""
    height = _TOP + len(chart.bars) * (_BAR + _GAP) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>{escape(chart.title)}</title><style>{_STYLE}</style>",
        f'<text class="t" x="8" y="22">{escape(chart.title)}</text>',
        f'<text class="n" x="8" y="44">{escape(chart.note)}</text>',
    ]
    for number, (name, value) in enumerate(chart.bars):
        top = _TOP + number * (_BAR + _GAP)
        length = _length(chart, value)
        kind = "o" if name.startswith(OURS) else "b"
        lines += [
            f'<text x="{_LEFT - 8}" y="{top + 13}" text-anchor="end">{escape(name)}</text>',
            f'<rect class="{kind}" x="{_LEFT}" y="{top}" width="{length:.1f}" height="{_BAR}" rx="2"/>',
            f'<text x="{_LEFT + length + 6:.1f}" y="{top + 13}">{value:,.{chart.digits}f}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _length(chart: Chart, value: float) -> float:
    most = max(value for _, value in chart.bars)
    if most <= 0 or value <= 0:
        return 1.0
    if not chart.logarithmic:
        return max(1.0, _ROOM * value / most)
    least = min(value for _, value in chart.bars if value > 0) / 2
    return max(1.0, _ROOM * math.log(value / least) / math.log(most / least))
