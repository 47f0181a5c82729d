#!/usr/bin/env bash
# The demonstration: demo.sh DIRECTORY_OF_BINARIES MAKE. Started by `make demo`.
set -eu
binaries=$1
make=$2
log=$(mktemp)
"$binaries/ifx" serve --port 0 >"$log" &
server=$!
trap 'kill $server 2>/dev/null; rm -f "$log"' EXIT
# The first line appears when the server accepts connections.
while ! grep -q '^listening on ' "$log"; do
    kill -0 $server || { echo "the embedded server did not start"; exit 1; }
    sleep 0.05
done
port=$(sed -n '1s/.*://p' "$log")
echo "== embedded server: $(head -1 "$log")"
echo
echo "== informix (Rust), over TCP"
"$binaries/examples/demo" "informix://informix:in4mix@127.0.0.1:$port/testdb"
echo
if command -v javac >/dev/null; then
    echo "== the vendor's JDBC driver, against the same server"
    $make --no-print-directory -s "$JARS/ready"
    tests/jdbc/run.sh Demo "$port"
else
    echo "SKIPPED: the JDBC part needs Java 17 or later (javac)"
fi
