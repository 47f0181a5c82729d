"""Runs the test suite of the pure Python driver `informix-driver`, unchanged, on our `informix_db` and the embedded server.

    python tests/peer_suite/run.py [--scratch DIR] [pytest arguments…]

Run with the interpreter of an environment that has our `informix_db` and tests/python/requirements.txt. IFX names the
program `ifx`. The sdist comes from PyPI and is unpacked in the scratch directory. `exceptions.txt` beside this file lists
the tests that may fail, each with its reason; the run fails when another one fails, or when a listed one passes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import suite

TIMEOUT = 60


def judge(results: dict[str, str], listed: dict[str, str], complete: bool) -> list[str]:
    """What is wrong, a line each."""
    wrong = []
    seen = set()
    for test, outcome in sorted(results.items()):
        entry = suite.entry_of(test, listed)
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
    tests = suite.unpack(options.scratch.resolve())
    chosen = ["-m", "not benchmark", "--ignore", "tests/benchmarks", "-p", "private_names"]
    chosen += ["--timeout", str(TIMEOUT), "--tb=line", *arguments]
    results = suite.run(tests, chosen, {})
    listed = suite.exceptions(suite.HERE / "exceptions.txt")
    wrong = judge(results, listed, complete=not arguments)
    count = suite.counts(results)
    print("\n".join(wrong))
    print(
        f"peer suite: {count['failed']} tests failed as {len(listed)} listed exceptions say, apart from these: {len(wrong)}"
    )
    print(f"peer suite: {count['passed']} passed, {len(wrong)} failed, {count['skipped']} skipped")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
