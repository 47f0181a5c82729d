"""The Python examples of README.md and docs/python.md, run as written against the embedded server."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    pytest.param(block, id=f"{name}-{number}")
    for name in ("README.md", "docs/python.md")
    for number, block in enumerate(BLOCK.findall((ROOT / name).read_text(encoding="utf-8")), 1)
]


def test_there_are_examples():
    assert len(EXAMPLES) > 8


@pytest.mark.parametrize("code", EXAMPLES)
def test_example(server, tmp_path, code):
    """Only the port is another one."""
    done = subprocess.run(
        [sys.executable, "-c", code.replace("9088", str(server.port))],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=dict(os.environ),
        check=False,
    )
    assert done.returncode == 0, done.stderr
