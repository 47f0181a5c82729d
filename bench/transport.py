"""What our transport costs beside the bare socket: messages there and back, plain and inside TLS, blocking and on asyncio.

    python bench/transport.py [--json FILE] [--messages 1000 10000 50000]

A message is a `ping`: 4 bytes out, 2 bytes back. One server, in a process of its own, answers all clients from memory with what the
replay server of INFORMIX_BENCH was seen to answer; the bare clients send the same bytes. Then the A/B of IFX_BUFFERED_READER: one
large fetch with reads as large as the buffers, and with reads of 4096 bytes. Everything runs on one processor.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import pickle
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import informix_db
from harness import machine, percentile, settings, started, write_json
from informix_db import aio

ROUNDS = 5
FETCHED = 100_000


# Blocking and asyncio connections ask a database for its locale at different times; with it they have the same conversation.
LOCALE = {"client_locale": "en_US.8859-1"}


class Turns:
    """Requests of a connection and their replies, as a relay has seen them. The last turn is a message."""

    def __init__(self, replay: Any) -> None:
        self.turns: list[list[bytes]] = []
        with socket.create_server(("127.0.0.1", 0)) as listener:
            relay = threading.Thread(target=self._relay, args=(listener, (replay.host, replay.port)), daemon=True)
            relay.start()
            arguments = {**replay.arguments(), **LOCALE, "port": listener.getsockname()[1], "autocommit": True}
            with informix_db.connect(**arguments) as connection:
                for _ in range(3):
                    connection.ping()
                self.turns = [list(turn) for turn in self.turns]
                seen = len(self.turns)
            relay.join()
            del self.turns[seen:]

    def _relay(self, listener: socket.socket, target: tuple[str, int]) -> None:
        client, _ = listener.accept()
        with client, socket.create_connection(target) as server:

            def back() -> None:
                while data := server.recv(1 << 16):
                    self.turns[-1][1] += data
                    client.sendall(data)

            thread = threading.Thread(target=back, daemon=True)
            thread.start()
            while data := client.recv(1 << 16):
                self.turns.append([data, b""])
                server.sendall(data)
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def serve() -> None:
    """Answers each connection with the recorded replies, the last one for ever. For a process of its own."""
    turns, directory = pickle.load(sys.stdin.buffer)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{directory}/cert.pem", f"{directory}/key.pem")

    def answer(connection: socket.socket, inside: ssl.SSLContext | None) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = inside.wrap_socket(connection, server_side=True) if inside else connection
        replies = [reply for _, reply in turns]
        at = 0
        while stream.recv(1 << 16):
            stream.sendall(replies[at])
            at = min(at + 1, len(replies) - 1)

    def accept(listener: socket.socket, inside: ssl.SSLContext | None) -> None:
        while True:
            threading.Thread(target=answer, args=(listener.accept()[0], inside), daemon=True).start()

    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    for listener, inside in zip(listeners, [None, context]):
        threading.Thread(target=accept, args=(listener, inside), daemon=True).start()
    print(*(listener.getsockname()[1] for listener in listeners), flush=True)
    sys.stdin.buffer.read()


class Clients:
    """Each makes a number of messages and returns the seconds that they took."""

    def __init__(self, turns: list[list[bytes]], ports: list[int], certificate: str) -> None:
        self.turns = turns
        self.request, self.reply = turns[-1]
        self.ports = {"plain": ports[0], "TLS": ports[1]}
        self.certificate = certificate

    def context(self, kind: str) -> ssl.SSLContext | None:
        return ssl.create_default_context(cafile=self.certificate) if kind == "TLS" else None

    def arguments(self, kind: str) -> dict[str, Any]:
        tls = {"tls": self.certificate, "tls_server_hostname": "localhost"} if kind == "TLS" else {}
        login = {"user": "informix", "password": "in4mix", "database": "testdb", "server": "informix"}
        return {**login, **tls, **LOCALE, "host": "127.0.0.1", "port": self.ports[kind], "autocommit": True}

    def bare_blocking(self, kind: str, messages: int) -> float:
        with socket.create_connection(("127.0.0.1", self.ports[kind])) as plain:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            context = self.context(kind)
            stream = context.wrap_socket(plain, server_hostname="localhost") if context else plain
            for request, _ in self.turns:
                stream.sendall(request)
                stream.recv(1 << 16)
            start = time.perf_counter()
            for _ in range(messages):
                stream.sendall(self.request)
                stream.recv(4096)
            return time.perf_counter() - start

    def ours_blocking(self, kind: str, messages: int) -> float:
        with informix_db.connect(**self.arguments(kind)) as connection:
            start = time.perf_counter()
            for _ in range(messages):
                connection.ping()
            return time.perf_counter() - start

    async def bare_asyncio(self, kind: str, messages: int) -> float:
        if kind == "TLS":
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", self.ports[kind], ssl=self.context(kind), server_hostname="localhost"
            )

            async def exchange(request: bytes) -> None:
                writer.write(request)
                await reader.read(4096)

            done: Callable[[], object] = writer.close
        else:
            loop = asyncio.get_running_loop()
            plain = socket.create_connection(("127.0.0.1", self.ports[kind]))
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.setblocking(False)

            async def exchange(request: bytes) -> None:
                await loop.sock_sendall(plain, request)
                await loop.sock_recv(plain, 4096)

            done = plain.close
        for request, _ in self.turns:
            await exchange(request)
        start = time.perf_counter()
        for _ in range(messages):
            await exchange(self.request)
        seconds = time.perf_counter() - start
        done()
        return seconds

    async def ours_asyncio(self, kind: str, messages: int) -> float:
        async with await aio.connect(**self.arguments(kind)) as connection:
            start = time.perf_counter()
            for _ in range(messages):
                await connection.ping()
            return time.perf_counter() - start


def fetch(replay: Any, buffered: str) -> float:
    """Seconds of one large fetch."""
    os.environ["IFX_BUFFERED_READER"] = buffered
    try:
        with informix_db.connect(**replay.arguments(), autocommit=True) as connection:
            cursor = connection.cursor()
            start = time.perf_counter()
            cursor.execute(f"SELECT * FROM bench_{FETCHED}")
            assert len(cursor.fetchall()) == FETCHED
            return time.perf_counter() - start
    finally:
        del os.environ["IFX_BUFFERED_READER"]


def seconds(value: float | Awaitable[float]) -> float:
    """Of a blocking or an asyncio client."""
    return value if isinstance(value, float) else asyncio.run(value)  # type: ignore[arg-type]


def measure(replay: Any, counts: list[int]) -> dict[str, Any]:
    """All lines, the clients of a line one after the other in each round."""
    with tempfile.TemporaryDirectory() as directory:
        command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
        command += " -addext basicConstraints=critical,CA:FALSE"
        files = ["-keyout", f"{directory}/key.pem", "-out", f"{directory}/cert.pem"]
        subprocess.run([*command.split(), *files], check=True, stderr=subprocess.DEVNULL)
        turns = Turns(replay).turns
        with subprocess.Popen(
            [sys.executable, "-B", __file__, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as server:
            assert server.stdin and server.stdout
            pickle.dump((turns, directory), server.stdin)
            server.stdin.flush()
            ports = [int(port) for port in server.stdout.readline().split()]
            clients = Clients(turns, ports, f"{directory}/cert.pem")
            lines = []
            for face in ["blocking", "asyncio"]:
                for kind in ["plain", "TLS"]:
                    pair = [getattr(clients, f"{who}_{face}") for who in ["bare", "ours"]]
                    for count in counts:
                        rounds = max(3, ROUNDS * min(counts) // count)
                        times = [[seconds(one(kind, count)) for one in pair] for _ in range(rounds)]
                        bare, ours = (percentile(list(column), 0.5) / count * 1e6 for column in zip(*times))
                        lines.append(
                            {"face": face, "kind": kind, "messages": count, "bare_us": bare, "ours_us": ours, "ratio": ours / bare}
                        )
            server.terminate()
    pairs = [[fetch(replay, buffered) for buffered in "10"] for _ in range(ROUNDS + 1)][1:]
    large, small = (percentile(list(column), 0.5) / FETCHED * 1e9 for column in zip(*pairs))
    return {"machine": machine(), "lines": lines, "fetch": {"rows": FETCHED, "buffered_ns": large, "small_reads_ns": small}}


def markdown(result: dict[str, Any]) -> str:
    """A table, and the A/B below it."""
    lines = ["| | messages | bare socket | ours | ratio |", "|---|---|---|---|---|"]
    for line in result["lines"]:
        lines.append("| {face}, {kind} | {messages} | {bare_us:.1f} µs | {ours_us:.1f} µs | {ratio:.2f} |".format(**line))
    text = "Fetching {rows} rows: {buffered_ns:.0f} ns per row, with IFX_BUFFERED_READER=0 {small_reads_ns:.0f} ns."
    return "\n".join([*lines, "", text.format(**result["fetch"])])


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--messages", type=int, nargs="+", default=[1_000, 10_000, 50_000])
    parser.add_argument("--json", type=Path, default=settings().out / "transport.json")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        # Clients and servers on one processor: what is measured is work, and not how a sleeping processor is woken.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with started([settings().tool, "replay"]) as replay:
        result = measure(replay, arguments.messages)
    write_json(arguments.json, result)
    print(markdown(result))


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    else:
        main()
