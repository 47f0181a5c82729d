#!/usr/bin/env bash
# Prints the CPython interpreters of this machine, one for each version that the package supports: those in PATH and of pyenv.
set -eu
for version in 3.10 3.11 3.12 3.13 3.14; do
    for python in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python3; do
        # Shims of pyenv can be there and not run.
        if path=$("$python" -c 'import sys; assert sys.implementation.name == "cpython"; print(sys.executable)' 2>/dev/null); then
            echo "$path"
            break
        fi
    done
done
