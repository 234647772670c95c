#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command in a folder with another Debian system, which sees this checkout, /tmp, processes
# and devices as they are here. Working folder, variables and the exit code are the command's own.
# Usage: tools/enter_system.sh FOLDER COMMAND...     (root)

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
system=$(cd "$1" && pwd)
shift

# Mounts end with the last process that sees them.
# shellcheck disable=SC2016 # the inner shell expands
exec unshare --mount --propagation private bash -c '
  set -e
  root=$1 system=$2 folder=$PWD
  shift 2
  for shared in "$root" /tmp /proc /sys /dev; do
    mkdir -p "$system$shared"
    mount --rbind "$shared" "$system$shared"
  done
  exec chroot "$system" env -C "$folder" "$@"
' enter_system "$root" "$system" "$@"
