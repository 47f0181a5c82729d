"""The cursor."""

from __future__ import annotations

from ._core import Cursor

__all__ = ["Cursor"]
