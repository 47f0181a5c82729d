"""A server for very many idle connections: it knows one conversation and repeats it.

The first connection is relayed to a real server and recorded: which bytes came back to each request. Every further one gets
the recorded replies. Nothing is understood, so a client must send the same requests each time, each in one reply's turn. The
port is printed when the server listens. A byte on stdin's end (its closing) ends it.
"""

from __future__ import annotations

import argparse
import selectors
import socket
import sys


def record(client: socket.socket, server: socket.socket, quiet: float) -> list[bytes]:
    """Relays until both sides are silent for a while; the server's bytes after each request."""
    replies: list[bytes] = []
    selector = selectors.DefaultSelector()
    selector.register(client, selectors.EVENT_READ, server)
    selector.register(server, selectors.EVENT_READ, client)
    from_client = False
    while ready := selector.select(quiet):
        for key, _ in ready:
            data = key.fileobj.recv(1 << 20)
            if not data:
                return replies
            key.data.sendall(data)
            if key.fileobj is client:
                if not from_client:
                    replies.append(b"")
                from_client = True
            else:
                replies[-1] += data
                from_client = False
    return replies


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    arguments = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    print(listener.getsockname()[1], flush=True)
    first, _ = listener.accept()
    replies = record(first, socket.create_connection((arguments.host, arguments.port)), 1.0)
    print(f"recorded {len(replies)} replies", flush=True)

    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    selector.register(sys.stdin, selectors.EVENT_READ)
    turn: dict[int, int] = {}
    while True:
        for key, _ in selector.select():
            if key.fileobj is sys.stdin:
                return
            if key.fileobj is listener:
                connection, _ = listener.accept()
                selector.register(connection, selectors.EVENT_READ)
                turn[connection.fileno()] = 0
                continue
            connection = key.fileobj
            at = turn[key.fd]
            if connection.recv(1 << 16) and at < len(replies):
                connection.sendall(replies[at])
                turn[key.fd] = at + 1
            else:
                selector.unregister(connection)
                connection.close()


if __name__ == "__main__":
    main()
