"""Rows that are read one by one take a bounded amount of memory, however many they are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import running, settings  # noqa: E402
from workloads.memory import measured  # noqa: E402
from workloads.operation import Session  # noqa: E402

ROWS = 400_000
"""53 bytes each on the wire, and some 360 as Python objects."""
BOUND = 12 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells the peak of memory on Linux only")
@pytest.mark.parametrize("face", ["blocking", "asyncio"])
def test_streaming_is_bounded(face):
    with running([settings().tool, "replay"], None) as program:
        found = measured(Session(program.place.arguments()), ROWS, face)
    assert found["rows"] == ROWS
    assert 0 < found["bytes"] < BOUND, found
