"""Runs the test suite of the pure Python driver `informix-driver`, unchanged, on our `informix_db` and the embedded server.

    python tests/peer_suite/run.py [--scratch DIR] [--all] [pytest arguments…]

Run with the interpreter of an environment that has our `informix_db` and tests/python/requirements.txt. IFX names the
program `ifx`. The sdist comes from PyPI and is unpacked in the scratch directory. `exceptions.txt` beside this file lists
the tests that may fail, each with its reason; the run fails when another one fails, or when a listed one passes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SDIST = "informix-driver==2026.9.3"
TIMEOUT = 60


def unpack(scratch: Path) -> Path:
    """The suite's directory, downloaded when it is not there yet."""
    scratch.mkdir(parents=True, exist_ok=True)
    found = sorted(scratch.glob("informix_driver-*/tests"))
    if not found:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--no-binary", ":all:", "--dest", scratch, SDIST], check=True)
        with tarfile.open(next(scratch.glob("informix_driver-*.tar.gz"))) as archive:
            archive.extractall(scratch, filter="data")
        found = sorted(scratch.glob("informix_driver-*/tests"))
    return found[0].parent


def exceptions() -> dict[str, str]:
    """Test id -> reason. An id without `[…]` stands for all variants of a test, a file for all of its tests."""
    listed = {}
    for number, line in enumerate((HERE / "exceptions.txt").read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        test, _, reason = line.partition("  ")
        if not reason.strip():
            sys.exit(f"exceptions.txt, line {number}: no reason (two blanks, then why)")
        listed[test] = reason.strip()
    return listed


def entry_of(test: str, listed: dict[str, str]) -> str | None:
    """The entry that a test falls under."""
    for name in (test, test.partition("[")[0], test.partition("::")[0]):
        if name in listed:
            return name
    return None


def run_suite(suite: Path, outcomes: Path, arguments: list[str]) -> None:
    """Runs pytest against a server of its own."""
    with subprocess.Popen([os.environ["IFX"], "serve", "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            port = server.stdout.readline().strip().rpartition(":")[2]
            environment = {name: value for name, value in os.environ.items() if not name.startswith("IFX_")}
            environment |= {"IFX_PORT": port, "OUTCOMES": str(outcomes), "PYTHONPATH": str(HERE)}
            # The suite's own options leave the integration tests out.
            options = ["-o", "addopts=", "--strict-markers", "-m", "not benchmark", "--ignore", "tests/benchmarks"]
            options += ["-p", "outcomes", "-p", "private_names", "-p", "no:cacheprovider"]
            options += ["--timeout", str(TIMEOUT), "-q", "--tb=line"]
            subprocess.run(
                [sys.executable, "-B", "-m", "pytest", *options, *arguments], cwd=suite, env=environment, check=False
            )
        finally:
            server.terminate()


def judge(results: dict[str, str], listed: dict[str, str], complete: bool) -> list[str]:
    """What is wrong, a line each."""
    wrong = []
    seen = set()
    for test, outcome in sorted(results.items()):
        entry = entry_of(test, listed)
        if outcome == "failed":
            if entry is None:
                wrong.append(f"failed, and is not listed: {test}")
            else:
                seen.add(entry)
        elif outcome == "passed" and entry is not None:
            wrong.append(f"listed under {entry!r}, but passes: {test}")
    if complete:
        wrong += [f"listed, but did not fail: {entry}" for entry in listed if entry not in seen]
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scratch", type=Path, default=Path("target/judges/peer_suite"))
    options, arguments = parser.parse_known_args()
    suite = unpack(options.scratch.resolve())
    outcomes = options.scratch.resolve() / "outcomes.json"
    outcomes.unlink(missing_ok=True)
    run_suite(suite, outcomes, arguments)
    if not outcomes.exists():
        sys.exit("peer suite: pytest did not come to its end")
    results = json.loads(outcomes.read_text())
    listed = exceptions()
    wrong = judge(results, listed, complete=not arguments)
    count = {kind: sum(1 for value in results.values() if value == kind) for kind in ("passed", "failed", "skipped")}
    print("\n".join(wrong))
    print(
        f"peer suite: {count['failed']} tests failed as {len(listed)} listed exceptions say, apart from these: {len(wrong)}"
    )
    print(f"peer suite: {count['passed']} passed, {len(wrong)} failed, {count['skipped']} skipped")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
