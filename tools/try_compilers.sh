#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compiles the core, the preload libraries and the unit tests with each compiler, warnings being
# errors, and runs the unit tests. Each has a folder in build/compilers; what one has compiled stays.
# Usage: tools/try_compilers.sh [COMPILER...]     by default gcc-11 and clang-14

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${JOBS:-$(nproc)}
options=(-DESPALIER_WERROR=ON -DESPALIER_WITH_PYTHON=OFF -DESPALIER_WITH_SMPI=OFF)
options+=(-DESPALIER_WITH_BENCHMARKS=OFF)

fail() {
  echo "try_compilers: $1" >&2
  exit 2
}

# find_cxx <compiler>: sets `cxx` to what a compiler for C is called for C++; both have to be there
find_cxx() {
  local debian=$1 program
  case $1 in
    gcc*) cxx=g++${1#gcc} debian=$cxx ;;
    clang*) cxx=clang++${1#clang} ;;
    *) fail "expected gcc-VERSION or clang-VERSION, got '$1'" ;;
  esac
  for program in "$1" "$cxx"; do
    command -v "$program" >/dev/null ||
      fail "expected $program on the PATH, found none; the package of Debian is $debian"
  done
}

try() {
  local folder=build/compilers/$1 cxx
  find_cxx "$1"
  cmake --preset release -B "$folder" -DCMAKE_C_COMPILER="$1" -DCMAKE_CXX_COMPILER="$cxx" \
    "${options[@]}" >"$folder.log" || {
    # Half of what CMake found out would mislead it when it is repeated.
    rm -f "$folder/CMakeCache.txt"
    return 1
  }
  cmake --build "$folder" -j "$jobs" --target preload_libraries unit_tests || return 1
  ctest --test-dir "$folder" -L unit -j "$jobs" --output-on-failure --no-tests=error || return 1
}

compilers=("$@")
if [[ ${#compilers[@]} -eq 0 ]]; then
  read -ra compilers <<<"gcc-11 clang-14"
fi
for compiler in "${compilers[@]}"; do
  find_cxx "$compiler"
done
mkdir -p build/compilers
failed=()
for compiler in "${compilers[@]}"; do
  echo "== $compiler"
  try "$compiler" || failed+=("$compiler")
done
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "try_compilers: failed: ${failed[*]}" >&2
  exit 1
fi
echo "compiled and tested with ${compilers[*]}"
