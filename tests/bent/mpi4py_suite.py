# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""Run mpi4py's own tests under each MPI of build/release, plain and preloaded, and compare them.

Every collective is forced, also those of neighborhoods. mpi4py asks for MPI_THREAD_MULTIPLE, under
which MPICH has nonblocking calls to itself, so the tests run a second time without threads.

Usage: mpi4py_suite.py [--ranks N]... [--mpi openmpi|mpich]
Prints a line for each run, and one for each test that ends otherwise than without Espalier; exit
code 1 if there is any. The tests are those of the source package of the mpi4py that is installed.
"""

from __future__ import annotations

import argparse
import ctypes.util
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import forces

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "mpi4py"
SECONDS = 900

NEIGHBORS = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
# What each rank prints goes into a file of its own.
REDIRECT = 'exec "$@" >"$0.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" 2>&1'
# "test_name (module.Class.test_name) ... ok"; what a test prints may stand between.
TEST = re.compile(r"^(test\w+ \(\S+\)) \.\.\. ", re.MULTILINE)
VERDICT = re.compile(r"ok$|FAIL$|ERROR$|skipped|expected failure$", re.MULTILINE)
# Processes that are started need other transports than the ranks of one node have here. Utilities
# of mpi4py keep processors busy that other ranks need.
LEFT_OUT = ("spawn", "dynproc", "util")

Verdicts = dict[tuple[str, str], str]


def tests_of(version: str) -> Path:
    """Return the folder of the tests, which are in the source package only."""
    folder = FOLDER / f"mpi4py-{version}"
    if not folder.is_dir():
        words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary"]
        words += ["mpi4py", f"mpi4py=={version}", "--dest", str(FOLDER)]
        subprocess.run(words, check=True)
        with tarfile.open(FOLDER / f"mpi4py-{version}.tar.gz") as archive:
            archive.extractall(FOLDER, filter="data")
    return folder / "test"


def forced(name: str) -> str:
    """Return ESPALIER_FORCE for a set of algorithms."""
    choices = dict(forces.SETS[name])
    choices |= {f"neighbor_{call}": "direct" for call in NEIGHBORS}
    return ";".join(f"{call}={choice}" for call, choice in choices.items())


def mpich_folder(folder: Path) -> str:
    """Return a folder with Debian's libmpich.so.12 under the name that wheels of mpi4py load."""
    name = ctypes.util.find_library("mpich")
    found = None if name is None else next(Path("/usr/lib").glob(f"*/{name}"), None)
    if found is not None:
        (folder / "libmpi.so.12").symlink_to(found)
    return str(folder)


def command(
    config: dict[str, Any], ranks: int, tests: Path, variables: dict[str, str]
) -> list[str]:
    """Return a run of the tests with variables for its ranks."""
    words = list(config["launcher"])
    for name, value in variables.items():
        words += (
            ["-x", f"{name}={value}"] if config["vendor"] == "openmpi" else ["-genv", name, value]
        )
    words += ["-n", str(ranks), "sh", "-c", REDIRECT, str(FOLDER / "log")]
    words += [sys.executable, str(tests / "main.py"), "-v", "--no-builddir"]
    return [*words, *(word for module in LEFT_OUT for word in ("-e", module))]


def verdicts_in(text: str) -> dict[str, str]:
    """Return what became of each test; nothing of one that did not end."""
    places = list(TEST.finditer(text))
    ends = [*(place.start() for place in places), len(text)][1:]
    found = {}
    for place, end in zip(places, ends, strict=True):
        if verdict := VERDICT.search(text, place.end(), end):
            found[place[1]] = verdict[0]
    return found


def run(words: list[str], vendor: str) -> tuple[Verdicts, int]:
    """Return what became of each test on each rank, and the exit code of the job."""
    for old in FOLDER.glob("log.*"):
        old.unlink()
    environment = {**os.environ, "MPI4PY_MPIABI": vendor, "OMPI_ALLOW_RUN_AS_ROOT": "1"}
    environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    with (FOLDER / "launcher.log").open("w", encoding="utf-8") as output:
        done = subprocess.run(
            ["/usr/bin/timeout", "--kill-after=5", str(SECONDS), *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    found = {
        (log.suffix[1:], test): verdict
        for log in sorted(FOLDER.glob("log.*"))
        for test, verdict in verdicts_in(log.read_text("utf-8", "replace")).items()
    }
    return found, done.returncode


def differences(plain: Verdicts, ours: Verdicts) -> list[str]:
    """Return a line for each test that is not what it was.

    What was skipped may run: Open MPI 4 has no persistent collectives under the names of MPI-4, and
    Espalier has them.
    """
    return [
        f"  rank {rank}: {test}: {how} plain, {ours.get((rank, test), 'no end')} preloaded"
        for (rank, test), how in plain.items()
        if ours.get((rank, test)) != how and (how, ours.get((rank, test))) != ("skipped", "ok")
    ]


def compare(config: dict[str, Any], ranks: int, threads: str, tests: Path, libraries: str) -> int:
    """Run the tests plain and with each set of algorithms; return how many differ."""
    vendor = config["vendor"]
    common = {"MPI4PY_RC_THREADS": threads, "ESPALIER_LEARN": "off"}
    if vendor == "mpich":
        common["LD_LIBRARY_PATH"] = libraries
    plain, code = run(command(config, ranks, tests, common), vendor)
    what = f"{vendor}, {ranks} ranks, {'with' if threads == '1' else 'without'} threads"
    print(f"{what}, plain: {dict(Counter(plain.values()))}, exit code {code}", flush=True)
    num_differences = 0 if plain else 1
    for name in forces.SETS:
        variables = common | {"LD_PRELOAD": config["shim"], "ESPALIER_FORCE": forced(name)}
        ours, own_code = run(command(config, ranks, tests, variables), vendor)
        lines = differences(plain, ours)
        if own_code != code:
            lines.append(f"  exit code: {code} plain, {own_code} preloaded")
        print(f"{what}, {name}: {len(ours)} ended, {len(lines)} differ, exit code {own_code}")
        print(*lines, sep="\n", end="\n" if lines else "", flush=True)
        num_differences += len(lines)
    return num_differences


def main() -> int:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--ranks", type=int, action="append", help="default: 1, 2 and 3")
    parser.add_argument("--mpi", default="*", help="default: each that there is")
    options = parser.parse_args()
    ranks = options.ranks or [1, 2, 3]
    folder_of_configs = ROOT / "build" / "release" / "tests" / "bent"
    configs = sorted(folder_of_configs.glob(f"{options.mpi}.json"))
    if not configs:
        print("expected build/release with tests, found none; 'make build' makes it")
        return 2
    tests = tests_of(importlib.metadata.version("mpi4py"))
    num_differences = 0
    with tempfile.TemporaryDirectory() as folder:
        libraries = mpich_folder(Path(folder))
        for config in (json.loads(path.read_text(encoding="utf-8")) for path in configs):
            for number in ranks:
                for threads in ("1", "0"):
                    num_differences += compare(config, number, threads, tests, libraries)
    return 1 if num_differences else 0


if __name__ == "__main__":
    sys.exit(main())
