#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what building and testing needs: Debian packages, and a Python environment in .venv.
# Usage: tools/install_dependencies.sh [demo|programs]
#   demo       also the programs that `make demo` runs
#   programs   also those of benchmarks/programs (about 600 MB)
# Does nothing, quickly, when everything is there.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  build-essential cmake ninja-build ccache gfortran pkgconf
  openmpi-bin libopenmpi-dev mpich libmpich-dev libsimgrid-dev
  libfmt-dev nlohmann-json3-dev libgtest-dev libbenchmark-dev librapidcheck-dev
  python3-venv python3-dev valgrind hwloc libhwloc-dev libscotch-dev iproute2
  lammps gromacs
)
demo_packages=(hpcc ptscotch scotch)
programs_packages=(
  "${demo_packages[@]}"
  quantum-espresso quantum-espresso-data cp2k python3-petsc4py python-petsc4py-doc
)

fail() {
  echo "install_dependencies: $1" >&2
  exit 1
}

# Runs a command silently and prints one line with its duration; its output is shown if it fails.
step() {
  local title=$1 start=$SECONDS output
  shift
  if ! output=$("$@" 2>&1 </dev/null); then
    echo "$output" >&2
    fail "$title: failed after $((SECONDS - start)) s"
  fi
  echo "$title: done in $((SECONDS - start)) s"
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  else
    sudo -- "$@"
  fi
}

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

collect_missing() {
  missing=()
  local package
  for package in "$@"; do
    if ! is_installed "$package"; then
      missing+=("$package")
    fi
  done
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 "$@"
}

install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    fail "needs Debian or a relative of it (no apt-get here); the packages are: ${packages[*]}"
  fi
  collect_missing "${packages[@]}"
  local wanted=("${missing[@]}")
  local optional=()
  case ${1:-} in
    demo) collect_missing "${demo_packages[@]}" ;;
    programs) collect_missing "${programs_packages[@]}" ;;
    *) missing=() ;;
  esac
  optional=("${missing[@]}")
  if [[ ${#wanted[@]} -eq 0 && ${#optional[@]} -eq 0 ]]; then
    echo "system packages: all there"
    return
  fi
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    fail "needs root or sudo to install: ${wanted[*]} ${optional[*]}"
  fi
  step "package lists" apt_get update
  local package
  for package in "${optional[@]}"; do
    if [[ -n $(apt-cache search --names-only "^${package}\$") ]]; then
      wanted+=("$package")
    else
      echo "system packages: $package does not exist here, left out"
    fi
  done
  if [[ ${#wanted[@]} -gt 0 ]]; then
    step "system packages (${wanted[*]})" apt_get install --no-install-recommends "${wanted[@]}"
  fi
}

# Prints the requirements of the package and of its extras, one per line.
requirements() {
  .venv/bin/python - <<'PYTHON'
try:
    import tomllib
except ModuleNotFoundError:
    from pip._vendor import tomli as tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)["project"]
extras = [one for extra in project["optional-dependencies"].values() for one in extra]
print("\n".join(project["dependencies"] + extras))
PYTHON
}

install_python() {
  local python=/usr/bin/python3 stamp=.venv/.requirements.sha256 wanted
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "needs Python 3.10 or newer as $python, found $("$python" --version 2>&1)"
  wanted=$(sha256sum pyproject.toml "$(readlink -f "$python")")
  if [[ -x .venv/bin/python && -f $stamp && $(<"$stamp") == "$wanted" ]]; then
    echo "python environment: up to date"
    return
  fi
  # No --clear: an environment that somebody is using stays usable.
  step "python environment .venv" "$python" -m venv .venv
  requirements >.venv/requirements.txt
  step "python packages" \
    .venv/bin/python -m pip install -q --disable-pip-version-check -r .venv/requirements.txt
  echo "$wanted" >"$stamp"
}

[[ $# -le 1 && ${1:-} =~ ^(demo|programs)?$ ]] ||
  fail "expected nothing, 'demo' or 'programs', got '$*'"
install_packages "$@"
install_python
