#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The main job: look at the machine, make a program faster that nobody here wrote, and let it learn
# without tuning. After that, a small profile for this machine and a program of ours with and without
# it, and grids on machines that are not here. Results stay in build/demo.
# Environment: DEMO_RANKS (4), DEMO_IMPROVE_TIME (120s), DEMO_LEARN_TIME (150s), DEMO_TUNE_TIME (60s),
# DEMO_COMPARE_TIME (60s).

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

espalier=$PWD/bin/espalier
folder=$PWD/build/demo
ranks=${DEMO_RANKS:-4}
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

# on_hosts <command>: on emulated hosts with slow links where this machine permits to make them.
on_hosts() {
  if ((has_hosts)); then
    "$espalier" cluster run --hosts 4 --rate 100mbit -- "$@"
  else
    "$@"
  fi
}

# PT-Scotch orders a mesh: first tuned, then without any tuning.
speed_up_ptscotch() {
  local where="on this machine, since emulated hosts are not permitted here"
  local program=("${launch[@]}" dgord mesh.grf /dev/null)
  if ((has_hosts)); then
    where="on 4 emulated hosts with links of 100 Mbit/s"
    program=(mpirun -n 16 dgord mesh.grf /dev/null)
  fi
  gmk_m3 40 40 40 mesh.grf
  heading "improve: PT-Scotch $where"
  on_hosts "$espalier" improve -o improved.json --time-budget "${DEMO_IMPROVE_TIME:-120s}" -- \
    "${program[@]}"
  heading "compare --learn: PT-Scotch $where, without a profile; later runs know what earlier ones learned"
  rm -f learned.json
  ESPALIER_MEMORY=$folder/learned.json on_hosts "$espalier" compare --learn --repetitions 10 \
    --time-budget "${DEMO_LEARN_TIME:-150s}" -o learning.md -- "${program[@]}"
}

mkdir -p "$folder"
cd "$folder"
allow_root
has_hosts=0
if "$espalier" cluster run --hosts 2 -- true >/dev/null 2>&1; then
  has_hosts=1
fi
heading "doctor: what this machine has"
"$espalier" doctor
heading "map: a grid of processes on 50 nodes"
"$espalier" map --grid 50x48 --machine "50n x 48c" --draw grid.svg
if command -v dgord >/dev/null && command -v gmk_m3 >/dev/null; then
  speed_up_ptscotch
fi
heading "tune: a small profile for $ranks ranks here"
"$espalier" tune -o profile.json --time-budget "${DEMO_TUNE_TIME:-60s}" -- "${launch[@]}"
heading "compare: a Jacobi iteration with this profile"
"$espalier" compare --profile profile.json --time-budget "${DEMO_COMPARE_TIME:-60s}" -o jacobi.md -- \
  "${launch[@]}" "$OLDPWD/build/release/bin/jacobi_openmpi" 32 60000
heading "halo: what a mapped grid saves on 4 simulated nodes, for which programs are compiled now"
cmake --build "$OLDPWD/build/release" --target simulator >simulator.log 2>&1 || {
  tail -n 20 simulator.log >&2
  exit 1
}
printf 'factors 64\n%s' "$(printf 'method %d grid 1 2 4\n' 1 2 3)" >halo.txt
"$espalier" halo halo.txt --machine "4n[bandwidth=3GB/s,latency=2us] x 8c[bandwidth=12GB/s]"
heading "done; reports and profile are in build/demo"
