"""TLS, both faces: through a proxy (OpenSSL's TLS) in front of the embedded server, and the server's own TLS."""

from __future__ import annotations

import shutil
import ssl
import subprocess

import pytest
from proxy import Proxy

import informix_db
from informix_db.devserver import DevServer


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for localhost that signs itself."""
    if shutil.which("openssl") is None:
        pytest.skip("the command openssl is not there")
    directory = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]
    command += ["-keyout", directory / "key.pem", "-out", directory / "cert.pem"]
    subprocess.run(command, check=True, capture_output=True)
    return directory


@pytest.fixture(scope="module", params=["proxy", "server"])
def tls_port(request, server, certificate):
    """Where TLS is spoken."""
    files = certificate / "cert.pem", certificate / "key.pem"
    if request.param == "server":
        with DevServer(tls=files) as started:
            yield started.port
        return
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    one = Proxy(server.port, context)
    yield one.port
    one.close()


def own_context(certificate):
    context = ssl.create_default_context(cafile=certificate / "cert.pem")
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


WAYS = {
    "nothing verified": lambda certificate: {"tls": True},
    "authorities as a path": lambda certificate: {"tls": certificate / "cert.pem", "tls_server_hostname": "localhost"},
    "authorities as a text": lambda certificate: {"tls": str(certificate / "cert.pem"), "tls_server_hostname": "localhost"},
    "a context": lambda certificate: {"tls": own_context(certificate), "tls_server_hostname": "localhost"},
}


@pytest.mark.parametrize("way", WAYS)
async def test_traffic(face, tls_port, certificate, way):
    db = await face.connect(port=tls_port, **WAYS[way](certificate))
    cur = db.cursor()
    await cur.execute("CREATE TEMP TABLE tls (i INTEGER, t LVARCHAR(32000))")
    await cur.executemany("INSERT INTO tls VALUES (?, ?)", [(i, "x" * (i * 7 % 3000)) for i in range(2000)])
    await cur.execute("INSERT INTO tls VALUES (-1, ?)", ("y" * 32000,))
    await cur.execute("SELECT i, t FROM tls ORDER BY i")
    rows = await cur.fetchall()
    assert [len(text) for _, text in rows] == [32000] + [i * 7 % 3000 for i in range(2000)]


async def test_a_stranger_is_refused(face, tls_port, certificate, tmp_path):
    """With authorities, or a context that verifies, a certificate of somebody else does not do."""
    with pytest.raises(informix_db.OperationalError, match="TLS"):
        await face.connect(port=tls_port, tls=ssl.create_default_context(), tls_server_hostname="localhost")
    with pytest.raises(informix_db.OperationalError):
        await face.connect(port=tls_port, tls=certificate / "cert.pem", tls_server_hostname="other.example")


async def test_tls_to_a_plain_port(face):
    with pytest.raises(informix_db.OperationalError):
        await face.connect(tls=True, connect_timeout=5)


async def test_a_file_that_is_not_there(face, tmp_path):
    with pytest.raises(informix_db.Error):
        await face.connect(tls=tmp_path / "nothing.pem")


def test_the_servers_own_arguments_speak_tls(certificate):
    with DevServer(tls=(certificate / "cert.pem", certificate / "key.pem"), databases=["shop:ansi", "other"]) as started:
        assert started.database == "shop"
        with informix_db.connect(**started.connect_args()) as db:
            cur = db.cursor()
            cur.execute("SELECT name, is_ansi FROM sysmaster:sysdatabases WHERE name IN ('shop', 'other', 'testdb') ORDER BY name")
            assert [(name.strip(), ansi) for name, ansi in cur] == [("other", 0), ("shop", 1)]
