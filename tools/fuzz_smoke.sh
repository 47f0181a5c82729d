#!/usr/bin/env bash
# Runs each fuzz target for some seconds, on stable Rust and without cargo-fuzz: fuzz_smoke.sh SECONDS [TARGET...]
# New inputs go below target/fuzz-corpus; the committed corpus in fuzz/corpus only seeds them.
set -eu
cd "$(dirname "$0")/.."
seconds=$1
shift
host=$(rustc -vV | sed -n 's/^host: //p')
out=${CARGO_TARGET_DIR:-$PWD/target}/fuzz
# What cargo-fuzz asks of the compiler: coverage counters for libFuzzer. The host's build scripts stay plain.
flags="--cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks"
for arg in level=4 inline-8bit-counters pc-table trace-compares; do
    flags="$flags -Cllvm-args=-sanitizer-coverage-$arg"
done
CARGO_TARGET_DIR=$out RUSTFLAGS=$flags cargo build --release --manifest-path fuzz/Cargo.toml --target "$host"
passed=0
failed=0
for source in fuzz/fuzz_targets/*.rs; do
    target=$(basename "$source" .rs)
    if [ $# -gt 0 ] && [[ " $* " != *" $target "* ]]; then continue; fi
    corpus=$out/corpus/$target
    mkdir -p "$corpus" "fuzz/corpus/$target"
    echo "== $target, $seconds s"
    if "$out/$host/release/$target" -max_total_time="$seconds" -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$out/$target-" "$corpus" "fuzz/corpus/$target" 2>"$out/$target.log"; then
        grep -E '^stat::number_of_executed_units' "$out/$target.log" || true
        passed=$((passed + 1))
    else
        tail -30 "$out/$target.log"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
