"""The whole run with little to do: every workload gives right answers everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

RUN = Path(__file__).resolve().parents[1] / "run.py"


def test_every_line_has_a_figure(tmp_path):
    environment = {
        **os.environ,
        "BENCH_PYTHON": sys.executable,
        "BENCH_DRIVERS": "ours",
        "BENCH_ROUNDS": "1",
        "BENCH_SMALL": "1",
        "BENCH_OUT": str(tmp_path),
    }
    done = subprocess.run([sys.executable, "-B", RUN], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "results.json").read_text())
    without = [line["title"] for line in result["lines"] if not line["drivers"]]
    # Only what the driver may lack.
    assert all("Arrow" in title for title in without)
    assert result["replay"]["insert_rows"] > 0
    for line in result["lines"]:
        assert line["title"] in done.stdout
    ElementTree.parse(tmp_path / "ratios.svg")
