#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes a Debian source package of the last commit in build/debian, builds the package from it, and
# copies it to build/dist. Needs no root. Compiles everything, unless ccache has it.
# Usage: tools/debian_package.sh
#
# Python packages that this Debian lacks are fetched before: the source package holds them, and
# dpkg-buildpackage fetches nothing. So it is for the processor and the Python of this machine.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$PWD/build/debian
version=$(dpkg-parsechangelog -l packaging/debian/changelog -S Version)
upstream=${version%-*}
wheels=$folder/wheels
source=$folder/espalier-$upstream
# Python packages of Debian 12 that are new enough; packaging/debian/control names their packages.
of_debian=(
  attrs contourpy cycler numpy packaging pillow pyparsing python-dateutil rich scipy six
  typing_extensions
)

fail() {
  echo "debian_package: $1" >&2
  exit 1
}

# Prints what the package needs of Python, with the versions of this Debian for what it has.
requirements() {
  sed -n '/^dependencies = \[/,/^\]/s/^  "\(.*\)",$/\1/p' pyproject.toml
  echo 'nanobind>=3.1'
  /usr/bin/python3 - "${of_debian[@]}" <<'PYTHON'
import importlib.metadata
import sys

for name in sys.argv[1:]:
    print(f"{name}=={importlib.metadata.version(name)}")
PYTHON
}

# lacking <report of pip>: prints what is needed beside these packages of Debian and what they need.
lacking() {
  /usr/bin/python3 - "$1" "${of_debian[@]}" markdown-it-py mdurl pygments <<'PYTHON'
import json
import sys

of_debian = set(sys.argv[2:])
with open(sys.argv[1]) as file:
    found = [one["metadata"] for one in json.load(file)["install"]]
for one in found:
    if one["name"].lower() not in of_debian:
        print(f"{one['name']}=={one['version']}")
PYTHON
}

fetch_wheels() {
  local environment=$folder/environment
  rm -rf "$wheels" "$environment"
  mkdir -p "$wheels"
  if [[ ! -f .venv/include/mpi_abi.h ]]; then
    fail "expected .venv/include/mpi_abi.h, found none; 'make standard-abi' fetches it"
  fi
  cp .venv/include/mpi_abi.h "$wheels/"
  requirements >"$folder/requirements.txt"
  /usr/bin/python3 -m venv "$environment"
  "$environment/bin/python" -m pip install -q --disable-pip-version-check --dry-run \
    --only-binary :all: --report "$folder/report.json" -r "$folder/requirements.txt"
  lacking "$folder/report.json" >"$folder/lacking.txt"
  "$environment/bin/python" -m pip download -q --disable-pip-version-check --no-deps \
    --only-binary :all: -d "$wheels" -r "$folder/lacking.txt"
  rm -rf "$environment"
  mv "$folder/requirements.txt" "$wheels/"
}

# pack <folder> <archive>: the same files give the same bytes.
pack() {
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -C "$(dirname "$1")" \
    -c "$(basename "$1")" | gzip -n >"$2"
}

mkdir -p "$folder" build/dist
time=$(git log -1 --format=%ct)
if [[ ! -f $wheels/requirements.txt || $(requirements) != "$(<"$wheels/requirements.txt")" ]]; then
  fetch_wheels
fi
rm -rf "$source"
rm -f "$folder"/espalier_*
git archive --prefix="espalier-$upstream/" HEAD | gzip -n >"$folder/espalier_$upstream.orig.tar.gz"
pack "$wheels" "$folder/espalier_$upstream.orig-wheels.tar.gz"
tar -xzf "$folder/espalier_$upstream.orig.tar.gz" -C "$folder"
cp -r "$wheels" "$source/wheels"
cp -r "$source/packaging/debian" "$source/debian"

# debhelper replaces the home of the user, in which ccache would look for its folder.
if command -v ccache >/dev/null; then
  CCACHE_DIR=$(ccache -k cache_dir)
  export CCACHE_DIR
fi
(cd "$source" && dpkg-buildpackage -us -uc) >"$folder/build.log" 2>&1 || {
  tail -n 40 "$folder/build.log" >&2
  fail "build/debian/build.log has all of it"
}
cp "$folder"/espalier_"$version"_*.deb build/dist/
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error "$folder"/espalier_"$version"_*.changes
fi
echo build/dist/espalier_"$version"_*.deb
