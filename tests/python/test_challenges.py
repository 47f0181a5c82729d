"""Questions of a login (PAM): the password answers them, or a function."""

from __future__ import annotations

import pytest

import informix_db
from informix_db.devserver import DevServer


@pytest.fixture(scope="module")
def asking():
    """A server that asks two questions."""
    with DevServer(arguments=["--challenge", "Token: =t0ken", "--challenge", "2+2= ?=4"]) as server:
        yield server


async def connect(face, server, **more):
    connection = await face.connect(**server.connect_args(**more))
    cursor = connection.cursor()
    await cursor.execute("SELECT tabid FROM systables WHERE tabid = 1")
    return await cursor.fetchall()


async def test_a_function_answers(face, asking):
    heard = []

    def answer(prompt, echo):
        heard.append((prompt, echo))
        return {"Token: ": "t0ken", "2+2= ?": "4"}[prompt]

    assert await connect(face, asking, on_challenge=answer) == [(1,)]
    assert heard == [("Token: ", False), ("2+2= ?", False)]


async def test_a_wrong_answer(face, asking):
    with pytest.raises(informix_db.OperationalError, match="rejected") as caught:
        await connect(face, asking, on_challenge=lambda prompt, echo: "wrong")
    assert caught.value.sqlcode == -951


async def test_what_the_function_raises_is_raised(face, asking):
    with pytest.raises(KeyError, match="Token"):
        await connect(face, asking, on_challenge=lambda prompt, echo: {}[prompt])
    with pytest.raises(TypeError):
        await connect(face, asking, on_challenge=lambda prompt, echo: 4)
    with pytest.raises(TypeError, match="on_challenge"):
        await connect(face, asking, on_challenge="t0ken")


async def test_the_password_answers(face):
    with DevServer(arguments=["--challenge", "Password: =other"]) as server:
        assert await connect(face, server, password="other") == [(1,)]
        with pytest.raises(informix_db.OperationalError):
            await connect(face, server)
