"""Lines over logarithmic axes, as a picture that any browser shows. Nothing is needed to draw it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 190, 40, 48
COLOURS = ("#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce", "#57534e")


def drawn(title: str, across: str, up: str, lines: Mapping[str, Points]) -> str:
    """An SVG. Every line is named at its last point, and every point says its value."""
    every = [point for points in lines.values() for point in points]
    xs, ys = (
        _Axis.of([x for x, _ in every], LEFT, WIDTH - RIGHT),
        _Axis.of([y for _, y in every], HEIGHT - BOTTOM, TOP),
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="22" font-size="15" fill="#1c1917">{escape(title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(across)}</text>',
        f'<text x="14" y="{TOP - 8}">{escape(up)}</text>',
    ]
    for x in xs.ticks:
        at = xs.place(x)
        parts.append(f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#e7e5e4"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:,.0f}</text>')
    for y in ys.ticks:
        at = ys.place(y)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#e7e5e4"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{y:g}</text>')
    for colour, (name, points) in zip(COLOURS, lines.items(), strict=False):
        parts += _line(name, points, colour, xs, ys)
    return "\n".join([*parts, "</svg>", ""])


def _line(name: str, points: Points, colour: str, xs: _Axis, ys: _Axis) -> list[str]:
    placed = [(xs.place(x), ys.place(y)) for x, y in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
    last_x, last_y = placed[-1]
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *(
            f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}">'
            f"<title>{escape(name)}: {x:,.0f}, {y:g}</title></circle>"
            for (x, y), (px, py) in zip(points, placed, strict=True)
        ),
        f'<text x="{last_x + 8:.1f}" y="{last_y + 4:.1f}" fill="{colour}">{escape(name)} ({points[-1][1]:g})</text>',
    ]


class _Axis:
    """Logarithmic, from the power of ten (or half of one) below the least value to the one above the greatest."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self._low, self._high, self._start, self._end = math.log10(low), math.log10(high), start, end
        self.ticks = [
            step * 10.0**power
            for power in range(math.floor(self._low), math.ceil(self._high) + 1)
            for step in (1, 3)
            if low * 0.999 <= step * 10.0**power <= high * 1.001
        ]

    @classmethod
    def of(cls, values: Sequence[float], start: float, end: float) -> _Axis:
        steps = [step * 10.0**power for power in range(-5, 10) for step in (1, 3)]
        low = max((step for step in steps if step <= min(values) * 1.001), default=min(values))
        high = min((step for step in steps if step >= max(values) * 0.999), default=max(values))
        return cls(low, high if high > low else 10 * low, start, end)

    def place(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)
