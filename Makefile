# Everything is started from here. `make help` lists the commands.
# Needed: Rust, Python 3.10+, and Java 17+ for the JDBC judge. The rest is installed below target/.

CARGO ?= cargo
PYTHON ?= python3
# Seconds for each fuzz target of `make fuzz-smoke`.
FUZZ_SECONDS ?= 60

export CARGO_TARGET_DIR ?= $(CURDIR)/target
JUDGES := $(CARGO_TARGET_DIR)/judges
VENV := $(JUDGES)/venv
PYVENV := $(JUDGES)/pyvenv
WHEELS := $(CARGO_TARGET_DIR)/wheels
IFX := $(CARGO_TARGET_DIR)/debug/ifx
export JARS := $(JUDGES)/jars
export CLASSES := $(JUDGES)/classes

.PHONY: help demo test lint unit doctest doc guard guard-python guard-bless judges jdbc peer peer-own-suite peer-suite dbapi python smoke wheel bench-programs bench-jdbc bench bench-transport compare fuzz-smoke clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: ## start the embedded server and talk to it: our client, then the vendor's JDBC driver
	@$(CARGO) build -p informix-cli -p informix --bin ifx --example demo
	@tools/demo.sh $(CARGO_TARGET_DIR)/debug $(MAKE)

# Every part runs, also after one that failed, so that one run tells everything.
test: ## everything that CI checks
	@$(MAKE) --no-print-directory --keep-going lint unit doctest doc guard guard-python peer peer-own-suite jdbc python smoke dbapi peer-suite
	@echo "make test: all parts passed"

lint: ## formatting, clippy, rules of the architecture
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
	tools/check_purity.sh

unit: ## Rust tests
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
		$(CARGO) nextest run --workspace --all-features --no-fail-fast; \
	else \
		echo "cargo-nextest is not installed: using cargo test"; \
		$(CARGO) test --workspace --all-features --no-fail-fast --lib --bins --tests --examples; \
	fi

doctest: ## examples of the API documentation
	$(CARGO) test --workspace --all-features --doc

doc: ## API documentation, warnings are errors
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --all-features --no-deps

# Without the caller's RUSTFLAGS: other instructions would be counted.
guard: ## instructions that the hot paths take (valgrind), against the committed figures
	@if [ "$${CI:-}" = true ] && ! command -v valgrind >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update -q >/dev/null && apt-get install -qy valgrind >/dev/null; fi
	@if command -v valgrind >/dev/null; then \
		RUSTFLAGS= $(CARGO) bench --quiet -p informix-bench --bench guard -- check; \
	elif [ "$${CI:-}" = true ]; then \
		echo "valgrind is missing, and in CI it must be there"; exit 1; \
	else \
		echo "SKIPPED: the guard counts instructions with valgrind"; \
	fi

guard-python: wheel ## the same for rows and parameters of the Python package, against the replay server
	@if command -v valgrind >/dev/null; then \
		$(CARGO) build --release -p informix-bench --bins && $(PYVENV)/bin/python -B bench/guard.py check; \
	else \
		echo "SKIPPED: the guard counts instructions with valgrind"; \
	fi

guard-bless: wheel ## take today's counts as the figures that `make guard` and `make guard-python` compare with
	RUSTFLAGS= $(CARGO) bench --quiet -p informix-bench --bench guard -- bless
	$(CARGO) build --release -p informix-bench --bins
	$(PYVENV)/bin/python -B bench/guard.py bless

judges: peer peer-own-suite jdbc python dbapi peer-suite ## foreign clients and suites against the embedded server

$(VENV)/ready: tests/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	@touch $@

$(JARS)/ready: tests/jdbc/requirements.txt $(VENV)/ready
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(JARS) -r tests/jdbc/requirements.txt
	@touch $@

# With the features of the test build, so that nothing is compiled twice.
$(IFX): FORCE
	$(CARGO) build --workspace --all-features --bin ifx --bin informix-bench

