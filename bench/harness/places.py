"""Where servers are, and the programs that serve them."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""Of the repository."""
_START = "listening on "


@dataclass(frozen=True)
class Place:
    """Where a server listens, and who logs in."""

    host: str = "127.0.0.1"
    port: int = 0
    user: str = "informix"
    password: str = field(default="in4mix", repr=False)
    database: str = "testdb"
    server: str = "informix"

    def arguments(self) -> dict[str, object]:
        """For `informix_db.connect` and its like, and for the request to a worker."""
        return asdict(self)


@dataclass(frozen=True)
class Settings:
    """What the environment says; every variable has a default that fits `make bench`."""

    ifx: str
    """IFX: the program `ifx`."""
    tool: str
    """INFORMIX_BENCH: the program `informix-bench` (replay server, delaying relay)."""
    python_ours: str
    """BENCH_PYTHON: an interpreter with our package."""
    python_peer: str
    """BENCH_PEER_PYTHON: an interpreter with the peer driver."""
    jars: Path
    """JARS: the directory of the JDBC driver."""
    classes: Path
    """CLASSES: where compiled Java goes."""
    out: Path
    """BENCH_OUT: where results go."""
    rounds: int
    """BENCH_ROUNDS: rounds that count, after one that does not."""
    only: tuple[str, ...]
    """BENCH_ONLY: parts of row names, with commas between; empty for all."""
    drivers: tuple[str, ...]
    """BENCH_DRIVERS: of "ours", "peer", "jdbc"."""
    small: bool
    """BENCH_SMALL=1: little to do, to see whether everything works."""
    real: Place | None
    """IFX_HOST, IFX_PORT, IFX_USER, IFX_PASSWORD, IFX_DATABASE, IFX_SERVER: a server to measure against instead of the
    embedded one; None without IFX_HOST."""


def settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Reads the environment."""
    target = Path(environment.get("CARGO_TARGET_DIR", ROOT / "target"))
    judges = target / "judges"
    get = environment.get
    real = None
    if get("IFX_HOST"):
        base = Place()
        real = Place(
            host=environment["IFX_HOST"],
            port=int(get("IFX_PORT", "9088")),
            user=get("IFX_USER", base.user),
            password=get("IFX_PASSWORD", base.password),
            database=get("IFX_DATABASE", base.database),
            server=get("IFX_SERVER", base.server),
        )
    return Settings(
        ifx=get("IFX", str(target / "release/ifx")),
        tool=get("INFORMIX_BENCH", str(target / "release/informix-bench")),
        python_ours=get("BENCH_PYTHON", str(judges / "pyvenv/bin/python")),
        python_peer=get("BENCH_PEER_PYTHON", str(judges / "venv/bin/python")),
        jars=Path(get("JARS", judges / "jars")),
        classes=Path(get("BENCH_CLASSES", target / "bench/classes")),
        out=Path(get("BENCH_OUT", target / "bench")),
        rounds=int(get("BENCH_ROUNDS", "10")),
        only=_words(get("BENCH_ONLY", "")),
        drivers=_words(get("BENCH_DRIVERS", "ours,peer,jdbc")),
        small=get("BENCH_SMALL") == "1",
        real=real,
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


@dataclass(frozen=True)
class Program:
    """A program that serves."""

    pid: int
    place: Place


@contextlib.contextmanager
def running(command: Sequence[str], base: Place | None = None) -> Iterator[Program]:
    """Starts a program whose first line is "listening on HOST:PORT", and ends it behind the block.

    `base` says who logs in; host and port are those of that line.
    """
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        if not line.startswith(_START):
            raise RuntimeError(f"{command[0]} did not start: its first line was {line!r}")
        host, _, port = line.removeprefix(_START).rpartition(":")
        yield Program(process.pid, replace(base or Place(), host=host, port=int(port)))
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


@contextlib.contextmanager
def started(command: Sequence[str], base: Place | None = None) -> Iterator[Place]:
    """As `running`, for those who need only the place."""
    with running(command, base) as program:
        yield program.place
