"""The ratios as bars in an SVG file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import report

WIDTH, LABELS, BAR, GAP = 980, 380, 11, 9
COLOURS = {"peer": "#4878a8", "jdbc": "#c88a3c"}
NAMES = {"peer": "peer / ours", "jdbc": "JDBC / ours"}


def svg(result: Mapping[str, Any]) -> str:
    """How many times longer the other drivers take, on a logarithmic scale. A bar left of 1 is a line that we lose; a tick is the
    target."""
    all = [*result["lines"], *report.derived(result["lines"])]
    all.sort(key=lambda line: list(report.GROUPS).index(line["place"]))
    found = [(line, {driver: report.ratio(line, driver, all) for driver in COLOURS}) for line in all]
    found = [(line, ratios) for line, ratios in found if any(ratios.values())]
    values = [value for _, ratios in found for value in ratios.values() if value]
    low, high = math.log10(min([0.5, *values])), math.log10(max([10.0, *values]))

    def x(value: float) -> float:
        return LABELS + (math.log10(value) - low) / (high - low) * (WIDTH - LABELS - 60)

    parts = _head()
    y = 50.0
    for line, ratios in found:
        parts.append(f'<text x="{LABELS - 8}" y="{y + 14:.0f}" text-anchor="end">{escape(line["title"])} @ {line["place"]}</text>')
        targets = {"peer": line["target"], "jdbc": line["target_jdbc"]}
        for driver, value in ratios.items():
            if value:
                parts += _bar(x, y, value, targets[driver], COLOURS[driver])
            y += BAR if value else 0
        y += GAP
    parts += _scale(x, y, 10**low, 10**high)
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 30:.0f}">', *parts, "</svg>\n"])


def _head() -> list[str]:
    style = "text{font:11px sans-serif;fill:#333}"
    parts = [f"<style>{style}</style>", '<rect width="100%" height="100%" fill="white"/>']
    parts.append('<text x="10" y="20" style="font-weight:bold">How many times longer the other drivers take (log scale)</text>')
    for place, (driver, colour) in enumerate(COLOURS.items()):
        parts.append(f'<rect x="{500 + place * 120}" y="11" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{515 + place * 120}" y="20">{NAMES[driver]}</text>')
    return parts


def _bar(x: Any, y: float, value: float, target: float | None, colour: str) -> Sequence[str]:
    left, right = sorted((x(1.0), x(value)))
    parts = [f'<rect x="{left:.1f}" y="{y:.1f}" width="{max(right - left, 1):.1f}" height="{BAR - 1}" fill="{colour}"/>']
    parts.append(f'<text x="{max(right, x(1.0)) + 4:.1f}" y="{y + BAR - 2:.1f}">{value:.1f}</text>')
    if target:
        parts.append(f'<line x1="{x(target):.1f}" x2="{x(target):.1f}" y1="{y - 2:.1f}" y2="{y + BAR + 1:.1f}" stroke="#b00" stroke-width="2"/>')
    return parts


def _scale(x: Any, bottom: float, low: float, high: float) -> list[str]:
    parts = []
    for value in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100):
        if low <= value <= high:
            parts.append(f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="40" y2="{bottom:.0f}" stroke="#999" stroke-opacity="0.4"/>')
            parts.append(f'<text x="{x(value):.1f}" y="{bottom + 14:.0f}" text-anchor="middle">{value:g}</text>')
    return parts
