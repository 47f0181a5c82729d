"""The development server from Python: fixtures that are loaded, and faults on purpose."""

from __future__ import annotations

import pytest

import informix_db
from informix_db.devserver import DevServer


@pytest.fixture
def script(tmp_path):
    """A script that makes and fills a table."""
    (tmp_path / "f.unl").write_text("1|x|\n2||\n")
    path = tmp_path / "fixture.sql"
    path.write_text("create table f (a int, b varchar(10));\nload from 'f.unl' insert into f;\n")
    return path


def test_scripts_are_loaded_and_faults_happen(script):
    faults = ["'select * from f'#2 error -244 -107", "commit#1 close at 0"]
    with DevServer(load=[script], faults=faults) as server:
        connection = informix_db.connect(**server.connect_args())
        cursor = connection.cursor()
        cursor.execute("select * from f")
        assert [tuple(row) for row in cursor.fetchall()] == [(1, "x"), (2, None)]
        with pytest.raises(informix_db.OperationalError, match="-244"):
            cursor.execute("select * from f")
        cursor.execute("insert into f values (3, 'z')")
        with pytest.raises(informix_db.OperationalError):
            connection.commit()
        with informix_db.connect(**server.connect_args()) as second:
            cursor = second.cursor()
            cursor.execute("select count(*) from f")
            assert cursor.fetchone()[0] == 3, "only the news of the commit was lost"


@pytest.mark.parametrize("arguments", [{"faults": ["exekute close"]}, {"load": ["no/such/file.sql"]}])
def test_mistakes_end_the_start(arguments, capfd):
    with pytest.raises(informix_db.OperationalError, match="did not start"):
        DevServer(**arguments).start()
    assert "exekute" in (message := capfd.readouterr().err) or "no/such/file.sql" in message
