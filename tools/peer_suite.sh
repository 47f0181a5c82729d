#!/usr/bin/env bash
# Runs the integration tests that `informix-driver` ships in its source distribution against the embedded server:
# peer_suite.sh WORK_DIRECTORY PATH_OF_IFX. PYTHON names the interpreter of the judges' environment.
set -eu
work=$1
ifx=$2
mkdir -p "$work"
if [ ! -d "$work/src" ]; then
    "$PYTHON" -m pip install --quiet --disable-pip-version-check pytest-asyncio pytest-benchmark
    "$PYTHON" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary informix-driver \
        --dest "$work" informix-driver==2026.9.3
    mkdir "$work/unpacked"
    tar -xzf "$work"/informix_driver-*.tar.gz -C "$work/unpacked" --strip-components=1
    mv "$work/unpacked" "$work/src"
fi
log=$work/server.log
"$ifx" serve --port 0 >"$log" &
server=$!
trap 'kill $server 2>/dev/null' EXIT
while ! grep -q '^listening on ' "$log"; do
    kill -0 $server || exit 1
    sleep 0.05
done
port=$(sed -n '1s/.*://p' "$log")
export IFX_HOST=127.0.0.1 IFX_PORT=$port IFX_USER=informix IFX_PASSWORD=in4mix IFX_DATABASE=sysmaster
cd "$work/src"
"$PYTHON" -B -m pytest -q -p no:cacheprovider -m 'integration and not benchmark' tests
