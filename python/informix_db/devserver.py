"""Starts the embedded development server (`ifx serve`) for tests and trials.

    with DevServer() as server:
        connection = informix_db.connect(**server.connect_args())

The program `ifx` is looked for in the environment variable IFX, beside the Python interpreter (where
`pip install ./crates/informix-cli` puts it), then in PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from .exceptions import OperationalError

__all__ = ["DevServer", "find_ifx"]

_START = "listening on "


def find_ifx() -> str:
    """Path of the program `ifx`; OperationalError when there is none."""
    path = os.environ.get("IFX") or shutil.which("ifx", path=sysconfig.get_path("scripts")) or shutil.which("ifx")
    if not path:
        raise OperationalError(
            "the program `ifx` was not found: it is not part of this package. Install it with `pip install ./crates/informix-cli`"
            " or `cargo install --path crates/informix-cli` in the sources, put it into PATH, or its path into the environment"
            " variable IFX"
        )
    return path


class DevServer:
    """A server of its own on a free port of this machine, from `start` to `stop`.

    Its data are gone at the end, unless `directory` is given. `load` names .sql scripts and dbexport directories that are
    loaded first; `faults` are rules by which the server misbehaves, such as "execute#3 close" (docs/devserver.md).
    `databases` are made instead of `testdb`: "name", "name:ansi" or "name:unlogged:de_DE.8859-1"; connections are for the first.
    `tls` is a certificate chain and its private key, two PEM files: the server then speaks TLS.
    """

    def __init__(
        self,
        *,
        ifx: str | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        user: str = "informix",
        password: str = "in4mix",
        server: str = "informix",
        database: str | None = None,
        databases: Sequence[str] = (),
        tls: tuple[str | os.PathLike[str], str | os.PathLike[str]] | None = None,
        directory: str | os.PathLike[str] | None = None,
        load: Sequence[str | os.PathLike[str]] = (),
        faults: Sequence[str] = (),
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        stop_timeout: float = 10.0,
    ) -> None:
        self.host = host
        self.port = port
        self.user = user
        self.password = password
        self.server = server
        self.database = database or (databases[0].partition(":")[0] if databases else "testdb")
        self._tls = tls is not None
        self._ifx = ifx
        self._arguments = ["--host", host, "--port", str(port), "--user", user, "--password", password, "--server-name", server]
        if directory is not None:
            self._arguments += ["--dir", os.fspath(directory)]
        for spec in databases:
            self._arguments += ["--database", spec]
        if tls is not None:
            self._arguments += ["--tls-cert", os.fspath(tls[0]), "--tls-key", os.fspath(tls[1])]
        for path in load:
            self._arguments += ["--load", os.fspath(path)]
        for rule in faults:
            self._arguments += ["--fault", rule]
        self._arguments += arguments
        self._environment = environment
        self._stop_timeout = stop_timeout
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int | None:
        """Number of the server's process; None when it does not run."""
        return None if self._process is None else self._process.pid

    def start(self) -> DevServer:
        """Starts the server and returns when it accepts connections."""
        if self._process is not None:
            return self
        environment = None if self._environment is None else {**os.environ, **self._environment}
        process = subprocess.Popen(
            [self._ifx or find_ifx(), "serve", *self._arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        if not line.startswith(_START):
            process.kill()
            process.wait()
            process.stdout.close()
            raise OperationalError(f"the server did not start: its first line was {line!r}")
        self._process = process
        self.port = int(line.rsplit(":", 1)[1])
        return self

    def stop(self) -> None:
        """Ends the server; more than once if you like."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(self._stop_timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def connect_args(self, **more: Any) -> dict[str, Any]:
        """Arguments for `informix_db.connect` and its like. With TLS nothing is verified, unless you give another `tls`."""
        tls = {"tls": True} if self._tls else {}
        return {
            "host": self.host,
            "port": self.port,
            "user": self.user,
            "password": self.password,
            "server": self.server,
            "database": self.database,
            **tls,
            **more,
        }

    def __enter__(self) -> DevServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
