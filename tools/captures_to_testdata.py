#!/usr/bin/env python3
"""Turn annotated wire captures into the compact form under testdata/captures/.

usage: captures_to_testdata.py CAPTURE_DIR TESTDATA_DIR

One file per capture. A line is one message: `C` (client) or `S` (server), a blank, its bytes in hex. `-` ends what one side
wrote before the other answered. `~ text` marks a place where the capture itself leaves repetitions out, `C ?` or `S ?` a
message of which it shows only a part.
"""

import pathlib
import re
import sys

MESSAGE = re.compile(r"^(C>S|S>C) +(\S+)")
HEX = re.compile(r"^ {6}[0-9a-f]{2}( [0-9a-f]{2})* *$")
PARTIAL = re.compile(r"^ {6}\.\.\. \((\d+) bytes\)")
GAP = re.compile(r"left out")


def convert(text):
    lines = []
    current = None  # [side, hex digits, complete]

    def flush():
        nonlocal current
        if current and (current[1] or not current[2]):
            lines.append(f"{current[0]} {current[1] if current[2] else '?'}")
        current = None

    for line in text.splitlines():
        message = MESSAGE.match(line)
        if message:
            side = message[1][0]
            # Chunks of one SQ_LODATA message are annotated on lines of their own.
            if message[2] == "chunk" and current and current[0] == side:
                continue
            flush()
            current = [side, "", True]
        elif HEX.match(line) and current:
            current[1] += line.replace(" ", "")
        elif PARTIAL.match(line) and current:
            current[2] = False
        elif GAP.search(line):
            flush()
            lines.append("~ " + re.sub(r"^[-. ]+|[-. ()]+$|[()]", "", line))
        elif line.startswith(("--- ", "===")):
            flush()
            if line.startswith("--- server reply") and lines and lines[-1] != "-":
                lines.append("-")
    flush()
    return "\n".join(lines) + "\n"


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.glob("*.txt")):
        if path.name.startswith("sqliprt-"):
            continue  # what a trace printer said, no bytes
        (target / path.name).write_text(convert(path.read_text()))


if __name__ == "__main__":
    main()
