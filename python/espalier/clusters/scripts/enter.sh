#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Usage: enter.sh FOLDER GROUP HOST WORKING_FOLDER COMMAND...
#
# Runs a command on a host of the cluster, from inside the namespaces of cluster.sh: with the
# network, name and System V memory of the host, and a /dev/shm of its own, which what it starts
# shares. The command is asked to end when whoever started it is killed.

set -eu
live=$1/live group=$2 host=$3 working_folder=$4
shift 4
if [ -n "$group" ]; then
  echo 0 >"$group/cgroup.procs"
fi
# shellcheck disable=SC2016 # for the inner shell
exec setpriv --pdeathsig TERM \
  nsenter --net="$live/net-$host" --uts="$live/uts-$host" --ipc="$live/ipc-$host" -- \
  unshare --mount --propagation private sh -c \
  'mount -t tmpfs tmpfs /dev/shm && cd "$0" && exec "$@"' "$working_folder" "$@"
