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


class Compliance(dbapi20.DatabaseAPI20Test):
    driver = informix_db

    @unittest.skip("a statement has one result set")
    def test_nextset(self):
        """The suite has none of its own."""

    test_setoutputsize = dbapi20.DatabaseAPI20Test.test_setoutputsize_basic

    def test_non_idempotent_close(self):
        """Closing again is allowed, as in the driver that this one stands in for."""
        connection = self._connect()
        connection.close()
        connection.close()

