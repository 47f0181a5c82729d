"""From figures to tables: for a terminal, and for docs/performance.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness import Summary
from lines import FAR, NEAR, ONE, REPLAY, SERVER, TUPLES, Line

Result = dict[str, Any]
Figures = Mapping[str, float]


def results(line: Line, figures: Mapping[tuple[str, str], Sequence[Figures | None]]) -> Result:
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
        "trips": line.trips,
        "rows": line.arguments.get("rows"),
        "drivers": drivers,
    }


# What follows from other lines.


def find(all: Sequence[Result], title: str, place: str) -> Result | None:
    """The line of this title at a place."""
    return next((one for one in all if one["title"] == title and one["place"] == place), None)


def median(result: Result | None, driver: str, key: str = "median") -> float | None:
    """The median of a driver's rounds."""
    found = result and result["drivers"].get(driver)
    return found[key]["median"] if found else None


def _derived(title: str, place: str, unit: str, values: Mapping[str, float | None], target: float | None = None) -> Result:
    drivers = {driver: {"median": {"median": value}} for driver, value in values.items() if value is not None}
    return {"title": title, "place": place, "unit": unit, "target": target, "target_jdbc": None, "against": None, "drivers": drivers}


def derived(all: Sequence[Result]) -> list[Result]:
    """Lines that are computed from those measured: how far single queries lie apart, and the cost of a row and of a cell."""
    found = []
    if one := find(all, ONE, SERVER):
        middle = {driver: median(one, driver) for driver in one["drivers"]}
        late = {driver: median(one, driver, "p99") for driver in one["drivers"]}
        found.append(_derived(f"{ONE}: 99th percentile of 1 000", SERVER, "s", late))
        spread = {driver: late[driver] / middle[driver] for driver in middle}
        found.append(_derived(f"{ONE}: 99th percentile / median", SERVER, "×", spread, 1.0))
    few, many = find(all, TUPLES.format("1k"), REPLAY), find(all, TUPLES.format("100k"), REPLAY)
    if few and many and many["rows"] > few["rows"]:
        rows = {
            driver: (median(many, driver) - median(few, driver)) / (many["rows"] - few["rows"])
            for driver in many["drivers"]
            if median(few, driver) is not None
        }
        found.append(_derived("decoding, per row of 5 columns", REPLAY, "s", rows))
        found.append(_derived("decoding, per cell", REPLAY, "s", {driver: value / 5 for driver, value in rows.items()}))
    return found


def trips(all: Sequence[Result], title: str, driver: str) -> float | None:
    """How many round trips an operation waits for: what 19 ms more for each of them cost."""
    near, far = median(find(all, title, NEAR), driver), median(find(all, title, FAR), driver)
    return (far - near) / 0.019 if near is not None and far is not None else None


# Cells.


def amount(value: float | None, unit: str) -> str:
    """A figure with three digits and a unit that fits."""
    if value is None:
        return "–"
    if unit == "×":
        return f"{value:.2f}"
    steps = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")] if unit == "s" else [(1e6, "MB"), (1e3, "kB"), (1.0, "B")]
    for size, name in steps:
        # Three digits, and no 1.23e+03.
        if abs(value) >= size * 0.9995:
            return f"{value / size:.3g} {name}" if abs(value) < size * 999.5 else f"{value / size:.0f} {name}"
    return f"0 {steps[-1][1]}"


def ratio(result: Result, driver: str, all: Sequence[Result]) -> float | None:
    """How many times better ours is."""
    ours = median(result, "ours")
    source = find(all, result["against"], result["place"]) if driver == "peer" and result["against"] else result
    other = median(source, driver)
    return other / ours if ours and other else None


def verdict(reached: float | None, target: float | None) -> str:
    """Whether a target is met."""
    if target is None:
        return ""
    if reached is None:
        return f"≥ {target:g}"
    return f"≥ {target:g} {'met' if reached >= target else 'NOT met'}"


HEAD = ("workload", "ours", "IQR", "peer", "JDBC", "peer/ours", "target", "JDBC/ours", "target")
GROUPS = {
    SERVER: "Against the server",
    REPLAY: "Against the replay server: the driver alone",
    NEAR: "With 1 ms per round trip",
    FAR: "With 20 ms per round trip",
}


