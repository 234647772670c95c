#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compares our collectives with those of four MPIs on the simulated platforms of
# benchmarks/peers/peers.toml, keeps the result in docs/benchmarks/data, and writes the page about it.
# Arguments go to `espalier peers`, as in `--platform torus`; the summary of such a part stays in
# build/peers.md, as does that of an interrupted comparison. What is finished is kept in build/peers.db: when the
# script is interrupted, start it again.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Simulated ranks are copies of the program, in files until they are loaded.
[[ -d /dev/shm ]] && export TMPDIR=/dev/shm
mkdir -p build
bin/espalier peers experiment benchmarks/peers/peers.toml --store build/peers.db -o build/peers.md \
  --json "$@" </dev/null >build/peers.json
if [[ $# -eq 0 ]]; then
  python3 benchmarks/peers/keep.py build/peers.json docs/benchmarks/data/peers.json
  .venv/bin/python benchmarks/pages.py
fi
echo "all cells: build/peers.json"
