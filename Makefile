# SPDX-License-Identifier: Apache-2.0

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

JOBS := $(shell nproc)

# Groups of packages (tools/install_dependencies.sh) for targets that need more than a build.
DEPENDENCIES := build
test quick bench bench-peers bench-unprepared bench-overlap bench-regret bent: DEPENDENCIES := test
standard-abi wheel: DEPENDENCIES := standard-abi
demo: DEPENDENCIES := demo
bench-programs: DEPENDENCIES := programs
distributions mpis: DEPENDENCIES := distributions
compilers: DEPENDENCIES := compilers
debian-package: DEPENDENCIES := debian-package

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1|\2/' | column -t -s '|'

.PHONY: install-deps
install-deps: ## Install system packages (apt) and the Python environment .venv
	@tools/install_dependencies.sh $(DEPENDENCIES)

.PHONY: build
build: install-deps ## Build what is used: preload libraries, programs, Python module, examples
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS)
	@echo "built; try: bin/espalier --help"

.PHONY: standard-abi
standard-abi: build ## Build also the preload library for programs of the standard ABI of MPI-5

.PHONY: simulator
simulator: build ## Build also what runs on simulated machines (SimGrid): espalier simulate, peers
	@cmake --build --preset release -j $(JOBS) --target simulator

PREFIX ?= $(HOME)/.local

.PHONY: install
install: build ## Install what is built into PREFIX (default: ~/.local)
	@cmake --install build/release --prefix "$(PREFIX)" >/dev/null
	@echo "installed; try: $(PREFIX)/bin/espalier doctor"

.PHONY: uninstall
uninstall: ## Remove what was installed last
	@cmake --build build/release --target uninstall

.PHONY: wheel
wheel: build ## Pack the Python wheel with CLI and libraries into build/dist
	@.venv/bin/python packaging/wheel/make_wheel.py build/release build/dist

.PHONY: debian-package
debian-package: install-deps ## Make a Debian source package of the last commit, build it into build/dist
	@tools/debian_package.sh

.PHONY: demo
demo: build ## Show on real programs what Espalier does to them
	@tools/demo.sh

.PHONY: test
test: install-deps ## Run every test: checks, sanitizers, unit, MPI, Python
	@tools/run_tests.sh

.PHONY: bent
bent: build ## Thousands of programs that bend the standard, plain and preloaded (BENT="FIRST NUMBER")
	@tools/run_bent.sh $(BENT)

.PHONY: mpi4py
mpi4py: build ## mpi4py's own tests, plain and preloaded with every call forced, under both MPIs (20 min)
	@cmake --build --preset release -j $(JOBS) --target tests >/dev/null
	@.venv/bin/python tests/bent/mpi4py_suite.py

.PHONY: quick
quick: install-deps ## Debug build with warnings as errors, then the unit tests
	@cmake --preset dev
	@cmake --build --preset dev -j $(JOBS)
	@ctest --preset dev -L unit -j $(JOBS)

.PHONY: compilers
compilers: install-deps ## Compile with the oldest gcc and clang, run the unit tests of each (COMPILERS="gcc-11")
	@JOBS=$(JOBS) tools/try_compilers.sh $(COMPILERS)

.PHONY: mpis
mpis: build ## Install further MPI libraries in build/mpis, run the tests of the shim under them
	@tools/install_mpis.sh
	@cmake --build --preset release -j $(JOBS) --target preloaded_programs
	@.venv/bin/python -m pytest -q tests/mpis

.PHONY: mpi-libraries
mpi-libraries: mpis ## Run everything under every MPI library, write docs/reference/mpi_libraries.md
	@.venv/bin/python tools/mpi_matrix.py

.PHONY: distributions
distributions: build ## Install wheel and package on minimal systems of Debian, run programs there (root, 20 min)
	@.venv/bin/python -m pytest -q tests/distributions

