"""What both runs of the peer's suite share: the sdist, a server of its own, the list of exceptions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SDIST = "informix-driver==2026.9.3"


def unpack(scratch: Path) -> Path:
    """The sdist's directory, downloaded when it is not there yet."""
    scratch.mkdir(parents=True, exist_ok=True)
    found = sorted(scratch.glob("informix_driver-*/tests"))
    if not found:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--no-binary", "informix-driver", "--dest", scratch, SDIST], check=True)
        with tarfile.open(next(scratch.glob("informix_driver-*.tar.gz"))) as archive:
            archive.extractall(scratch, filter="data")
        found = sorted(scratch.glob("informix_driver-*/tests"))
    return found[0].parent


def exceptions(path: Path) -> dict[str, str]:
    """Test id -> reason. An id without `[…]` stands for all variants of a test, a file for all of its tests."""
    listed = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        test, _, reason = line.partition("  ")
        if not reason.strip():
            sys.exit(f"{path.name}, line {number}: no reason (two blanks, then why)")
        listed[test] = reason.strip()
    return listed


def entry_of(test: str, listed: dict[str, str]) -> str | None:
    """The entry that a test falls under."""
    for name in (test, test.partition("[")[0], test.partition("::")[0]):
        if name in listed:
            return name
    return None


def run(suite: Path, options: list[str], environment: dict[str, str], prepare=lambda port: None) -> dict[str, str]:
    """Runs pytest against a server of its own; gives test id -> outcome. `prepare` is called with the server's port."""
    outcomes = suite.parent / "outcomes.json"
    outcomes.unlink(missing_ok=True)
    with subprocess.Popen([os.environ["IFX"], "serve", "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            port = server.stdout.readline().strip().rpartition(":")[2]
            prepare(int(port))
            inherited = {name: value for name, value in os.environ.items() if not name.startswith("IFX_")}
            own = {"IFX_PORT": port, "OUTCOMES": str(outcomes), "PYTHONPATH": str(HERE)}
            # The suite's own options leave the integration tests out.
            command = [sys.executable, "-B", "-m", "pytest", "-o", "addopts=", "--strict-markers"]
            command += ["-p", "outcomes", "-p", "no:cacheprovider", "-q", *options]
            subprocess.run(command, cwd=suite, env=inherited | own | environment, check=False)
        finally:
            server.terminate()
    if not outcomes.exists():
        sys.exit("peer suite: pytest did not come to its end")
    return json.loads(outcomes.read_text())


def counts(results: dict[str, str]) -> dict[str, int]:
    """How many tests passed, failed and were skipped."""
    return {kind: sum(1 for value in results.values() if value == kind) for kind in ("passed", "failed", "skipped")}
