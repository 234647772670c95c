#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Usage: expect_failure.sh COMMAND...   succeeds if the command fails by itself within 30 s

timeout --kill-after=5 30 "$@"
code=$?
case $code in
  0 | 124 | 137)
    echo "expected a failure within 30 s, got exit code $code" >&2
    exit 1
    ;;
  *) exit 0 ;;
esac
