"""Plots as SVG, drawn here. Colours and fonts come from the style sheet; shapes differ as well as colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_WIDTH, _HEIGHT = 720, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 28


@dataclass(frozen=True, slots=True)
class PlotColumn:
    """A column of stacked parts: its label, and the size of each part by the name of its class."""

    label: str
    parts: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Curve:
    kind: str
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class ThresholdMark:
    """A threshold to point at: the one in use, or another."""

    kind: str
    needed: float
    name: str


def columns(data: Sequence[PlotColumn], title: str) -> Markup:
    """Stacked columns, with the largest sum at the top of the axis."""
    largest = max((sum(size for _, size in column.parts) for column in data), default=0) or 1
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(data))
    drawn: list[str] = []
    for index, column in enumerate(data):
        x, y = _LEFT + index * step + step * 0.18, float(_HEIGHT - _BOTTOM)
        for kind, size in column.parts:
            height = size / largest * (_HEIGHT - _TOP - _BOTTOM)
            y -= height
            if size:
                tip = f"<title>{escape(column.label)}: {size}</title>"
                drawn.append(
                    f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{step * 0.64:.1f}" '
                    f'height="{height:.1f}" rx="1.5">{tip}</rect>'
                )
        # On a narrow screen there is room for every second label.
        drawn.append(_label(x + step * 0.32, _HEIGHT - 8, column.label, "often" if index % 2 else ""))
    return _plot(title, [*_axis(0, largest, lambda value: f"{value:.0f}"), *drawn])


def curves(labels: Sequence[str], data: Sequence[Curve], title: str) -> Markup:
    """Lines over the same labels, between 0 and 1."""
    drawn = _axis(0, 1, lambda value: f"{value:.1f}")
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(labels) - 1)
    for curve in data:
        points = [
            (_LEFT + index * step, _HEIGHT - _BOTTOM - value * (_HEIGHT - _TOP - _BOTTOM))
            for index, value in enumerate(curve.values)
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        drawn.append(f'<polyline class="curve {curve.kind}" points="{path}"/>')
        for (x, y), value in zip(points, curve.values, strict=True):
            dot = "second-dot" if curve.kind == "second" else "dot"
            drawn.append(
                f'<circle class="{dot}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"><title>{value:.3f}</title></circle>'
            )
    every = max(1, len(labels) // 8)
    drawn += [
        _label(_LEFT + index * step, _HEIGHT - 10, label)
        for index, label in enumerate(labels)
        if index % every == 0
    ]
    return _plot(title, drawn)


def thresholds(
    points: Sequence[tuple[float, float, float]],
    marks: Sequence[ThresholdMark],
    ends: tuple[str, str],
    title: str,
) -> Markup:
    """Two shares over a threshold, as steps, with the thresholds of interest marked. `ends` name the two directions."""
    low, high = points[0][0], points[-1][0]
    wide, tall = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def x_of(needed: float) -> float:
        return _LEFT + (needed - low) / ((high - low) or 1) * wide

    drawn = _axis(0, 100, lambda value: f"{value:.0f} %")
    for kind, index in (("", 1), ("second", 2)):
        path: list[str] = []
        for point, following in zip(points, [*points[1:], points[-1]], strict=True):
            y = _HEIGHT - _BOTTOM - point[index] * tall
            path += [f"{x_of(point[0]):.1f},{y:.1f}", f"{x_of(following[0]):.1f},{y:.1f}"]
        drawn.append(f'<polyline class="curve {kind}" points="{" ".join(path)}"/>')
    for row, mark in enumerate(marks):
        x = min(max(x_of(mark.needed), _LEFT), _WIDTH - _RIGHT)
        # Its words stand on the side that has room.
        anchor, away = ("end", -6) if x > _LEFT + wide / 2 else ("start", 6)
        drawn.append(
            f'<line class="mark {mark.kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>'
        )
        drawn.append(
            f'<text class="mark-name" x="{x + away:.1f}" y="{_HEIGHT / 2 + 18 * row:.1f}" '
            f'text-anchor="{anchor}">{escape(mark.name)}</text>'
        )
    drawn.append(f'<text x="{_LEFT}" y="{_HEIGHT - 8}">← {escape(ends[0])}</text>')
    drawn.append(
        f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 8}" text-anchor="end">{escape(ends[1])} →</text>'
    )
    return _plot(title, drawn)


def _axis(low: float, high: float, written: Callable[[float], str]) -> list[str]:
    lines: list[str] = []
    for share in (0.0, 0.5, 1.0):
        y = _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)
        value = low + share * (high - low)
        lines.append(f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{written(value)}</text>')
    return lines


def _label(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y}" text-anchor="middle">{escape(text)}</text>'


def _plot(title: str, drawn: Sequence[str]) -> Markup:
    head = f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">'
    return Markup("".join([head, *drawn, "</svg>"]))  # noqa: S704 - every text in it was escaped