def rows(all: Sequence[Result], place: str) -> list[tuple[str, ...]]:
    """The cells of a place's lines."""
    found = []
    for line in all:
        if line["place"] != place:
            continue
        ours = line["drivers"].get("ours", {}).get("median", {})
        spread = f"{(ours['high'] - ours['low']) / ours['median']:.0%}" if ours.get("high") and ours["median"] else ""
        peer, jdbc = ratio(line, "peer", all), ratio(line, "jdbc", all)
        shown = [amount(median(line, driver), line["unit"]) for driver in ("ours", "peer", "jdbc")]
        found.append((
            line["title"], shown[0], spread, shown[1], shown[2],
            f"{peer:.1f}" if peer else "", verdict(peer, line["target"]),
            f"{jdbc:.1f}" if jdbc else "", verdict(jdbc, line["target_jdbc"]),
        ))
    return found


TRIPS_HEAD = ("round trips of", "ours", "allowed", "peer", "JDBC")


def trip_rows(all: Sequence[Result]) -> list[tuple[str, ...]]:
    """The cells of the table of round trips."""
    found = []
    for line in all:
        if line["place"] != FAR or find(all, line["title"], NEAR) is None:
            continue
        counts = [trips(all, line["title"], driver) for driver in ("ours", "peer", "jdbc")]
        cells = ["–" if count is None else f"{count:.1f}" for count in counts]
        found.append((line["title"], cells[0], "" if line["trips"] is None else str(line["trips"]), cells[1], cells[2]))
    return found


def tables(result: Mapping[str, Any]) -> list[tuple[str, Sequence[str], list[tuple[str, ...]]]]:
    """Title, head and cells of each table."""
    all = [*result["lines"], *derived(result["lines"])]
    found = [(title, HEAD, rows(all, place)) for place, title in GROUPS.items()]
    found.append(("Round trips, out of the two delays", TRIPS_HEAD, trip_rows(all)))
    return [table for table in found if table[2]]


def missed(result: Mapping[str, Any]) -> list[str]:
    """The targets that are not met."""
    all = [*result["lines"], *derived(result["lines"])]
    found = []
    for line in all:
        for driver, target in (("peer", line["target"]), ("jdbc", line["target_jdbc"])):
            reached = ratio(line, driver, all)
            if target is not None and reached is not None and reached < target:
                found.append(f"{line['title']} @ {line['place']}: {reached:.2f} × {driver}, target {target:g}")
    return found


# Texts.


def about(result: Mapping[str, Any]) -> str:
    """What was measured, on what."""
    machine, drivers = result["machine"], result["drivers"]
    versions = "; ".join(f"{name}: {one['driver']} {one['version']}" for name, one in drivers.items())
    runtimes = {f"Python {one['python']}" for one in drivers.values() if "python" in one}
    runtimes |= {f"Java {one['java']}" for one in drivers.values() if "java" in one}
    return (
        f"{versions}; {', '.join(sorted(runtimes))}; {machine['processor']}, {machine['cores']} processors, {machine['system']}; "
        f"server: {result['server']}; {result['rounds']} rounds in {result['seconds']:.0f} s; {result['date']}"
    )


def floor(result: Mapping[str, Any]) -> str:
    """The replay server's own speed."""
    speed = result.get("replay")
    if not speed:
        return ""
    return (
        f"Replay server alone: {speed['fetch_rows'] / 1e6:.0f} million rows sent per second "
        f"({speed['fetch_bytes'] / 1e9:.1f} GB/s), {speed['insert_rows'] / 1e6:.1f} million INSERTs taken per second "
        f"({speed['insert_bytes'] / 1e6:.0f} MB/s), {speed['round_trip'] * 1e6:.0f} µs for the smallest round trip."
    )


def text(result: Mapping[str, Any]) -> str:
    """For a terminal."""
    parts = [about(result), floor(result)]
    for title, head, cells in tables(result):
        widths = [max(len(row[i]) for row in [head, *cells]) for i in range(len(head))]
        table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [head, *cells]]
        parts.append("\n".join([title, *table]))
    late = missed(result)
    parts.append("\n".join(["Targets not met:", *late]) if late else "All targets are met.")
    return "\n\n".join(part for part in parts if part)


def markdown(result: Mapping[str, Any]) -> str:
    """For docs/performance.md."""
    parts = [about(result) + ".", floor(result)]
    for title, head, cells in tables(result):
        table = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *cells]]
        parts.append("\n".join([f"**{title}**", "", *table]))
    return "\n\n".join(part for part in parts if part)
