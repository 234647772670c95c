#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the declared experiments on the release build, then the cost of the shim for calls that it
# hands over, then that of replays. Arguments go to benchmarks/run.py, as in `--effort 0.2` or `--json points.json`.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

cmake --build --preset release --target benchmarks </dev/null

status=0
.venv/bin/python benchmarks/run.py "$@" </dev/null || status=1
for vendor in openmpi mpich; do
  if cmake --build --preset release --target help | grep -q "^bench_shim_$vendor:"; then
    cmake --build --preset release --target "bench_shim_$vendor" </dev/null || status=1
  fi
done
if cmake --build --preset release --target help | grep -q "^bench_replay:"; then
  cmake --build --preset release --target bench_replay </dev/null || status=1
fi
exit $status
