#!/usr/bin/env python3
"""Makes the seed corpora under fuzz/corpus/ from testdata/: a few small inputs per target, in the form its file describes.

usage: tools/fuzz_seeds.py   (from the root of the repository)
"""

import json
import pathlib

TESTDATA = pathlib.Path("testdata")
CORPUS = pathlib.Path("fuzz/corpus")
# The longest seed, in bytes, and the most seeds per target.
LONGEST, MOST = 600, 48


def save(target, name, data):
    directory = CORPUS / target
    directory.mkdir(parents=True, exist_ok=True)
    (directory / name).write_bytes(data)


def flushes(path, side):
    """What one side wrote between two answers of the other, without logins."""
    parts, first = [b""], True
    for line in path.read_text().splitlines():
        if line.startswith(side + " "):
            if not first:
                parts[-1] += b"" if "?" in line else bytes.fromhex(line[2:])
            first = False
        elif parts[-1]:
            parts.append(b"")
    return [part for part in parts if part]


def streams(target, side):
    """Flushes that bring a tag not seen yet (the tag of a flush is its first four bytes and its length class)."""
    seen, count = set(), 0
    for path in sorted((TESTDATA / "captures").glob("*.txt")):
        if path.name in ("left-out.txt", "jdbc-reply-variants.txt", "jdbc-connect-useV5server.txt"):
            continue
        dialect = 3 if path.name.startswith("native") else 2
        for part in flushes(path, side):
            key = (dialect, part[:2], len(part).bit_length())
            if len(part) <= LONGEST and key not in seen and count < MOST:
                seen.add(key)
                count += 1
                save(target, f"{path.stem}-{count}", bytes([dialect | 31 << 3]) + part)


def logins():
    count = 0
    for name in ("jdbc-connect-default", "jdbc-connect-bad-password", "native-connect", "native-connect-bad-server"):
        for side in "CS":
            lines = (TESTDATA / "captures" / f"{name}.txt").read_text().splitlines()
            first = next(line for line in lines if line.startswith(side))
            save("login", f"{name}-{side}", bytes.fromhex(first[2:]))
    for entry in json.loads((TESTDATA / "vectors.json").read_text()):
        if "login" in entry["name"] and entry["kind"] == "message":
            save("login", entry["name"], bytes.fromhex(entry["hex"]))
            count += 1
    assert count >= 3


def rows():
    oracle = json.loads((TESTDATA / "type-oracle.json").read_text())
    integer = bytes([2, 0, 0, 4])
    seen = set()
    for shape in oracle["decode"]:
        kind, length = shape[3][0], shape[3][1]
        name = {"boolean": 0, "blob": 1, "clob": 2}.get(shape[3][4], 0)
        flags = name if kind & 0xFF in (40, 41) else 0
        if kind in seen or not shape[4]:
            continue
        seen.add(kind)
        row = next((row for row in shape[4] if "..." not in row[1]), None)
        if row is None:
            continue
        column = bytes([kind & 0xFF, flags, length >> 8 & 0xFF, length & 0xFF])
        data = bytes([3]) + integer + column + integer + bytes.fromhex(row[1])
        if len(data) <= LONGEST:
            save("row_decode", f"{kind & 0xFF:03}", data)


def packed():
    count = 0
    for entry in json.loads((TESTDATA / "vectors.json").read_text()):
        if entry["kind"] == "message" or len(entry["hex"]) > 2 * 80:
            continue
        word = any(entry["sql_type"].startswith(t) for t in ("DECIMAL", "MONEY", "DATETIME", "INTERVAL"))
        if entry["kind"] == "type-bind":
            data = bytes.fromhex(entry["hex"])
        elif word and "encoded_length" in entry:
            data = (entry["encoded_length"] & 0xFFFF).to_bytes(2, "big") + bytes.fromhex(entry["hex"])
        else:
            continue
        count += 1
        if count % 2:
            save("packed_values", entry["name"], data)


def statements():
    """Texts of the captured conversations, and the parts that they lack."""
    path = pathlib.Path("crates/informix-devserver/testdata/captured-statements.txt")
    texts = [line for line in path.read_text().splitlines() if not line.startswith("#") and len(line) <= LONGEST]
    texts = [text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\") for text in texts]
    step = max(1, len(texts) // MOST)
    texts = texts[::step] + [
        "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = h WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a)",
        "SELECT FIRST 3 a, SUM(c) OVER (PARTITION BY b ORDER BY a) FROM t, OUTER (u, v) WHERE t.a = u.a AND b MATCHES 'x*[a-z]'",
        "SELECT e + 3 UNITS DAY, EXTEND(d, YEAR TO SECOND) - e, b[2,5]::INT, CASE WHEN f THEN NVL(c, 0) END FROM t",
        "WITH x AS (SELECT a FROM t UNION SELECT a FROM u) SELECT DECODE(a, 1, 'x', NULL) FROM x WHERE a IN (SELECT a FROM v)",
        "CREATE FUNCTION f(n INT) RETURNING INT; DEFINE x INT; FOR x = 1 TO 3 LET n = n * x; END FOR; RETURN n; END FUNCTION",
    ]
    for number, text in enumerate(texts):
        save("sql_text", f"{number:03}", text.encode())


if __name__ == "__main__":
    streams("client_replies", "S")
    streams("server_requests", "C")
    logins()
    rows()
    packed()
    statements()
