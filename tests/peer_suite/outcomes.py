"""pytest plugin: writes what became of every test to the file named by OUTCOMES."""

import json
import os

results = {}


def pytest_collectreport(report):
    if report.failed:
        results[report.nodeid] = "failed"


def pytest_runtest_logreport(report):
    if report.failed or report.nodeid not in results or report.when == "call":
        # A failure in setup or teardown counts too, and stays.
        if results.get(report.nodeid) != "failed":
            results[report.nodeid] = report.outcome


def pytest_sessionfinish():
    with open(os.environ["OUTCOMES"], "w") as out:
        json.dump(results, out, indent=1)
