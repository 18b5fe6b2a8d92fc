"""Pictures by hand: lines over time and bars, as SVG text that is the same for the same figures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 720, 240
LEFT, RIGHT, TOP, BOTTOM = 56, 24, 24, 28
COLORS = ("#1b6ca8", "#d1495b")


def line_chart(
    title: str, series: Sequence[tuple[str, Sequence[tuple[float, float]]]], unit: str, end: float
) -> str:
    """Step lines over virtual time, each from its (time, value) points on to the end."""
    highest = _ceiling(max((value for _, points in series for _, value in points), default=0.0))
    longest = end or 1.0
    parts = [_frame(title), *_value_axis(highest, unit), *_time_axis(longest)]
    for (_, points), color in zip(series, COLORS, strict=False):
        path = _steps(points, longest, highest, end)
        parts.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>')
    if len(series) > 1:
        parts += [_legend(i, name) for i, (name, _) in enumerate(series)]
    return "".join((*parts, "</svg>"))


def bar_chart(title: str, bars: Sequence[tuple[str, int]]) -> str:
    """One bar for each name."""
    highest = _ceiling(max((count for _, count in bars), default=0))
    parts = [_frame(title), *_value_axis(highest, "")]
    slot = (WIDTH - LEFT - RIGHT) / max(1, len(bars))
    for i, (name, count) in enumerate(bars):
        top = _y(count, highest)
        x = LEFT + i * slot
        parts.append(
            f'<rect x="{x + 2:.1f}" y="{top:.1f}" width="{slot - 4:.1f}" '
            f'height="{HEIGHT - BOTTOM - top:.1f}" fill="{COLORS[0]}"/>'
        )
        parts.append(_text(x + slot / 2, HEIGHT - 10, name, "middle"))
    return "".join((*parts, "</svg>"))


def _frame(title: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" xmlns="http://www.w3.org/2000/svg" '
        f'font-family="sans-serif" font-size="11"><title>{escape(title)}</title>'
    )


def _value_axis(highest: float, unit: str) -> list[str]:
    parts = []
    for i in range(5):
        value = highest * i / 4
        y = _y(value, highest)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ccc"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{value:g}{unit}", "end"))
    return parts


def _time_axis(longest: float) -> list[str]:
    return [
        _text(_x(longest * i / 6, longest), HEIGHT - 10, _time(longest * i / 6, longest), "middle")
        for i in range(7)
    ]


def _steps(points: Sequence[tuple[float, float]], longest: float, highest: float, end: float) -> str:
    parts: list[str] = []
    for time, value in points:
        x, y = _x(time, longest), _y(value, highest)
        parts.append(f"H{x:.1f}V{y:.1f}" if parts else f"M{x:.1f} {y:.1f}")
    return "".join((*parts, f"H{_x(end, longest):.1f}" if parts else ""))


def _legend(place: int, name: str) -> str:
    x = LEFT + 8 + 90 * place
    mark = f'<rect x="{x}" y="4" width="10" height="10" fill="{COLORS[place]}"/>'
    return mark + _text(x + 14, 13, name, "start")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#444">{escape(text)}</text>'


def _x(time: float, longest: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * min(time / longest, 1.0)


def _y(value: float, highest: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value / highest if highest else 0.0)


def _ceiling(value: float) -> float:
    """A number that is no smaller, with round quarters."""
    power = 1.0
    while 10 * power < value:
        power *= 10
    steps = (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10)
    return next(power * step for step in steps if power * step >= value)


def _time(seconds: float, longest: float) -> str:
    if longest >= 2 * 3600:
        return f"{seconds / 3600:.3g} h"
    return f"{seconds / 60:.3g} min" if longest >= 120 else f"{seconds:.3g} s"
