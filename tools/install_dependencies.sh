#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs Debian packages, and a Python environment in .venv.
# Usage: tools/install_dependencies.sh GROUP
#   build          what compiling needs, and an MPI library where there is none
#   standard-abi   the same for both MPI libraries of Debian, and the header of the standard ABI
#   test           all this, and what `make test` needs
#   demo           what compiling needs, and the programs that `make demo` runs
#   programs       also those of benchmarks/programs (about 600 MB)
#   distributions  as test, and what makes other systems for tests/distributions and tests/mpis
#   compilers      what compiling needs, and the oldest compilers with what unit tests need
#   debian-package as standard-abi, and what makes a package of Debian
# Does nothing, quickly, when everything is there. Where it cannot install packages, it says what is
# missing and goes on: CMake says what cannot be built without them.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "install_dependencies: $1" >&2
  exit 1
}

# choose <group>: sets `wanted`. cmake/Packages.cmake says what is lost without those of a build that
# may be missing.
choose() {
  wanted=(
    build-essential cmake ninja-build ccache gfortran pkgconf libsimgrid-dev
    libfmt-dev nlohmann-json3-dev python3-venv python3-dev hwloc libhwloc-dev libscotch-dev
    libucx-dev
  )
  case $1 in
    build | standard-abi) ;;
    test | distributions)
      wanted+=(libgtest-dev libbenchmark-dev librapidcheck-dev valgrind)
      wanted+=(iproute2 lammps gromacs)
      if [[ $1 == distributions ]]; then
        wanted+=(debootstrap)
      fi
      ;;
    compilers) wanted+=(g++-11 clang-14 libgtest-dev librapidcheck-dev) ;;
    debian-package)
      wanted+=(debhelper dpkg-dev lintian python3-attr python3-contourpy python3-cycler)
      wanted+=(python3-dateutil python3-numpy python3-packaging python3-pil python3-pyparsing)
      wanted+=(python3-rich python3-scipy python3-six python3-typing-extensions)
      ;;
    demo) wanted+=(iproute2 ptscotch scotch) ;;
    programs)
      wanted+=(iproute2 lammps gromacs hpcc ptscotch scotch quantum-espresso)
      wanted+=(quantum-espresso-data cp2k python3-petsc4py python-petsc4py-doc)
      wanted+=(openfoam openfoam-examples)
      ;;
    *)
      fail "expected build, standard-abi, test, demo, programs, distributions, compilers or \
debian-package, got '$1'"
      ;;
  esac
}

# choose_mpis <group>: adds the MPI libraries to `wanted`. A build is for those that are there, and does
# not bring another one to somebody's machine; Debian's programs use Open MPI.
choose_mpis() {
  case $1 in
    build | compilers)
      if ! command -v mpicc >/dev/null; then
        wanted+=(openmpi-bin libopenmpi-dev)
      fi
      ;;
    demo | programs) wanted+=(openmpi-bin libopenmpi-dev) ;;
    *) wanted+=(openmpi-bin libopenmpi-dev mpich libmpich-dev) ;;
  esac
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
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 \
    -o DPkg::Lock::Timeout=300 "$@"
}

# Some releases lack some programs of the demonstration.
leave_out_unknown() {
  known=()
  local package
  for package in "$@"; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      known+=("$package")
    else
      echo "system packages: $package does not exist here, left out"
    fi
  done
}

install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "system packages: no apt-get here; in Debian they are called ${wanted[*]}"
    return
  fi
  collect_missing "${wanted[@]}"
  if [[ ${#missing[@]} -eq 0 ]]; then
    echo "system packages: all there"
    return
  fi
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    echo "system packages: these are missing, and installing them needs root or sudo: ${missing[*]}"
    return
  fi
  step "package lists" apt_get update
  leave_out_unknown "${missing[@]}"
  if [[ ${#known[@]} -gt 0 ]]; then
    step "system packages (${known[*]})" apt_get install --no-install-recommends "${known[@]}"
  fi
}

# What has to be there before CMake can say anything.
check_tools() {
  local tool
  for tool in cmake ninja c++; do
    command -v "$tool" >/dev/null || fail "expected $tool on the PATH, found none; the packages are \
called cmake, ninja-build and g++ in Debian and Fedora, and cmake, ninja and gcc elsewhere"
  done
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

# The header of the standard ABI, mpi_abi.h of MPICH 5, which no package of Debian 12 has: it is taken
# from the wheel of MPICH, of which nothing else is kept.
install_standard_header() {
  if [[ -f .venv/include/mpi_abi.h ]]; then
    return
  fi
  .venv/bin/python - <<'PYTHON'
import pathlib
import subprocess
import sys
import tempfile
import zipfile

options = ["-q", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
with tempfile.TemporaryDirectory() as folder:
    download = [sys.executable, "-m", "pip", "download", *options, "-d", folder, "mpich==5.0.2"]
    if subprocess.run(download, stdin=subprocess.DEVNULL, capture_output=True).returncode != 0:
        print("standard ABI of MPI-5: its header cannot be downloaded; its programs run natively")
        sys.exit()
    (wheel,) = pathlib.Path(folder).glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith("/include/mpi_abi.h"))
        pathlib.Path(".venv/include/mpi_abi.h").write_bytes(files.read(name))
print("standard ABI of MPI-5: header of MPICH 5.0.2")
PYTHON
}

choose "${1:-}"
choose_mpis "$1"
install_packages
check_tools
install_python
case $1 in
  standard-abi | test | distributions | debian-package) install_standard_header ;;
esac
