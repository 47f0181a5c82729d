"""Operations that were recorded against real servers, with the real server's answers.

INFORMIX_REPLAYS names their directory, `../shared/replays` beside the repository by default.
"""

import datetime
import json
import os
from decimal import Decimal
from pathlib import Path

import pytest

import informix_db

DIRECTORY = Path(os.environ.get("INFORMIX_REPLAYS") or Path(__file__).resolve().parents[3] / "shared" / "replays")
FILES = sorted(DIRECTORY.glob("*.json"))

# Counts of the catalog of one particular server.
OF_ANOTHER_CATALOG = "from systables"


def test_replays_are_there():
    if not FILES:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no replays in {DIRECTORY}, and in CI they must be there")
        pytest.skip(f"no replays in {DIRECTORY}: set INFORMIX_REPLAYS to their directory")


def parameter(binding):
    """The Python value of a recorded binding."""
    if not isinstance(binding, dict):
        return binding
    kind, value = binding["type"], binding["value"]
    if value is None:
        return None
    if kind == "DECIMAL":
        return Decimal(repr(value))
    if kind == "DATE":
        return datetime.date.fromisoformat(value)
    if kind == "DATETIME":
        return datetime.datetime.strptime(value, "%Y-%m-%d %H:%M:%S.%f" if "." in value else "%Y-%m-%d %H:%M:%S")
    return value


def same(expected, value):
    """Whether a value is the recorded one, which was written as JSON by another client."""
    if expected is None or value is None:
        return expected is value
    if isinstance(expected, bool):
        return expected is value
    if isinstance(expected, (int, float)):
        return float(expected) == float(value)
    if isinstance(value, datetime.datetime):
        return parameter({"type": "DATETIME", "value": expected}) == value
    if isinstance(value, datetime.date):
        return expected == value.isoformat()
    # CHAR comes without its padding.
    return expected.rstrip(" ") == value.rstrip(" ")


class Player:
    """Plays a recording. Queries keep their cursor, half read, until they run again when `lazy`."""

    def __init__(self, connect, lazy):
        self.connect = connect
        self.lazy = lazy
        self.sessions = {}
        self.session = None
        self.last = {}
        self.pending = {}
        self.checked = 0

    def play(self, operation):
        getattr(self, f"{operation['resource']}_{operation['action']}")(operation)

    def credentials_create(self, operation):
        pass

    credentials_close = credentials_create

    def session_create(self, operation):
        self.session = self.connect(autocommit=True)
        self.sessions[operation.get("sessionId")] = (self.session, {})

    def session_close(self, operation):
        session, statements = self.sessions.pop(operation.get("sessionId"))
        self.finish(*statements)
        session.close()

    def session_startTransaction(self, operation):  # noqa: N802
        self.session.begin()

    def session_commitTransaction(self, operation):  # noqa: N802
        self.session.commit()

    def session_rollbackTransaction(self, operation):  # noqa: N802
        self.session.rollback()

    @property
    def statements(self):
        return next(held for session, held in self.sessions.values() if session is self.session)

    def identifier(self, operation):
        resource = operation["resource"]
        self.last[resource] = operation.get("statementId", self.last.get(resource))
        return resource, self.last[resource]

    def create(self, operation):
        key = self.identifier(operation)
        self.finish(key)
        self.statements[key] = (self.session.cursor(), operation.get("sql"))

    statement_create = preparedStatement_create = create

    def execute(self, operation):
        key = self.identifier(operation)
        self.finish(key)
        cursor, sql = self.statements.setdefault(key, (self.session.cursor(), None))
        sql = operation.get("sql", sql)
        bindings = sorted(operation.get("bindings", ()), key=lambda one: one["index"] if isinstance(one, dict) else 0)
        cursor.execute(sql, [parameter(one) for one in bindings] or None)
        expected = operation.get("expectedResults")
        if expected is None or OF_ANOTHER_CATALOG in sql:
            return
        wanted = operation.get("nfetch", 1 if self.lazy else len(expected))
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row)) for row in cursor.fetchmany(wanted)]
        self.pending[key] = (cursor, names, expected, rows, sql)
        if not self.lazy and "nfetch" not in operation:
            self.finish(key)

    statement_execute = preparedStatement_execute = execute

    def finish(self, *keys):
        """Reads the rest of half-read queries and compares."""
        for key in keys:
            if key in self.pending:
                cursor, names, expected, rows, sql = self.pending.pop(key)
                rows += [dict(zip(names, row)) for row in cursor]
                assert len(rows) == len(expected), sql
                for row, wanted in zip(rows, expected):
                    assert set(row) == set(wanted), sql
                    for name in wanted:
                        assert same(wanted[name], row[name]), f"{sql}: {name} is {row[name]!r}, not {wanted[name]!r}"
                self.checked += 1

    def close(self, operation):
        key = self.identifier(operation)
        self.finish(key)
        cursor, _ = self.statements.pop(key, (None, None))
        if cursor is not None:
            cursor.close()

    statement_close = preparedStatement_close = close


@pytest.mark.parametrize("lazy", [False, True], ids=["at once", "half read"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_replay(connect, path, lazy):
    player = Player(connect, lazy)
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith("#"):
                try:
                    player.play(json.loads(line))
                except (AssertionError, informix_db.Error) as error:
                    pytest.fail(f"{path.name}, line {number}: {error}")
    player.finish(*list(player.pending))
    assert player.checked > 0
