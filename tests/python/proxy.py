"""Passes connections on to the embedded server: over TLS, or with the line frozen or cut."""

from __future__ import annotations

import socket
import threading


class Proxy:
    """Listens on a free port from the start to `close`."""

    def __init__(self, port, context=None):
        self.context = context
        self.target = ("127.0.0.1", port)
        self.frozen = threading.Event()
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        if self.context is not None:
            try:
                client = self.context.wrap_socket(client, server_side=True)
            except OSError:
                client.close()
                return
        upstream = socket.create_connection(self.target)
        self.sockets += [client, upstream]
        threading.Thread(target=self.pump, args=(upstream, client), daemon=True).start()
        self.pump(client, upstream)

    def pump(self, source, target):
        try:
            while data := source.recv(65536):
                # A frozen line swallows what comes, as a dead machine does.
                if not self.frozen.is_set():
                    target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            shut(one)

    def cut(self):
        """Ends all connections."""
        for one in self.sockets:
            shut(one)

    def close(self):
        self.listener.close()
        self.cut()


def shut(one):
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
