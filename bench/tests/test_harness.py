"""The arithmetic of the benchmarks, and the order in which things are measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))

import report  # noqa: E402
import run  # noqa: E402
from harness import Summary, Worker, WorkerError, interleaved, percentile, settings  # noqa: E402
from lines import chosen, lines, small  # noqa: E402


@pytest.mark.parametrize(
    "values, share, wanted",
    [([7.0], 0.99, 7.0), ([3.0, 1.0, 2.0], 0.5, 2.0), ([1.0, 2.0], 0.5, 1.5), ([1, 2, 3, 4, 5], 0.25, 2), (range(101), 0.99, 99)],
)
def test_percentile(values, share, wanted):
    assert percentile(list(values), share) == pytest.approx(wanted)


def test_summary():
    found = Summary.of([5.0, 1.0, 2.0, 4.0, 3.0])
    assert (found.median, found.low, found.high, found.count) == (3.0, 2.0, 4.0, 5)
    with pytest.raises(ValueError):
        Summary.of([])


def test_rounds_are_interleaved_and_the_first_is_dropped():
    order = []

    def task(name):
        return lambda: order.append(name) or len(order)

    figures = interleaved({name: task(name) for name in "abc"}, rounds=3)
    assert "".join(order) == "abc" + "bca" + "cab" + "abc"
    assert figures == {"a": [6, 8, 10], "b": [4, 9, 11], "c": [5, 7, 12]}


def test_a_worker_answers_and_reports_errors(tmp_path):
    program = tmp_path / "worker.py"
    program.write_text(
        f"import sys; sys.path.insert(0, {str(BENCH)!r})\n"
        "from harness.workers import serve\n"
        "serve({'driver': 'none'}, lambda request: {'half': 10 / request['by']})\n"
    )
    with Worker([sys.executable, str(program)]) as worker:
        assert worker.hello == {"driver": "none"}
        assert worker.ask({"by": 4}) == {"half": 2.5}
        with pytest.raises(WorkerError, match="ZeroDivisionError"):
            worker.ask({"by": 0})
        assert worker.ask({"by": 5}) == {"half": 2.0}


def test_the_environment_chooses():
    assert settings({}).real is None
    found = settings({"IFX_HOST": "db", "IFX_PORT": "1526", "IFX_USER": "u", "BENCH_ROUNDS": "3", "BENCH_ONLY": "pool, replay"})
    assert found.real is not None and (found.real.host, found.real.port, found.real.user) == ("db", 1526, "u")
    assert (found.rounds, found.only) == (3, ("pool", "replay"))


def test_lines_have_names_of_their_own_and_can_be_chosen():
    names = [line.name for line in lines()]
    assert len(names) == len(set(names))
    assert [line.name for line in chosen(["ARROW @ Server"])] == ["SELECT 100k rows into Arrow @ server"]
    assert all(small(line).arguments.get("rows", 0) <= 1000 for line in lines())


def line(title, place, ours, peer, **more):
    """A result as `report.results` makes it."""
    drivers = {name: {"median": {"median": value, "low": value, "high": value}} for name, value in (("ours", ours), ("peer", peer)) if value}
    base = {"unit": "s", "target": None, "target_jdbc": None, "against": None, "trips": None, "rows": None}
    return {"title": title, "place": place, **base, **more, "drivers": drivers}


@pytest.fixture
def result():
    found = [
        line("SELECT 100k rows into tuples", "server", 0.05, 0.5, target=8.0),
        line("SELECT 100k rows into Arrow", "server", 0.025, None, target=25.0, against="SELECT 100k rows into tuples"),
        line("SELECT one row", "1 ms", 0.0011, 0.0055, trips=1),
        line("SELECT one row", "20 ms", 0.0201, 0.1005, trips=1),
        line("SELECT 1k rows into tuples", "replay", 0.001, 0.01, rows=1000),
        line("SELECT 100k rows into tuples", "replay", 0.1, 1.0, rows=100_000),
    ]
    machine = {"processor": "p", "cores": 2, "system": "s"}
    return {"lines": found, "machine": machine, "drivers": {}, "server": "embedded", "rounds": 1, "seconds": 1.0, "date": "d"}


def test_ratios_targets_and_round_trips(result):
    all = result["lines"]
    assert report.ratio(all[0], "peer", all) == pytest.approx(10.0)
    assert report.ratio(all[1], "peer", all) == pytest.approx(20.0)
    assert report.missed(result) == ["SELECT 100k rows into Arrow @ server: 20.00 × peer, target 25"]
    assert (report.verdict(8.0, 8.0), report.verdict(7.9, 8.0), report.verdict(None, 8.0)) == ("≥ 8 met", "≥ 8 NOT met", "≥ 8")
    assert report.trips(all, "SELECT one row", "ours") == pytest.approx(1.0)
    assert report.trips(all, "SELECT one row", "peer") == pytest.approx(5.0)
    rows, cells = report.derived(all)
    assert rows["drivers"]["ours"]["median"]["median"] == pytest.approx(1e-6)
    assert cells["drivers"]["peer"]["median"]["median"] == pytest.approx(2e-6)


@pytest.mark.parametrize(
    "value, unit, wanted",
    [(0.0015, "s", "1.5 ms"), (0.99999, "s", "1 s"), (0.0009999, "s", "1 ms"), (1.23e-7, "s", "123 ns"), (2_440_000, "B", "2.44 MB"), (0, "B", "0 B"), (None, "s", "–"), (1.5, "×", "1.50")],
)
def test_amounts(value, unit, wanted):
    assert report.amount(value, unit) == wanted


def test_the_page_is_updated_between_its_marks(result, tmp_path):
    page = tmp_path / "performance.md"
    marks = "".join(f"<!-- {name}: begin -->\nold {name}\n<!-- {name}: end -->\n" for name in run.BLOCKS)
    page.write_text(f"before\n{marks}after\n")
    (tmp_path / "results.json").write_text(json.dumps(result))
    busy = {"requests_per_second": 200.0, "cpu_us_per_request": 20.0, "p50_us": 100.0, "p99_us": 1500.0}
    many = {"busy": [{"connections": 32, "ours": busy, "peer": busy | {"requests_per_second": 50.0}}], "idle": [{"connections": 1000, "query": True, "ours": 9000.0}]}
    (tmp_path / "connections.json").write_text(json.dumps(many))
    for _ in range(2):
        run.update_docs(tmp_path, page)
    text = page.read_text()
    assert text.startswith("before\n<!-- bench: begin -->\n") and text.endswith("<!-- transport: end -->\nafter\n")
    assert text.count("| SELECT 100k rows into tuples | 50 ms |") == 1
    assert "| 32 | peer | 50 | 4.0 | 20 µs | 0.10 ms | 1.50 ms |" in text
    assert "| 1000, after a query each | ours | 9.0 kB |" in text
    assert "old bench" not in text and "old transport" in text, "what was not measured stays"
    page.write_text("no marks")
    with pytest.raises(ValueError, match="bench"):
        run.update_docs(tmp_path, page)
