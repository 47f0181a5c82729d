"""pytest plugin: lets test modules load that import private names of the peer, so that their public tests run.

A private name that we have no counterpart for becomes a placeholder that fails when it is used.
"""

import importlib
import sys
import types

from informix_db import _core

# Modules that only the peer has.
MODULES = ["_errcodes", "_fastpath", "_messages", "_protocol", "_resultset", "_socket", "_types"]
# Ours, of which tests import private names.
SHARED = ["connections", "converters", "cursors"]


def placeholder(name):
    """Stands for a class, function or constant."""
    if name.startswith("__"):
        raise AttributeError(name)

    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"{name} is private to the peer")

    return type(name, (Exception,), {"__init__": refuse})


def rewrite(sql):
    """The peer's rewriting of markers, by ours."""
    return _core.rewrite_placeholders(sql)[0]


def pytest_configure():
    for name in MODULES:
        module = sys.modules[f"informix_db.{name}"] = types.ModuleType(f"informix_db.{name}")
        module.__getattr__ = placeholder
    for name in SHARED:
        importlib.import_module(f"informix_db.{name}").__getattr__ = placeholder
    sys.modules["informix_db.cursors"]._rewrite_numeric_to_qmark = rewrite
