#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the micro-benchmarks of the release build; arguments go to each of them.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

found=false
for program in build/release/bin/bench_*; do
  if [[ -x $program ]]; then
    found=true
    echo "== ${program##*/}"
    "$program" "$@" </dev/null
  fi
done
if ! $found; then
  echo "run_benchmarks: no build/release/bin/bench_* (is libbenchmark-dev installed?)" >&2
  exit 1
fi
