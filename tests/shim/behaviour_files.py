# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - cases of a script that prints
"""Statistics that cannot be written, and the library as a file: its symbols and what it needs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from behaviour_context import (
    CHOICES,
    FORCE,
    NUM_RANKS,
    Context,
    expect,
    expect_forced,
)


def unwritable(context: Context, folder: str, part: str) -> None:
    """One warning for all ranks; the program does not mind."""
    outcome = context.launch(context.program("mpi_shim_program"), ESPALIER_STATISTICS=folder)
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect(part in outcome.lines[0], part, outcome.lines[0])


def case_statistics_folder_impossible(context: Context) -> None:
    unwritable(context, "/dev/null/statistics", "3 of 3 ranks could not write")


def case_statistics_file_impossible(context: Context) -> None:
    context.statistics.mkdir()
    (context.statistics / "rank-1.json").mkdir()
    unwritable(context, str(context.statistics), "1 of 3 ranks could not write")
    left = sorted(path.name for path in context.statistics.iterdir())
    expect(left == ["rank-0.json", "rank-1.json", "rank-2.json"], "nothing left behind", left)


def case_statistics_disk_full(context: Context) -> None:
    """A file system without room, where this process may make one."""
    context.statistics.mkdir()
    size = "size=4k,nr_inodes=10"
    script = f'mount -t tmpfs -o {size} none "{context.statistics}" && exec "$@"'
    inside = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh"]
    if context.execute([*inside, "true"]).code != 0:
        print("skipped: mounting a file system is not permitted here")
        return
    full = f'dd if=/dev/zero of="{context.statistics}/zero" 2>/dev/null; exec "$@"'
    command = [str(word) for word in context.config["launcher"]]
    outcome = context.execute(
        [
            *(*inside, "sh", "-c", full, "sh", *command, "-n", str(NUM_RANKS)),
            *("env", f"LD_PRELOAD={context.config['shim']}", context.program("mpi_shim_program")),
        ],
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect("No space left on device" in outcome.lines[0], "the reason", outcome.lines[0])


def case_without_sys(context: Context) -> None:
    """A container that shows nothing of the machine in /sys: calls are served all the same."""
    script = 'mount -t tmpfs none /sys && exec "$@"'
    inside = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh"]
    if context.execute([*inside, "true"]).code != 0:
        print("skipped: mounting a file system is not permitted here")
        return
    program = context.program("mpi_shim_program")
    plain = context.execute([*inside, *context.words(program, shim="")])
    expect(plain.code == 0, "the plain program ends well", plain)
    forced = {"ESPALIER_FORCE": FORCE, "ESPALIER_STATISTICS": str(context.statistics)}
    for settings in ({}, forced):
        outcome = context.execute([*inside, *context.words(program)], **settings)
        expect(outcome.code == 0, "exit code 0", outcome)
        expect(len(outcome.lines) <= 1, "one line at most", outcome.stderr)
    expect_forced(context, outcome, dict.fromkeys(CHOICES, 1))


def case_not_mpi(context: Context) -> None:
    """Programs without MPI do not notice, whatever the settings are."""
    settings = {
        "LD_PRELOAD": str(context.config["shim"]),
        "ESPALIER_VERBOSE": "1",
        "ESPALIER_FORCE": "nonsense",
        "ESPALIER_STATISTICS": str(context.statistics),
    }
    for command in (
        ["true"],
        ["bash", "-c", "echo out; echo err >&2; exit 3"],
        ["sh", "-c", "sort </etc/passwd | head -n 1 | cat"],
        [sys.executable, "-c", "import json, threading; print('out')"],
    ):
        plain = context.execute(command)
        loaded = context.execute(command, **settings)
        expect(loaded == plain, f"{plain}", loaded)
    expect(not context.statistics.exists(), "no statistics", context.statistics)


def case_other_mpi(context: Context) -> None:
    """A program of another MPI runs as without us; one line says why."""
    other = str(context.config["other_shim"])
    if not other:
        print("skipped: only one MPI is installed")
        return
    outcome = context.launch(
        context.program("mpi_shim_program"),
        shim=other,
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect("preload the library for that MPI" in outcome.lines[0], "advice", outcome.lines[0])
    expect(not context.statistics.exists(), "no statistics", context.statistics)


def case_probing(context: Context) -> None:
    """A program that looks for large counts finds what works, whichever library is preloaded.

    The library for MPICH shows them also to programs of an MPI that has none.
    """
    has_large_counts = bool(context.config["has_large_counts"])
    program = context.program("mpi_shim_probing")
    for force in (FORCE, "allreduce=native"):
        outcome = context.launch(program, ESPALIER_FORCE=force)
        expected = "large counts" if has_large_counts else "no large counts"
        expect((outcome.code, outcome.stdout.strip()) == (0, expected), expected, outcome)
    other = str(context.config["other_shim"])
    if not other:
        print("skipped: only one MPI is installed")
        return
    outcome = context.launch(program, shim=other, ESPALIER_FORCE=FORCE)
    expect((outcome.code, outcome.stdout.strip()) == (0, "large counts"), "large counts", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)


def case_symbols(context: Context) -> None:
    """The library shows the functions of its table and needs only the MPI of its family.

    That of MPICH's family also stands in for the function of UCX in which it makes progress, and
    the C interface tells each library of its own collectives.
    """
    shim = str(context.config["shim"])
    table = json.loads(Path(str(context.config["table"])).read_text(encoding="utf-8"))
    names = {row["name"] for row in table["functions"]}
    started = {
        row["name"] for row in table["functions"] if "collective" in row or "neighborhood" in row
    }
    large = started - {"MPI_Barrier"}
    persistent = {f"{name}_init" for name in started}
    if context.config["has_large_counts"]:
        persistent |= {f"{name}_init_c" for name in large}
        large = {f"{name}_c" for name in large}
    else:
        large = set()
    if context.vendor == "openmpi":
        persistent |= {name.replace("MPI_", "MPIX_") for name in persistent}
    started |= large
    names |= large | persistent | {f"MPI_I{name[4].lower()}{name[5:]}" for name in started}
    expected = names | {f"P{name}" for name in names}
    expected |= {"ucp_worker_progress"} if context.vendor == "mpich" else set()
    expected |= {"espalier_own_work"}
    output = context.execute(["nm", "-D", "--defined-only", shim]).stdout
    found = {line.split()[-1] for line in output.splitlines()}
    expect(found == expected, f"{sorted(expected)}", sorted(found))
    output = context.execute(["readelf", "-d", shim]).stdout
    needed = [line for line in output.splitlines() if "(NEEDED)" in line]
    # Libraries of MPICH's interface have several names; that of Open MPI has one.
    usual = ["libc.so", "libm.so", "libdl.so", "libpthread.so", "ld-linux"]
    usual += ["libmpi.so.40", "libopen-"] if context.vendor == "openmpi" else []
    foreign = [line for line in needed if not any(f"[{name}" in line for name in usual)]
    expect(not foreign, f"no library but {usual}", foreign)
    output = context.execute(["nm", "-D", "--undefined-only", shim]).stdout
    symbols = [line.split()[-2:] for line in output.splitlines()]
    strong = [name for kind, name in symbols if kind == "U" and name.startswith(("MPI", "PMPI"))]
    expect(context.vendor == "openmpi" or not strong, "weak references to MPI", strong)
