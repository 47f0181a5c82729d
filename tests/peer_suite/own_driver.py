"""Runs the integration tests of the pure Python driver `informix-driver` with that driver itself against the embedded server.

    python tests/peer_suite/own_driver.py [--scratch DIR]

Run with the interpreter of an environment that has tests/requirements.txt. IFX names the program `ifx`. Everything must run
and pass but what `own_driver_exceptions.txt` lists with its reason: such a test may fail. A skipped test is a failure too,
since its author says that all of them run against real servers.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import informix_db
import suite

# The sdist's integration tests without its benchmarks: fewer results would mean that some were not run.
TESTS = 473
UTF8 = "utf8db"


def make_utf8_database(port: int) -> None:
    """One of the tests asks for a database with this code set and is skipped without."""
    utf8 = "en_US.utf8"
    settings = {"user": "informix", "password": "in4mix", "server": "informix", "autocommit": True}
    with informix_db.connect(
        "127.0.0.1", port, database=None, client_locale=utf8, env={"DB_LOCALE": utf8}, **settings
    ) as connection:
        connection.cursor().execute(f"CREATE DATABASE {UTF8} WITH LOG")


def judge(results: dict[str, str], listed: dict[str, str]) -> list[str]:
    """What is wrong, a line each."""
    wrong = [
        f"{outcome}, and is not listed: {test}"
        for test, outcome in sorted(results.items())
        if outcome != "passed" and suite.entry_of(test, listed) is None
    ]
    known = {suite.entry_of(test, listed) for test in results}
    wrong += [f"listed, but there is no such test: {entry}" for entry in listed if entry not in known]
    if len(results) != TESTS:
        wrong.append(f"{len(results)} tests ran, there should be {TESTS}")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scratch", type=Path, default=Path("target/judges/peer_suite"))
    tests = suite.unpack(parser.parse_args().scratch.resolve())
    chosen = ["-m", "integration and not benchmark", "tests"]
    results = suite.run(tests, chosen, {"IFX_UTF8_DATABASE": UTF8}, prepare=make_utf8_database)
    listed = suite.exceptions(suite.HERE / "own_driver_exceptions.txt")
    wrong = judge(results, listed)
    count = suite.counts(results)
    print("\n".join(wrong))
    print(f"peer's own suite: {count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    print(f"peer's own suite: {len(wrong)} of these are not listed in own_driver_exceptions.txt")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
