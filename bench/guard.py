"""How many instructions the Python hot paths take, counted by valgrind and compared with `guard.tsv`: `make guard-python`.

Each case runs twice against the replay server in a process of its own, once with three times the rows: the difference is free of what
happens once. Counts depend on the compiler and on the interpreter, not on the load of the machine: with others than those of the figures
differences only warn. `check` compares, `bless` writes the figures anew.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from harness import running, settings
from workloads.data import rows as first_rows
from workloads.fetching import text
from workloads.operation import Session, expect

HERE = Path(__file__).resolve().parent
FIGURES = HERE / "guard.tsv"
TOLERANCE = 5.0
"""A case may take so many percent more."""
ROWS = 10_000
"""Of a short run."""


def tuples(session: Session, rows: int) -> None:
    """Row of 5 columns into a kept tuple."""
    cursor = session.connection.cursor()
    cursor.execute(text(rows))
    expect(len(cursor.fetchall()), rows)


def streamed(session: Session, rows: int) -> None:
    """Row of 5 columns that is dropped before the next one comes."""
    cursor = session.connection.cursor()
    cursor.execute(text(rows))
    expect(sum(1 for _ in cursor), rows)


def parameters(session: Session, rows: int) -> None:
    """Row of 5 parameters in `executemany`, in a transaction."""
    connection = session.connect(autocommit=False)
    cursor = connection.cursor()
    # Both runs go on at once, each with a table of its own: the replay server counts and compares what is put into one.
    cursor.executemany(f"INSERT INTO guard_{rows} VALUES (?, ?, ?, ?, ?)", first_rows(ROWS * 3)[:rows])
    connection.commit()
    expect(cursor.rowcount, rows)


async def _aio(session: Session, rows: int, *, keep: bool) -> None:
    from informix_db import aio  # noqa: PLC0415 - instructions of the others

    async with await aio.connect(**session.arguments) as connection:
        cursor = connection.cursor()
        await cursor.execute(text(rows))
        count = len(await cursor.fetchall()) if keep else 0
        async for _ in cursor:
            count += 1
        expect(count, rows)


def aio_tuples(session: Session, rows: int) -> None:
    """Row of 5 columns into a kept tuple, asyncio."""
    asyncio.run(_aio(session, rows, keep=True))


def aio_streamed(session: Session, rows: int) -> None:
    """Row of 5 columns that is dropped before the next one comes, asyncio."""
    asyncio.run(_aio(session, rows, keep=False))


CASES: dict[str, Callable[[Session, int], None]] = {
    case.__name__: case for case in (tuples, streamed, parameters, aio_tuples, aio_streamed)
}


def circumstances() -> str:
    """What the counts depend on: compiler, target, interpreter and how that was built."""
    found = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True).stdout
    fields = dict(line.split(": ", 1) for line in found.splitlines() if ": " in line)
    python = ".".join(map(str, sys.version_info[:3]))
    built = re.sub(r"'--prefix=[^']*' ?", "", sysconfig.get_config_var("CONFIG_ARGS") or "").strip()
    return f"rustc {fields.get('release')} {fields.get('host')}, Python {python} {built}"


def run(case: str, rows: int, arguments: dict[str, Any], *before: str) -> str:
    """Runs a case in a process of its own, behind the words of `before`; what it has written to the standard error."""
    command = [*before, sys.executable, str(HERE / "guard.py"), "case", case, str(rows), json.dumps(arguments)]
    environment = {
        **os.environ,
        # The order of sets of strings is the same each time, and modules are compiled by the first run alone.
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(settings().out / "pycache"),
    }
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"{case} failed:\n{done.stderr}")
    return done.stderr


def count(case: str, rows: int, arguments: dict[str, Any]) -> int:
    """Instructions of a whole process."""
    text = run(case, rows, arguments, "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
    found = re.search(r"refs: +([\d,]+)", text)
    if not found:
        raise RuntimeError(f"valgrind has not counted:\n{text}")
    return int(found[1].replace(",", ""))


def count_all() -> dict[str, float]:
    """Instructions per row of every case; as many at a time as there are processors."""
    with running([settings().tool, "replay"], None) as program, ThreadPoolExecutor(os.cpu_count()) as pool:
        arguments = program.place.arguments()
        for case in CASES:
            run(case, 1, arguments)
        jobs = {case: [pool.submit(count, case, rows, arguments) for rows in (ROWS, ROWS * 3)] for case in CASES}
        return {case: (many.result() - few.result()) / (ROWS * 2) for case, (few, many) in jobs.items()}


def bless() -> bool:
    """Writes the figures."""
    lines = ["# Instructions per row (bench/guard.py). Written by `make guard-bless`, compared by `make guard-python`."]
    lines.append(f"with\t{circumstances()}")
    lines.extend(f"{case}\t{figure:.1f}" for case, figure in sorted(count_all().items()))
    FIGURES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"guard: wrote {FIGURES}")
    return True


def check() -> bool:
    """Compares; False when something takes more."""
    lines = FIGURES.read_text(encoding="utf-8").splitlines()
    before = dict(line.split("\t", 1) for line in lines if not line.startswith("#"))
    known, today = before.pop("with"), circumstances()
    counts = count_all()
    slower = [f"{case} is in the figures and is no case any more" for case in before if case not in counts]
    for case, now in counts.items():
        if case not in before:
            slower.append(f"{case} has no figure")
            continue
        change = (now / float(before[case]) - 1) * 100
        print(f"{case:<16} {float(before[case]):>10.1f} {now:>10.1f} {change:>+7.1f}%  {CASES[case].__doc__}")
        if change > TOLERANCE:
            slower.append(f"{case} takes {now:.0f} instructions per row, {change:.1f} % more")
        elif change < -TOLERANCE:
            print(f"faster by more than {TOLERANCE} %: {case}. `make guard-bless` keeps that.")
    for line in slower:
        print(f"SLOWER: {line}")
    if slower and known != today:
        print(f"WARNING: the figures are of {known}, this is {today}: differences are no failure here")
    return not slower or known != today


def main(arguments: list[str]) -> int:
    """Runs a case, or counts all of them."""
    match arguments:
        case ["case", name, rows, place]:
            session = Session(json.loads(place))
            CASES[name](session, int(rows))
            return 0
        case ["check"]:
            return 0 if check() else 1
        case ["bless"]:
            return 0 if bless() else 1
    print("arguments: check | bless", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
