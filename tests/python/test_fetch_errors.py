"""A result that breaks off: what is fetched is all, or an error says that it is not."""

from __future__ import annotations

import pytest

import informix_db
from conftest import Face
from informix_db.devserver import DevServer

ROWS = 30_000


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """A server that ends the third block of a result with an error."""
    folder = tmp_path_factory.mktemp("broken")
    (folder / "t.unl").write_text("".join(f"{n}|row {n}|\n" for n in range(ROWS)))
    script = folder / "t.sql"
    script.write_text("create table t (a int, b char(40));\nload from 't.unl' insert into t;\n")
    with DevServer(load=[script], faults=["nfetch#3 'select a, b from t*' per connection error -244 -107"]) as server:
        yield server


@pytest.mark.parametrize("way", ["fetchall", "fetchmany", "iteration", "fetchone"])
@pytest.mark.parametrize("face", ["blocking", "asyncio"])
async def test_rows_in_front_of_an_error_do_not_pass_for_all(broken, face, way):
    db = await Face(face, broken).connect()
    cursor = db.cursor()
    await cursor.execute("select a, b from t")
    seen = 0
    with pytest.raises(informix_db.OperationalError, match="-244"):
        if way == "fetchall":
            seen = len(await cursor.fetchall())
        elif way == "iteration":
            async for _ in cursor:
                seen += 1
        elif way == "fetchone":
            while await cursor.fetchone() is not None:
                seen += 1
        else:
            while rows := await cursor.fetchmany(500):
                seen += len(rows)
    assert seen < ROWS
    assert (seen == 0) == (way == "fetchall")
    await cursor.execute("select count(*) from t")
    assert (await cursor.fetchone())[0] == ROWS
    await db.close()
