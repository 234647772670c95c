#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Usage: enter.sh FOLDER GROUP HOST WORKING_FOLDER COMMAND...
#
# Runs a command on a host of the cluster, from inside the namespaces of cluster.sh: with the
# network, name and System V memory of the host, and a /dev/shm of its own, which what it starts
# shares.

set -eu
folder=$1 group=$2 host=$3 working_folder=$4
shift 4
if [ -n "$group" ]; then
  echo 0 >"$group/cgroup.procs"
fi
export TMPDIR="$folder/tmp" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# shellcheck disable=SC2016 # for the inner shell
exec nsenter --net="/run/netns/$host" --uts="$folder/uts-$host" --ipc="$folder/ipc-$host" -- \
  unshare --mount --propagation private sh -c \
  'mount -t tmpfs tmpfs /dev/shm && cd "$0" && exec "$@"' "$working_folder" "$@"
