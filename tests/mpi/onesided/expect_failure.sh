#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Usage: expect_failure.sh COMMAND...   succeeds if the command fails by itself within 30 s, and has
# the programs that it names by a path

for word in "$@"; do
  case $word in
    /*)
      if [ ! -x "$word" ] && [ ! -r "$word" ]; then
        echo "expected the program $word, found none" >&2
        exit 1
      fi
      ;;
  esac
done
timeout --kill-after=5 30 "$@"
code=$?
case $code in
  0 | 124 | 137)
    echo "expected a failure within 30 s, got exit code $code" >&2
    exit 1
    ;;
  *) exit 0 ;;
esac
