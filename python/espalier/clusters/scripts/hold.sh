#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Usage: hold.sh RATE BURST QUEUE MTU
#
# Says its process id, by which the folder of the cluster is named, reads that folder and the folder
# of a control group ("" for none) from standard input, and becomes the process that holds the
# cluster: whoever kills it kills everything inside.

set -eu
echo "$$"
read -r folder
read -r group
exec unshare --mount --propagation slave --pid --fork --kill-child --mount-proc \
  sh "${0%/*}/cluster.sh" "$folder" "$group" "$@"
