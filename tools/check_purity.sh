#!/usr/bin/env bash
# The protocol and the value crates do no I/O and know no clock, thread or runtime: their sources must not name any.
set -u
cd "$(dirname "$0")/.."
forbidden='std::net|std::fs|std::thread|std::io::(stdin|stdout|stderr)|std::process|std::env|std::time::(Instant|SystemTime)|Instant::now|SystemTime::now|tokio|println!|eprintln!'
found=$(grep -rnE "$forbidden" crates/informix-types/src crates/informix-protocol/src --include='*.rs' | grep -vE '^[^:]+:[0-9]+:\s*//')
if [ -n "$found" ]; then
    echo "These crates are free of I/O, clocks, threads and runtimes (ARCHITECTURE.md), but:"
    echo "$found"
    exit 1
fi
echo "check_purity: informix-types and informix-protocol name no I/O"
