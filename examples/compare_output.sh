#!/bin/sh
# compare_output.sh EXPECTED COMMAND...: fails unless COMMAND succeeds and prints EXPECTED.
set -eu
expected=$1
shift
output=$("$@")
printf '%s\n' "$output" | diff "$expected" -
