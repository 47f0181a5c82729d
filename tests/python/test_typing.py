"""The annotations: strict mypy on the package, its stubs and a program that uses it; stubs against the module."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import informix_db

PACKAGE = Path(informix_db.__file__).parent
PROGRAM = '''
import asyncio
from decimal import Decimal

import informix_db
from informix_db import aio

with informix_db.connect("host", 9088, user="u", password="p", row_factory=informix_db.Row) as connection:
    cursor = connection.cursor(scrollable=True)
    cursor.execute("SELECT 1 FROM systables WHERE tabid = ?", (Decimal(1),))
    number: int = cursor.rowcount
    for row in cursor:
        print(row)
    try:
        connection.commit()
    except informix_db.Error as error:
        code: int | None = error.sqlcode


async def main() -> None:
    async with await aio.create_pool(host="h", user="u", password="p") as pool:
        async with pool.connection() as connection, connection.cursor() as cursor:
            await cursor.execute("SELECT 1 FROM systables")
            async for row in cursor:
                print(row)


asyncio.run(main())
'''


def check(*arguments, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_typed(tmp_path):
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_core.pyi").exists()
    # A copy, for mypy does not look into installed packages.
    shutil.copytree(PACKAGE, tmp_path / "informix_db", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    check("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "informix_db", tmp_path=tmp_path)


def test_a_program_is_checked(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    check("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "program.py", tmp_path=tmp_path)


def test_the_stubs_tell_the_truth(tmp_path):
    check("mypy.stubtest", "informix_db._core", tmp_path=tmp_path)
