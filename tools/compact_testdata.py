#!/usr/bin/env python3
"""Makes testdata/{vectors,type-oracle,native-oracle}.json from a directory that holds the full files.

usage: tools/compact_testdata.py SOURCE_DIR [TARGET_DIR]

SOURCE_DIR is searched recursively for the three files. The results keep only what a test reads, one entry per line:

vectors.json        golden bytes: every field but the prose about their source
type-oracle.json    JDBC: descriptor and rows as [label, tuple_hex, text or null, quirk]; binds as [target, setter, value, wire_hex …]
native-oracle.json  native client: rows as [label, tuple_hex, text or null]; binds as [target, value, wire_hex]

Long byte strings stay abbreviated as in the source, `<hex digits>...(n bytes)`: they repeat their last byte.
"""

import json
import pathlib
import sys


def find(source, name):
    found = sorted(source.rglob(name))
    if not found:
        sys.exit(f"{name} not found below {source}")
    return json.loads(found[0].read_text(encoding="utf-8"))


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def lines(values):
    return "[\n" + ",\n".join(line(v) for v in values) + "\n]"


def descriptor(full):
    if full is None:
        return None
    return [full["type"], full["encoded_length"], full["extended_id"], full["owner"], full["extended_name"]]


def short(text):
    """Cuts long texts, which repeat one character; the longest number has 127 digits."""
    return text if text is None or len(text) <= 140 else text[:140] + "…"


def vectors(full):
    keep = ("kind", "name", "sql_type", "value", "encoded_length", "hex", "direction", "note", "superseded_by")
    return lines({k: v[k] for k in keep if k in v} for v in full)


def type_oracle(full):
    decode = []
    for shape in full["decode"]:
        rows = []
        for row in shape["rows"]:
            entry = [short(row["label"]), row["tuple_hex"], short(row["jdbc"]["getString"])]
            if "client_quirk" in row:
                entry.append("quirk")
            rows.append(entry)
        decode.append([shape["id"], shape["sql_type"], shape["client_locale"], descriptor(shape["descriptor"]), rows])
    bind = []
    for case in full["bind"]:
        wires = [sent["wire_hex"] for sent in case.get("sent") or [] if "wire_hex" in sent]
        bind.append([case["target"], descriptor(case["target_descriptor"]), case["setter"], short(case["value"]), wires])
    return f'{{"decode":{lines(decode)},\n"bind":{lines(bind)}}}'


def native_oracle(full):
    decode = []
    for shape in full["decode"]:
        rows = [[short(r["label"]), r["tuple_hex"], short(r.get("text"))] for r in shape["rows"] if "error" not in r]
        decode.append([shape["id"], shape["sql_type"], shape["client_locale"], descriptor(shape["descriptor"]), rows])
    bind = [[b["target"], short(b["value"]), (b["sent"] or {}).get("wire_hex", "")] for b in full["bind"]]
    return f'{{"decode":{lines(decode)},\n"bind":{lines(bind)}}}'


def main():
    source = pathlib.Path(sys.argv[1])
    target = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "testdata")
    target.mkdir(exist_ok=True)
    for name, compact in (("vectors", vectors), ("type-oracle", type_oracle), ("native-oracle", native_oracle)):
        text = compact(find(source, f"{name}.json")) + "\n"
        (target / f"{name}.json").write_text(text, encoding="utf-8")
        print(f"{name}.json {len(text.encode())} bytes")


if __name__ == "__main__":
    main()
