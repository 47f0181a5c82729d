"""Figures out of many: median and quartiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share (0 to 1) of the values lies, interpolated between neighbours."""
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


@dataclass(frozen=True)
class Summary:
    """Median and quartiles of the rounds."""

    median: float
    low: float
    """First quartile."""
    high: float
    """Third quartile."""
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Summary:
        """ValueError for no values."""
        return cls(percentile(values, 0.5), percentile(values, 0.25), percentile(values, 0.75), len(values))

    def as_dict(self) -> dict[str, float]:
        """For JSON."""
        return asdict(self)