.PHONY: bench
bench: simulator ## Run the declared experiments, report ratios
	@tools/run_benchmarks.sh $(BENCH_ARGUMENTS)

.PHONY: bench-peers
bench-peers: simulator ## Compare with the algorithms of four MPIs in simulation, write the summary (30 min)
	@tools/bench_peers.sh $(BENCH_ARGUMENTS)

.PHONY: bench-programs
bench-programs: build ## Improve programs of others on emulated hosts, write the summary (root, 40 min)
	@.venv/bin/python benchmarks/programs/study.py $(BENCH_ARGUMENTS)
	@.venv/bin/python benchmarks/pages.py

.PHONY: bench-unprepared
bench-unprepared: build ## Run loops that only learn, without a profile, on emulated hosts (root, 60 min)
	@cmake --build --preset release --target call_loops
	@.venv/bin/python benchmarks/unprepared/study.py $(BENCH_ARGUMENTS)
	@.venv/bin/python benchmarks/pages.py

.PHONY: bench-overlap
bench-overlap: build ## What nonblocking collectives hide behind work, on emulated hosts (root, 5 min)
	@cmake --build --preset release --target overlap_programs
	@.venv/bin/python benchmarks/overlap/study.py $(BENCH_ARGUMENTS)
	@.venv/bin/python benchmarks/pages.py

.PHONY: bench-regret
bench-regret: simulator ## What learning loses and gains in simulation, and what MPI_Init takes (30 min)
	@.venv/bin/python benchmarks/regret/study.py cells docs/benchmarks/data $(BENCH_ARGUMENTS)
	@.venv/bin/python benchmarks/regret/study.py startup docs/benchmarks/data
	@.venv/bin/python benchmarks/pages.py

.PHONY: bench-borrowing
bench-borrowing: simulator ## What it costs to borrow rules of other shapes, in simulation (30 min)
	@.venv/bin/python benchmarks/borrowing/study.py docs/benchmarks/data
	@.venv/bin/python benchmarks/pages.py

.PHONY: bench-keys
bench-keys: build ## What rules lose that do not tell placements, roots and blocks apart, modelled (2 min)
	@.venv/bin/python benchmarks/keys/study.py docs/benchmarks/data
	@.venv/bin/python benchmarks/pages.py

.PHONY: bench-node
bench-node: build ## Collectives inside a node beside those of every MPI library of `make mpis` (20 min)
	@cmake --build --preset release -j $(JOBS) --target node_collectives
	@.venv/bin/python benchmarks/node/study.py docs/benchmarks/data $(BENCH_ARGUMENTS)
	@.venv/bin/python benchmarks/pages.py

.PHONY: bench-threads
bench-threads: build ## Barriers and rooted collectives among threads of a process (4 min)
	@cmake --build --preset release -j $(JOBS) --target thread_times
	@.venv/bin/python benchmarks/threads/study.py docs/benchmarks/data $(BENCH_ARGUMENTS)
	@.venv/bin/python benchmarks/pages.py

.PHONY: bench-effort
bench-effort: simulator ## How near a guided search comes to the best of all, simulated and here (20 min)
	@.venv/bin/python benchmarks/effort/study.py simulated docs/benchmarks/data
	@.venv/bin/python benchmarks/effort/study.py real docs/benchmarks/data
	@.venv/bin/python benchmarks/pages.py

.PHONY: docs
docs: build ## Make the site of the documents in build/docs, figures drawn from kept data
	@tools/build_docs.sh

.PHONY: lint
lint: install-deps ## Check layering, formatting, types, spelling, scripts
	@tools/lint.sh

.PHONY: tidy
tidy: build ## Run clang-tidy over the core (slow)
	@tools/lint.sh tidy build/release --all

.PHONY: format
format: install-deps ## Format C, C++, Python and CMake files in place
	@tools/lint.sh format

.PHONY: clean
clean: ## Remove the build directories
	@rm -rf build
