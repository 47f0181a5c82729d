#!/usr/bin/env bash
# python_smoke.sh MATURIN DIRECTORY IFX: builds a wheel for each CPython of this machine, installs it into an empty
# environment and runs tests/python/smoke.py there.
set -eu
maturin=$1 directory=$2 ifx=$3
rm -rf "$directory"
mapfile -t pythons < <(tools/pythons.sh)
[ "${#pythons[@]}" -gt 0 ] || { echo "no CPython of a supported version was found"; exit 1; }
"$maturin" build --release --quiet --out "$directory" --interpreter "${pythons[@]}"
for python in "${pythons[@]}"; do
    tag=$("$python" -c 'import sys; print(f"cp{sys.version_info[0]}{sys.version_info[1]}")')
    environment=$directory/$tag
    "$python" -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-index "$directory"/*-"$tag"-*.whl
    IFX=$ifx "$environment/bin/python" -B tests/python/smoke.py
done
echo "smoke: ${#pythons[@]} interpreters: ok"
