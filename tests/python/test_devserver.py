"""Starting the embedded server from Python, and the fixtures for pytest."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

import informix_db
from informix_db.devserver import DevServer, find_ifx


def test_start_and_stop():
    server = DevServer(user="ann", password="secret", server="mine")
    with server:
        assert server.port and server.pid
        with informix_db.connect(**server.connect_args()) as connection:
            assert connection.server_name == "mine"
        with pytest.raises(informix_db.OperationalError):
            informix_db.connect(**server.connect_args(password="wrong"))
        assert server.start() is server
    assert server.pid is None
    server.stop()
    with pytest.raises(informix_db.OperationalError):
        informix_db.connect(**server.connect_args(connect_timeout=5))


def test_a_directory_keeps_the_data(tmp_path):
    for expected in (0, 1):
        with DevServer(directory=tmp_path) as server, informix_db.connect(**server.connect_args(autocommit=True)) as connection:
            cursor = connection.cursor()
            cursor.execute("CREATE TABLE IF NOT EXISTS kept (i INTEGER)")
            cursor.execute("SELECT COUNT(*) FROM kept")
            assert cursor.fetchone() == (expected,)
            cursor.execute("INSERT INTO kept VALUES (1)")


def test_a_program_that_is_no_server():
    with pytest.raises(informix_db.OperationalError, match="did not start"):
        DevServer(ifx=sys.executable, arguments=["--nonsense"]).start()


def test_no_program(monkeypatch):
    monkeypatch.delenv("IFX", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sysconfig.get_path", lambda name: "")
    with pytest.raises(informix_db.OperationalError, match="IFX"):
        find_ifx()


def test_fixtures(tmp_path):
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["informix_db.pytest_plugin"]\n')
    (tmp_path / "test_it.py").write_text(
        "def test_one(informix_connection):\n"
        "    cursor = informix_connection.cursor()\n"
        "    cursor.execute('SELECT tabid FROM systables WHERE tabid = 1')\n"
        "    assert cursor.fetchall() == [(1,)]\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout


def test_settings_and_servers_of_a_test(tmp_path):
    (tmp_path / "fixture.sql").write_text("create table f (a int);\ninsert into f values (7);\n")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\ninformix_load = fixture.sql\ninformix_faults =\n    'select a*' #1 error -244 -107\n"
    )
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["informix_db.pytest_plugin"]\n')
    (tmp_path / "test_it.py").write_text(
        "import informix_db, pytest\n"
        "def test_run(informix_connection):\n"
        "    cursor = informix_connection.cursor()\n"
        "    with pytest.raises(informix_db.OperationalError, match='-244'):\n"
        "        cursor.execute('select a from f')\n"
        "    cursor.execute('select a from f')\n"
        "    assert cursor.fetchone()[0] == 7\n"
        "def test_own(informix_server_factory):\n"
        "    one, two = informix_server_factory(faults=['login close']), informix_server_factory()\n"
        "    with pytest.raises(informix_db.OperationalError):\n"
        "        informix_db.connect(**one.connect_args(connect_timeout=5))\n"
        "    informix_db.connect(**two.connect_args()).close()\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", tmp_path / "pytest.ini", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path.parent, check=False)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout


def test_a_kill_loses_no_large_object_that_was_committed(tmp_path):
    committed = 0
    for _ in range(3):
        server = DevServer(directory=tmp_path).start()
        with informix_db.connect(**server.connect_args(autocommit=True)) as connection:
            cursor = connection.cursor()
            cursor.execute("CREATE TABLE IF NOT EXISTS objects (n INTEGER, contents BLOB)")
            for n in range(committed, committed + 5):
                cursor.write_blob_column("INSERT INTO objects VALUES (?, BLOB_PLACEHOLDER)", bytes([n]) * 100_000, (n,))
            committed += 5
            connection.begin()
            cursor.write_blob_column("INSERT INTO objects VALUES (?, BLOB_PLACEHOLDER)", b"x" * 100_000, (-1,))
            os.kill(server.pid, signal.SIGKILL)
        server.stop()
        with DevServer(directory=tmp_path) as again, informix_db.connect(**again.connect_args()) as connection:
            cursor = connection.cursor()
            cursor.execute("SELECT n FROM objects ORDER BY n")
            assert [n for (n,) in cursor.fetchall()] == list(range(committed))
            for n in range(committed):
                sql = "SELECT contents FROM objects WHERE n = ?"
                assert cursor.read_blob_column(sql, (n,)) == bytes([n]) * 100_000