peer: $(VENV)/ready $(IFX) ## the pure Python driver, and nmap where it is installed
	@if [ "$${CI:-}" = true ] && ! command -v nmap >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update -q >/dev/null && apt-get install -qy nmap >/dev/null; fi
	IFX=$(IFX) $(VENV)/bin/python -B -m pytest -c tests/pytest.ini tests/peer tests/nmap

jdbc: $(VENV)/ready $(IFX) ## the vendor's JDBC driver
	@if command -v javac >/dev/null; then \
		$(MAKE) --no-print-directory $(JARS)/ready && tests/jdbc/run.sh Judge $(IFX); \
	elif [ "$${CI:-}" = true ]; then \
		echo "Java is missing, and in CI it must be there"; exit 1; \
	else \
		echo "SKIPPED: the JDBC judge needs Java 17 or later (javac)"; \
	fi

peer-own-suite: $(VENV)/ready $(IFX) ## the pure Python driver's own integration tests, with that driver
	IFX=$(IFX) $(VENV)/bin/python -B tests/peer_suite/own_driver.py --scratch $(JUDGES)/peer_suite

$(PYVENV)/ready: tests/python/requirements.txt
	$(PYTHON) -m venv $(PYVENV)
	$(PYVENV)/bin/pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt
	@touch $@

# A target directory of its own: interpreters take turns in it, and the Rust tests are not built anew for each.
wheel: $(PYVENV)/ready ## the Python package for PYTHON, below target/wheels, and into the environment of its tests
	@rm -rf $(WHEELS)/tests
	CARGO_TARGET_DIR=$(CARGO_TARGET_DIR)/python $(PYVENV)/bin/maturin build --release --quiet \
		--interpreter $(PYVENV)/bin/python --out $(WHEELS)/tests
	@$(PYVENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall $(WHEELS)/tests/*.whl

python: wheel $(IFX) ## tests of the Python package: values, statements, pools, asyncio, replays, types, documentation; a short run of the benchmarks
	IFX=$(IFX) INFORMIX_BENCH=$(dir $(IFX))informix-bench \
		$(PYVENV)/bin/python -B -m pytest -c tests/python/pytest.ini tests/python bench/tests

smoke: $(PYVENV)/ready $(IFX) ## wheels for each CPython of this machine, and a short run with each
	CARGO_TARGET_DIR=$(CARGO_TARGET_DIR)/python tools/python_smoke.sh $(PYVENV)/bin/maturin $(WHEELS)/smoke $(IFX)

dbapi: wheel $(IFX) ## the public DB-API compliance suite
	IFX=$(IFX) $(PYVENV)/bin/python -B -m pytest -c tests/python/pytest.ini tests/dbapi

peer-suite: wheel $(IFX) ## the pure Python driver's own suite, on our Python package
	IFX=$(IFX) $(PYVENV)/bin/python -B tests/peer_suite/run.py --scratch $(JUDGES)/peer_suite

# What is measured is built as users get it.
bench-programs: wheel $(VENV)/ready
	$(CARGO) build --release -p informix-cli -p informix-bench --bins

bench-jdbc: $(VENV)/ready
	@if command -v javac >/dev/null; then $(MAKE) --no-print-directory $(JARS)/ready; fi

bench: bench-programs bench-jdbc ## our Python driver, the pure Python one and JDBC, measured side by side (docs/performance.md)
	$(PYVENV)/bin/python -B bench/run.py

compare: bench-programs ## the two Python drivers alone
	BENCH_DRIVERS=ours,peer $(PYVENV)/bin/python -B bench/run.py

bench-connections: bench-programs ## many connections on one asyncio loop: requests per second, memory of idle ones
	$(PYVENV)/bin/python -B bench/connections.py

bench-transport: bench-programs ## our transport beside the bare socket, plain and TLS, blocking and asyncio
	$(PYVENV)/bin/python -B bench/transport.py

fuzz-smoke: ## each fuzz target for FUZZ_SECONDS
	tools/fuzz_smoke.sh $(FUZZ_SECONDS)

clean: ## remove what was built
	$(CARGO) clean

.PHONY: FORCE
FORCE:
