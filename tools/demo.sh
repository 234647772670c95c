#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The main job: look at the machine, make a program faster that nobody here wrote, tune a small
# profile, and compare another program and one of ours with and without Espalier. Before that, grids
# on machines that are not here. Results stay in build/demo.
# Environment: DEMO_RANKS (4), DEMO_IMPROVE_TIME (120s), DEMO_TUNE_TIME (60s), DEMO_COMPARE_TIME (60s)
# per program; hpcc, whose runs are long, gets DEMO_HPCC_TIME (110s).

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

espalier=$PWD/bin/espalier
folder=$PWD/build/demo
ranks=${DEMO_RANKS:-4}
compare_time=${DEMO_COMPARE_TIME:-60s}
launch=(mpirun.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$ranks")

heading() {
  printf '\n== %s\n\n' "$*"
}

allow_root() {
  if [[ $EUID -eq 0 ]]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    echo "note: running as root; OMPI_ALLOW_RUN_AS_ROOT and its _CONFIRM are set for this demo"
  fi
}

# compare <name> <time budget> <program> [arguments]: in the demo's folder, report beside it.
compare() {
  local name=$1 budget=$2
  shift 2
  heading "compare: $name"
  "$espalier" compare --profile "$folder/profile.json" --time-budget "$budget" \
    -o "$folder/$name.md" -- "${launch[@]}" "$@"
}

# The packaged example of HPC Challenge, made small: matrices of 400 on a 2 x 2 grid.
prepare_hpcc() {
  sed -E 's/^1000( +Ns)/400\1/' /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
}

# PT-Scotch orders a mesh, on hosts with slow links where this machine permits to make them.
improve_ptscotch() {
  local words=(improve -o improved.json --time-budget "${DEMO_IMPROVE_TIME:-120s}")
  gmk_m3 40 40 40 mesh.grf
  if "$espalier" cluster run --hosts 2 -- true >/dev/null 2>&1; then
    heading "improve: PT-Scotch on 4 emulated hosts with links of 100 Mbit/s"
    "$espalier" cluster run --hosts 4 --rate 100mbit -- \
      "$espalier" "${words[@]}" -- mpirun -n 16 dgord mesh.grf /dev/null
  else
    heading "improve: PT-Scotch on this machine, since emulated hosts are not permitted here"
    "$espalier" "${words[@]}" -- "${launch[@]}" dgord mesh.grf /dev/null
  fi
}

mkdir -p "$folder"
cd "$folder"
allow_root
heading "doctor: what this machine has"
"$espalier" doctor
heading "map: a grid of processes on 50 nodes"
"$espalier" map --grid 50x48 --machine "50n x 48c" --draw grid.svg
heading "tune: a small profile for $ranks ranks here"
"$espalier" tune -o profile.json --time-budget "${DEMO_TUNE_TIME:-60s}" -- "${launch[@]}"

if command -v dgord >/dev/null && command -v gmk_m3 >/dev/null; then
  improve_ptscotch
fi
if command -v hpcc >/dev/null && [[ $ranks -ge 4 ]]; then
  prepare_hpcc
  compare hpcc "${DEMO_HPCC_TIME:-110s}" hpcc
fi
compare jacobi "$compare_time" "$OLDPWD/build/release/bin/jacobi_openmpi" 32 60000
heading "halo: what a mapped grid saves on 4 simulated nodes, for which programs are compiled now"
cmake --build "$OLDPWD/build/release" --target simulator >simulator.log 2>&1 || {
  tail -n 20 simulator.log >&2
  exit 1
}
printf 'factors 64\n%s' "$(printf 'method %d grid 1 2 4\n' 1 2 3)" >halo.txt
"$espalier" halo halo.txt --machine "4n[bandwidth=3GB/s,latency=2us] x 8c[bandwidth=12GB/s]"
heading "done; reports and profile are in build/demo"
