"""From figures to a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness import Summary
from lines import Line

Result = dict[str, Any]


def results(line: Line, figures: Mapping[tuple[str, str], Sequence[Mapping[str, float] | None]]) -> Result:
    """A line with the summary of each driver's rounds."""
    drivers = {}
    for driver in line.drivers:
        rounds = [one for one in figures.get((line.name, driver), ()) if one is not None]
        if rounds:
            drivers[driver] = {key: Summary.of([one[key] for one in rounds]).as_dict() for key in rounds[0]}
    return {
        "title": line.title,
        "place": line.place,
        "unit": line.unit,
        "target": line.target,
        "target_jdbc": line.target_jdbc,
        "against": line.against,
        "percentiles": line.percentiles,
        "drivers": drivers,
    }


def amount(value: float, unit: str) -> str:
    """A figure with three digits and a unit that fits."""
    steps = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")] if unit == "s" else [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")]
    for size, name in steps:
        if abs(value) >= size:
            return f"{value / size:.3g} {name}" if value / size < 999.5 else f"{value / size:.0f} {name}"
    return f"0 {steps[-1][1]}"


def _median(result: Result, driver: str) -> Mapping[str, float] | None:
    found = result["drivers"].get(driver)
    return found and found["median"]


def ratio(result: Result, driver: str, all: Sequence[Result]) -> float | None:
    """How many times faster ours is."""
    ours = _median(result, "ours")
    source = result
    if driver == "peer" and result["against"]:
        source = next((one for one in all if one["title"] == result["against"] and one["place"] == result["place"]), result)
    other = _median(source, driver)
    return other["median"] / ours["median"] if ours and other and ours["median"] else None


def verdict(reached: float | None, target: float | None) -> str:
    """Whether a target is met."""
    if target is None or reached is None:
        return ""
    return f"{'met' if reached >= target else 'NOT met'} (≥ {target:g})"


HEAD = ("workload", "at", "ours", "±", "peer", "JDBC", "peer/ours", "target", "JDBC/ours", "target")


def rows(result: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The cells of the table."""
    all = result["lines"]
    found = []
    for line in all:
        ours = _median(line, "ours")
        cells = {driver: _median(line, driver) for driver in ("ours", "peer", "jdbc")}
        shown = {driver: amount(cell["median"], line["unit"]) if cell else "-" for driver, cell in cells.items()}
        spread = f"{(ours['high'] - ours['low']) / ours['median']:.0%}" if ours and ours["median"] else ""
        peer, jdbc = ratio(line, "peer", all), ratio(line, "jdbc", all)
        found.append((
            line["title"], line["place"], shown["ours"], spread, shown["peer"], shown["jdbc"],
            f"{peer:.2f}" if peer else "", verdict(peer, line["target"]),
            f"{jdbc:.2f}" if jdbc else "", verdict(jdbc, line["target_jdbc"]),
        ))
    return found


def text(result: Mapping[str, Any]) -> str:
    """The table for a terminal."""
    cells = [HEAD, *rows(result)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)
