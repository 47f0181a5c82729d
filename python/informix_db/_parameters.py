"""Arguments of `connect`, blocking and asyncio, on their way to the core."""

from __future__ import annotations

from typing import Any

_DEFAULTS = {"autocommit": False, "decode_errors": "strict", "keepalive": False, "tls": False}

__all__ = ["core_arguments"]


def core_arguments(host: str | None = None, port: int | None = None, **options: Any) -> dict[str, Any]:
    """Arguments of a core connection. What has its default value is not passed: a URL or the environment may give it.

    A `host` that is a URL, JDBC URL or DSN is taken as one.
    """
    if host is not None and ("://" in host or "=" in host or host.startswith("jdbc:")):
        options["url"], host = host, None
    options.update(host=host, port=port)
    return {
        name: value for name, value in options.items() if value is not None and _DEFAULTS.get(name) != value
    }
