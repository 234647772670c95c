# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - cases of a script that prints
"""Which MPI library a process has, when it gets it, and programs that have none."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from behaviour_context import (
    CHOICES,
    FORCE,
    NUM_RANKS,
    Context,
    calls,
    expect,
)

NATIVE = "(all calls are handed over to it)"
UNTESTED = {"openmpi": "Open MPI v3.1.6, package: old", "mpich": "MPICH Version:\t3.4.3\n"}
WITHOUT = "it ended without"


def native(context: Context, behind: str, told: str) -> str:
    """Launch with a library behind the shim that tells a version; return the one line."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        shim=f"{context.config['shim']}:{behind}",
        TOLD_VERSION=told,
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect(NATIVE in outcome.lines[0], "native calls", outcome.lines[0])
    expect(not context.statistics.exists(), "no statistics", context.statistics)
    return outcome.lines[0]


def case_untested_version(context: Context) -> None:
    """A version that nobody tested runs as without us; one line says which are tested."""
    library = str(context.config["told_version"])
    if context.interface == "abi":
        library = shutil.copy(library, context.folder / "libmpi_abi.so.1")
    line = native(context, str(library), UNTESTED[context.vendor])
    expect("was never tested with this version" in line, "the reason", line)


def case_standard_interface(context: Context) -> None:
    """The standard ABI is a family of its own, whatever the library calls itself."""
    is_expected = context.interface == "abi"
    library = context.folder / ("libmpi.so.12" if is_expected else "libmpi_abi.so.1")
    shutil.copy(str(context.config["told_version"]), library)
    told = {"openmpi": "Open MPI v5.0.11, x", "mpich": "MPICH Version: 5.0.2\n"}
    line = native(context, str(library), told[context.vendor])
    reason = "by an interface of its own" if is_expected else "by the standard ABI of MPI-5"
    expect(reason in line, "the reason", line)


def case_opened_late(context: Context) -> None:
    """A program that opens its MPI library late is served as any other."""
    outcome = context.launch(
        context.program("mpi_shim_opener"),
        str(Path(str(context.config["module"]))),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    reports = context.reports()
    expect(len(reports) == NUM_RANKS, "one file for each rank", len(reports))
    for report in reports:
        expected = {"MPI_Allreduce": (1, CHOICES["allreduce"])}
        expect(calls(report) == expected, f"{expected}", report["calls"])


def case_two_libraries(context: Context) -> None:
    """A library of the program is linked with another MPI: native, and one line says so."""
    other = "mpich" if context.vendor == "openmpi" else "openmpi"
    module = Path(str(context.config["module"]).replace(f"_{context.interface}.", f"_{other}."))
    if not module.exists():
        print(f"skipped: {module.name} is not built")
        return
    line = native(context, str(module), "")
    expect("found" in line and "beside the one of the calls" in line, "both libraries", line)


def case_expected_program_without_mpi(context: Context) -> None:
    """A program that has to call MPI_Init and does not is told once; its children are not."""
    shim = str(context.config["shim"])
    python = str(Path(sys.executable).resolve())
    starts_another = f"import subprocess; subprocess.run([{python!r}, '-c', 'pass'], check=True)"
    for rank, what, num_lines in (("0", starts_another, 1), ("1", starts_another, 0), ("0", "", 1)):
        outcome = context.execute(
            ["sh", "-c", '"$@"; true', "sh", python, "-c", what],
            LD_PRELOAD=shim,
            ESPALIER_PROGRAM=python,
            PMI_RANK=rank,
        )
        expect(outcome.code == 0, "exit code 0", outcome)
        expect(len(outcome.lines) == num_lines, f"{num_lines} lines", outcome.stderr)
        expect(all(WITHOUT in line for line in outcome.lines), WITHOUT, outcome.lines)
        is_about_children = "which says nothing of programs that it started" in outcome.stderr
        told = bool(what) and num_lines == 1
        expect(is_about_children == told, "what is not known of children", outcome.lines)


def case_rank_without_library(context: Context) -> None:
    """A rank without the library is told, before its calls can meet those of the library."""
    program = context.program("mpi_shim_program")
    with_library = context.words(program, num_ranks=1)
    # The launcher's options for the ranks behind the colon are their own.
    command = [*with_library, ":", "-n", "1", "env", "LD_PRELOAD=", program]
    outcome = context.execute(["timeout", "--kill-after=1", "13", *command])
    expect(outcome.code != 0, "a program that waits", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    told = "rank 0 has waited in MPI_Init for 10 s for rank 1: expected all ranks with this library"
    expect(told in outcome.lines[0], told, outcome.lines)


def case_expected_program_with_mpi(context: Context) -> None:
    """A program that calls MPI_Init is told nothing."""
    program = str(Path(context.program("mpi_shim_program")).resolve())
    outcome = context.launch(program, ESPALIER_PROGRAM=program)
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(not outcome.lines, "silence", outcome.stderr)


def case_bound_at_once(context: Context) -> None:
    """Programs without MPI start even if all symbols have to be found at once."""
    settings = {"LD_PRELOAD": str(context.config["shim"]), "LD_BIND_NOW": "1"}
    outcome = context.execute(["sh", "-c", "echo out; exit 3"], **settings)
    expect((outcome.code, outcome.stdout) == (3, "out\n"), "the program alone", outcome)
    expect(not outcome.stderr, "silence", outcome.stderr)
