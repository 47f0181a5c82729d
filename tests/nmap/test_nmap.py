"""nmap's three Informix scripts, written against real servers, must find what they look for."""

import os
import shutil
import subprocess

import pytest

NMAP = shutil.which("nmap")
if NMAP is None and os.environ.get("CI") == "true":
    pytest.fail("nmap is missing, and in CI it must be there", pytrace=False)
pytestmark = pytest.mark.skipif(NMAP is None, reason="nmap is not installed")


def scan(port, script, tmp_path, **arguments):
    """What one script prints about the server; -d shows its errors too."""
    given = ",".join(f"{name.replace('__', '.').replace('_', '-')}={value}" for name, value in arguments.items())
    command = [NMAP, "-d", "-n", "-Pn", "-sT", "-p", str(port), "--script", f"+{script}", "--script-args", given, "127.0.0.1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_query(port, tmp_path):
    out = scan(port, "informix-query", tmp_path,
               informix_query__username="informix", informix_query__password="in4mix")
    assert "Database: sysmaster" in out, out
    assert "Informix Dynamic Server Version" in out, out


def test_query_of_numbers(port, tmp_path):
    out = scan(port, "informix-query", tmp_path,
               informix_query__username="informix", informix_query__password="in4mix",
               informix_query__query="'select tabname, tabid from systables where tabid < 3 order by tabid'")
    assert "systables" in out and "syscolumns" in out, out


def test_query_with_a_wrong_password(port, tmp_path):
    out = scan(port, "informix-query", tmp_path,
               informix_query__username="informix", informix_query__password="wrong")
    assert "Database: sysmaster" not in out, out
    assert "ERROR" in out, out


def test_tables(port, cursor, tmp_path):
    cursor.execute("create table judge_nmap (first_column integer, second_column varchar(20))")
    try:
        out = scan(port, "informix-tables", tmp_path,
                   informix_tables__username="informix", informix_tables__password="in4mix")
    finally:
        cursor.execute("drop table judge_nmap")
    assert "Database: testdb" in out, out
    assert "judge_nmap" in out and "first_column" in out and "second_column" in out, out


def test_brute(port, tmp_path):
    users, words = tmp_path / "users", tmp_path / "words"
    users.write_text("nobody\ninformix\n")
    words.write_text("wrong\nin4mix\n")
    out = scan(port, "informix-brute", tmp_path, userdb=users, passdb=words)
    assert "informix:in4mix - Valid credentials" in out, out
    assert "nobody:wrong - Valid" not in out and "nobody:in4mix - Valid" not in out, out
