#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# compare_symbols.sh LIBRARY LIST: fails unless the library exports what the list says, line by line,
# but for a name of UCX that it takes under MPICH (espalier/plan/progress/progress_mpich.cpp).
# What is missing breaks programs: raise the version in espalier/capi/exports.map. What is new needs
# a line.
set -eu
nm -D --defined-only "$1" | sed -n 's/.* T \([^@]*\)@.*/\1/p' |
  grep -v '^ucp_worker_progress$' | LC_ALL=C sort | diff "$2" -
