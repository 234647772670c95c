#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs programs that bend the MPI standard, plain and preloaded, under every MPI of build/release.
# Usage: tools/run_bent.sh [FIRST [NUMBER]]     seeds FIRST .. FIRST + NUMBER - 1, for each number of
#                                               ranks and each set of algorithms

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t programs < <(
  cmake --build --preset release --target help | grep -oE '^bent_(openmpi|mpich)' | sort -u
)
cmake --build --preset release --target "${programs[@]}" </dev/null

first=${1:-1000}
number=${2:-200}
failed=()
for config in build/release/tests/bent/*.json; do
  vendor=$(basename "$config" .json)
  echo "== $vendor, seeds $first .. $((first + number - 1))"
  python3 tests/bent/run.py "$config" "$first" "$number" --np 2,3,5 || failed+=("$vendor")
  for kind in crowd threads fatal; do
    echo "== $vendor, $kind"
    python3 tests/bent/run.py "$config" "$first" "$((number / 50 + 1))" --np 2,3 --kinds "$kind" ||
      failed+=("$vendor, $kind")
  done
done
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "bent: the promise is broken: ${failed[*]}"
  exit 1
fi
echo "bent: the promise holds"
