"""Bar charts, as SVG or text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_COLOURS = ("#2f6f9f", "#d98032", "#4f9a55", "#9a5fa8", "#7a7a7a", "#c0504d")
_WIDTH, _HEIGHT = 720, 360
_LEFT, _TOP, _BOTTOM = 50, 60, 50
_LETTERS = 50


@dataclass(frozen=True, slots=True)
class Bars:
    """Groups of bars between 0 and 1, with one bar per series in each group."""

    title: str
    groups: Sequence[str]
    series: Mapping[str, Sequence[float]]


def as_svg(bars: Bars) -> str:
    """The chart as a self-contained SVG."""
    body = "\n".join((*_frame(bars), *_legend(bars), *_columns(bars)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )


def as_text(bars: Bars) -> str:
    """The chart as text, one line per bar."""
    longest = max(map(len, bars.series), default=0)
    lines = [bars.title]
    for place, group in enumerate(bars.groups):
        lines += ["", group]
        lines += [
            f"  {name:<{longest}} {'█' * round(_LETTERS * values[place]):<{_LETTERS}} {values[place]:.4f}"
            for name, values in bars.series.items()
        ]
    return "\n".join(lines) + "\n"


def _frame(bars: Bars) -> Iterator[str]:
    yield _label(_LEFT, 24, bars.title, size=15)
    for tenths in range(0, 11, 2):
        height = _y(tenths / 10)
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{height:.1f}" y2="{height:.1f}" stroke="#ddd"/>'
        yield _label(_LEFT - 8, height + 4, f"{tenths / 10:.1f}", anchor="end")


def _legend(bars: Bars) -> Iterator[str]:
    place = float(_LEFT)
    for number, name in enumerate(bars.series):
        yield f'<rect x="{place:.1f}" y="36" width="10" height="10" fill="{_colour(number)}"/>'
        yield _label(place + 14, 45, name)
        place += 30 + 7.0 * len(name)


def _columns(bars: Bars) -> Iterator[str]:
    room = (_WIDTH - _LEFT - 10) / max(len(bars.groups), 1)
    width = room * 0.8 / max(len(bars.series), 1)
    for group, name in enumerate(bars.groups):
        start = _LEFT + group * room + room * 0.1
        yield _label(start + room * 0.4, _HEIGHT - _BOTTOM + 20, name, anchor="middle")
        for number, values in enumerate(bars.series.values()):
            value, left = values[group], start + number * width
            top = _y(value)
            yield (
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{width * 0.9:.1f}" '
                f'height="{_y(0) - top:.1f}" fill="{_colour(number)}"/>'
            )
            yield _label(left + width * 0.45, top - 4, f"{value:.3f}", anchor="middle", size=10)


def _y(value: float) -> float:
    return _HEIGHT - _BOTTOM - value * (_HEIGHT - _TOP - _BOTTOM)


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


def _label(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'
