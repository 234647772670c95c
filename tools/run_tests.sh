#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs every test stage, also after a failed one. At the end it names each check that failed, each
# test with the end of what it printed, and counts the tests in one line.
# Usage: tools/run_tests.sh [stage...]     stages: checks asan tsan release nompi python

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=$(nproc)
# Ranks wait for each other, and commands for what they started.
tests_at_once=$((jobs + 1))
results=$PWD/build/test-results
failed_stages=()
failed_checks=()

# Open MPI waits 0.2 s in each MPI_Init for a device of Omni-Path, which these tests do not need.
export OMPI_MCA_pml=${OMPI_MCA_pml:-^cm}

# check <command>...: runs what is no test; the summary names it if it fails.
check() {
  "$@" || {
    failed_checks+=("$*")
    return 1
  }
}

# run_preset <preset> [target]...: configures, builds and tests a preset, all of it or some test
# programs with their tests, which are those that $taken matches (test_x has the tests x.*), without
# those that $left_out matches; ctest leaves its results for the summary.
run_preset() {
  local preset=$1
  shift
  local build=(--target all tests) tests=()
  if [[ $# -gt 0 ]]; then
    build=(--target "$@")
    tests=(--tests-regex "${taken:-^($(IFS='|' && echo "${*#test_}"))\\.}")
  fi
  if [[ -n ${left_out:-} ]]; then
    tests+=(--exclude-regex "$left_out")
  fi
  cmake --preset "$preset" >"$results/$preset-configure.log" 2>&1 || {
    cat "$results/$preset-configure.log"
    return 1
  }
  check cmake --build --preset "$preset" -j "$jobs" "${build[@]}" || return 1
  ctest --preset "$preset" -j "$tests_at_once" "${tests[@]}" --output-junit "$results/$preset.xml"
}

stage_checks() {
  local status=0
  if [[ -e .git ]]; then
    check tools/lint.sh || status=1
  else
    echo "no git repository: formatting, types, spelling and documents are not checked"
    check .venv/bin/python tools/check_layering.py || status=1
    check .venv/bin/python tools/check_ascii.py || status=1
  fi
  # Numbers need the module; a test of the stage python compares them.
  check .venv/bin/python tools/catalog_page.py --check --text || status=1
  return $status
}

# All tests of a build without MPI. With MPI, those of ranks that reach the memory of each other; others
# take minutes here.
stage_asan() {
  local status=0
  run_preset asan || status=1
  local conduits='onesided_(node|rma|ucx)(\.tcp)?\.np[123]$'
  local executors='exec_(errors|full_channels|node_groups|serving)\.'
  taken="^mpi\\.(openmpi|mpich)\\.$conduits|^mpi\\.openmpi\\.$executors" \
    run_preset asan-mpi mpi_onesided_openmpi mpi_onesided_mpich mpi_exec_errors_openmpi \
    mpi_exec_full_channels_openmpi mpi_exec_node_groups_openmpi mpi_exec_serving_openmpi || status=1
  return $status
}

# What has threads. A checked world takes a lock for each operation, which orders the threads and so
# hides their races: collectives, which take long, run only in one that is not checked. Schedules in
# pieces or of other degrees do what the others do. What onesided_races provokes are races of ranks
# that one thread plays, so that there is nothing to leave out.
stage_tsan() {
  local pieces='threads_one_sided\..*_(segments|dealt|k_4|k_8)'
  local left_out="^(onesided_threads\\..*_collectives_checked|$pieces)"
  run_preset tsan test_exec_thread_executor test_threads_catalog test_threads_neighborhood \
    test_exec_node_link test_exec_node_signals test_exec_node_memory_order \
    test_exec_one_sided_executor test_threads_one_sided test_onesided_threads test_onesided_races \
    test_onesided_ended
}

stage_release() {
  local status=0 builds=(build/release)
  run_preset release || status=1
  # Sources that make batches in one build are compiled by themselves in the other.
  if [[ -f $results/asan.xml ]]; then
    builds+=(build/asan)
  fi
  check .venv/bin/python tools/check_headers.py "${builds[@]}" || status=1
  check tools/lint.sh tidy build/release --seconds 60 || status=1
  return $status
}

# What users of a machine without MPI have. The stage asan runs the unit tests of such a build; the
# compiler gets the same commands as in release, so that little is compiled again.
stage_nompi() {
  cmake --preset nompi -DESPALIER_WITH_SMPI=OFF >"$results/nompi-configure.log" 2>&1 || {
    cat "$results/nompi-configure.log"
    return 1
  }
  check cmake --build --preset nompi -j "$jobs" || return 1
  ESPALIER_BUILD_DIR=$PWD/build/nompi .venv/bin/python -m pytest -q \
    --junitxml="$results/nompi.xml" tests/nompi
}

# run_pytest <name> [argument]...: the tests of Python, with a result of that name for the summary.
run_pytest() {
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    ESPALIER_BUILD_DIR=$PWD/build/release .venv/bin/python -m pytest -q \
    --junitxml="$results/$1.xml" "${@:2}"
}

# Two files run alone: one looks at all that clusters leave, which any command of a cluster removes;
# one compares rates with those of links, which other tests slow down.
stage_python() {
  local status=0 alone=(
    tests/python/clusters/test_cluster_end.py
    tests/python/probing/test_emulated_probe.py
  )
  run_pytest python -n "$tests_at_once" --dist worksteal "${alone[@]/#/--ignore=}" \
    tests/tools tests/python tests/packaging || status=1
  run_pytest alone "${alone[@]}" || status=1
  return $status
}

run_stage() {
  local stage=$1 start=$SECONDS verdict=passed
  echo "== $stage"
  "stage_$stage" </dev/null || {
    verdict=FAILED
    failed_stages+=("$stage")
  }
  echo "== $stage: $verdict in $((SECONDS - start)) s"
}

stages=("$@")
if [[ ${#stages[@]} -eq 0 ]]; then
  stages=(checks asan tsan release nompi python)
fi
for stage in "${stages[@]}"; do
  if ! declare -F "stage_$stage" >/dev/null; then
    echo "run_tests: unknown stage '$stage'" >&2
    exit 2
  fi
done

rm -rf "$results"
mkdir -p "$results"
for stage in "${stages[@]}"; do
  run_stage "$stage"
done

counts=$(.venv/bin/python tools/summarise_tests.py "$results")
for failed in "${failed_checks[@]}"; do
  echo "FAILED $failed" >&2
done
if [[ ${#failed_stages[@]} -gt 0 ]]; then
  echo "FAILED (stages: ${failed_stages[*]}) after $SECONDS s: $counts"
  exit 1
fi
echo "all stages passed in $SECONDS s: $counts"
