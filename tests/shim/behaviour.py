# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""What a preloaded process does as a whole: exit codes, messages, statistics files.

Usage: behaviour.py CONFIG.json CASE. Standard library only. The configuration names the vendor, its
launcher with options, the shims and the test programs; CASE is the name of a function case_<CASE>.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NUM_RANKS = 3
CHOICES = {
    "allgather": "allgather/ring",
    "allgatherv": "allgather/ring",
    "allreduce": "allreduce/recursive_doubling",
    "alltoall": "alltoall/bruck",
    "alltoallv": "alltoall/pairwise",
    "alltoallw": "alltoall/pairwise",
    "barrier": "barrier/dissemination",
    "bcast": "bcast/binomial",
    "exscan": "exscan/linear",
    "gather": "gather/binomial",
    "gatherv": "gather/flat",
    "reduce": "reduce/flat",
    "reduce_scatter": "reduce_scatter/pairwise",
    "reduce_scatter_block": "reduce_scatter/pairwise",
    "scan": "scan/linear",
    "scatter": "scatter/binomial",
    "scatterv": "scatter/flat",
}
FORCE = ";".join(f"{call}={choice}" for call, choice in CHOICES.items())
FORTRAN_CALLS = {
    "allgather": 2,
    "allgatherv": 1,
    "allreduce": 2,
    "alltoall": 2,
    "barrier": 1,
    "bcast": 2,
    "reduce": 1,
}
RULE = {
    "collective": "bcast",
    "num_ranks": NUM_RANKS,
    "num_nodes": 1,
    "min_bytes": 0,
    "max_bytes": None,
    "algorithm": "bcast/flat",
    "reason": "measured",
}


@dataclass(frozen=True)
class Outcome:
    """A program that has ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[str]:
        """What Espalier printed."""
        return [line for line in self.stderr.splitlines() if line.startswith("espalier: ")]


@dataclass
class Context:
    """Everything a case needs."""

    config: dict[str, Any]
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def vendor(self) -> str:
        """`openmpi` or `mpich`."""
        return str(self.config["vendor"])

    @property
    def statistics(self) -> Path:
        """Folder the statistics go to."""
        return self.folder / "statistics"

    def program(self, name: str, vendor: str = "") -> str:
        """Path of a test program."""
        return str(Path(str(self.config["programs"])) / f"{name}_{vendor or self.vendor}")

    def execute(self, command: list[str], **environment: str) -> Outcome:
        """Run a command to its end."""
        done = subprocess.run(
            command,
            env={**os.environ, **self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def launch(
        self,
        *program: str,
        shim: str | None = None,
        num_ranks: int = NUM_RANKS,
        **environment: str,
    ) -> Outcome:
        """Run a program with a shim (by default the one of the vendor)."""
        libraries = [str(self.config["shim"]) if shim is None else shim]
        libraries += [str(library) for library in self.config["helpers"]]
        preload = ":".join(library for library in libraries if library)
        command = [str(word) for word in self.config["launcher"]]
        if self.vendor == "openmpi":
            command += ["-x", f"LD_PRELOAD={preload}"] if preload else []
        else:
            command += ["-genv", "LD_PRELOAD", preload]
        return self.execute([*command, "-n", str(num_ranks), *program], **environment)

    def reports(self, folder: Path | None = None) -> list[dict[str, Any]]:
        """Statistics of all ranks, in order of ranks."""
        files = sorted((folder or self.statistics).glob("rank-*.json"))
        return [json.loads(file.read_text(encoding="utf-8")) for file in files]

    def write_profile(self, text: str) -> str:
        """Put a profile file into the folder of the case."""
        path = self.folder / "profile.json"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def profile(self, **changes: object) -> str:
        """A good profile with one rule, changed."""
        document = {
            "schema": "espalier-profile",
            "version": 1,
            "mpi": {"vendor": self.vendor, "version": "any"},
            "rules": [RULE],
        }
        return self.write_profile(json.dumps({**document, **changes}))


def expect(holds: bool, promise: str, found: object = "") -> None:
    """Stop the case unless the promise holds."""
    if not holds:
        raise AssertionError(f"{promise}; found: {found}")


def calls(report: dict[str, Any]) -> dict[str, tuple[int, str]]:
    """Function -> (number of calls, algorithm)."""
    return {row["function"]: (row["count"], row["algorithm"]) for row in report["calls"]}


def expect_forced(context: Context, outcome: Outcome, counts: dict[str, int]) -> None:
    """All ranks ended well, and all their calls ran the algorithms of FORCE."""
    expect(outcome.code == 0, "exit code 0", outcome)
    reports = context.reports()
    expect(len(reports) == NUM_RANKS, "one file for each rank", len(reports))
    for rank, report in enumerate(reports):
        expect(report["rank"] == rank and report["finalized"], "a finalized report", report)
        expect(report["mpi"]["vendor"] == context.vendor, "the vendor", report["mpi"])
        expected = {
            f"MPI_{call.capitalize()}": (count, CHOICES[call]) for call, count in counts.items()
        }
        expect(calls(report) == expected, f"{expected}", report["calls"])
    left = [path.name for path in context.statistics.iterdir() if ".part" in path.name]
    expect(not left, "no temporary files", left)


def fortran(context: Context, program: str) -> None:
    """Every call of a Fortran program is caught."""
    outcome = context.launch(
        context.program(program),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, FORTRAN_CALLS)


def case_fortran_mpif(context: Context) -> None:
    fortran(context, "fortran_mpif")


def case_fortran_use_mpi(context: Context) -> None:
    fortran(context, "fortran_use_mpi")


def case_fortran_use_mpi_f08(context: Context) -> None:
    fortran(context, "fortran_use_mpi_f08")


def case_c(context: Context) -> None:
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, dict.fromkeys(CHOICES, 1))
    expect(not outcome.lines, "silence", outcome.stderr)


def case_own_communicators(context: Context) -> None:
    """Each communicator of the user's but MPI_COMM_WORLD is made ready once, when he makes it."""
    outcome = context.launch(
        context.program("mpi_shim_communicators"),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for rank, count in enumerate((46, 26, 45)):
        ran = json.loads((context.statistics / f"rank-{rank}.json").read_text())
        made = ran["own_communicators"]
        # Of 40 short-lived ones half have the even ranks only, and the odd rank is alone.
        expect(made["count"] == count, f"{count} communicators made ready", made)
        expect(0 < made["seconds"] < ran["seconds"], f"a part of {ran['seconds']} seconds", made)


def case_many_communicators(context: Context) -> None:
    """Each of 1,300 communicators is served, none is left to the MPI library."""
    outcome = context.launch(
        context.program("mpi_shim_irregular"),
        "many_communicators",
        num_ranks=2,
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        expected = {"MPI_Allreduce": (1300, CHOICES["allreduce"])}
        expect(calls(report) == expected, f"{expected}", report["calls"])


def case_preloaded_launcher(context: Context) -> None:
    """LD_PRELOAD in the environment of the launcher itself, as in `LD_PRELOAD=... mpirun ...`."""
    libraries = [str(context.config["shim"]), *map(str, context.config["helpers"])]
    command = [str(word) for word in context.config["launcher"]]
    outcome = context.execute(
        [*command, "-n", str(NUM_RANKS), context.program("mpi_shim_program")],
        LD_PRELOAD=":".join(libraries),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, dict.fromkeys(CHOICES, 1))


def case_settings_of_rank_0(context: Context) -> None:
    """Ranks with other settings in their environment follow rank 0."""
    program = context.program("mpi_shim_program")
    script = (
        'case "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" in 0) ;; *) export ESPALIER_OFF=1 '
        "ESPALIER_FORCE=bcast=flat; unset ESPALIER_STATISTICS;; esac; exec " + program
    )
    outcome = context.launch(
        "sh",
        "-c",
        script,
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, dict.fromkeys(CHOICES, 1))


def same_ending(context: Context, how: str, num_ranks: int = NUM_RANKS) -> Outcome:
    """The program ends with the code it has without us."""
    program = context.program("mpi_shim_program")
    plain = context.launch(program, how, shim="", num_ranks=num_ranks)
    outcome = context.launch(
        program,
        how,
        num_ranks=num_ranks,
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(plain.code != 0, "an ending that fails", plain)
    expect(outcome.code == plain.code, f"exit code {plain.code}", outcome)
    return outcome


def case_exit_without_finalize(context: Context) -> None:
    """One rank: of several, the launcher may end some before they exit by themselves."""
    same_ending(context, "exit", num_ranks=1)
    reports = context.reports()
    expect(len(reports) == 1 and not reports[0]["finalized"], "statistics of rank 0", reports)
    expect(calls(reports[0])["MPI_Bcast"] == (1, "native"), "its calls", reports[0])


def case_abort(context: Context) -> None:
    same_ending(context, "abort")
    reports = [report for report in context.reports() if report["rank"] == 0]
    expect(len(reports) == 1 and not reports[0]["finalized"], "statistics of rank 0", reports)


def case_call_after_finalize(context: Context) -> None:
    same_ending(context, "after")


def case_fork(context: Context) -> None:
    """A child that exits does not write over the report of its parent."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        "fork",
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, dict.fromkeys(CHOICES, 1))


def case_spawn(context: Context) -> None:
    """Merged communicators are native; spawned ranks write into a folder of their own."""
    launcher = [str(word) for word in context.config["launcher"]]
    # Ranks of different jobs reach each other by tcp only.
    context.config["launcher"] = [word.replace("vader", "tcp") for word in launcher]
    if context.launch(context.program("mpi_shim_program"), "spawn", shim="").code != 0:
        print("skipped: this MPI cannot spawn here")
        return
    outcome = context.launch(
        context.program("mpi_shim_program"),
        "spawn",
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    reports = context.reports()
    merged = [row for row in reports[0]["calls"] if row["num_ranks"] == NUM_RANKS + 1]
    expect(len(merged) == len(CHOICES), "calls on the merged communicator", reports[0])
    reasons = {(row["algorithm"], row["reason"]) for row in merged}
    expect(reasons == {("native", "ranks outside MPI_COMM_WORLD")}, "native for ever", reasons)
    folders = list(context.statistics.glob("spawned-*"))
    expect(len(folders) == 1, "a folder for the spawned", folders)
    expect(len(context.reports(folders[0])) == 1, "one rank was spawned", folders)


def case_leaks(context: Context) -> None:
    """Open MPI can say which handles were not freed."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_FORCE=FORCE,
        OMPI_MCA_mpi_show_handle_leaks="1",
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(not outcome.stderr.strip(), "no word about handles", outcome.stderr)


def unusable_profile(context: Context, path: str, part: str) -> None:
    """One clear line, native calls, exit code of the program."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_PROFILE=path,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect(part in outcome.lines[0], part, outcome.lines[0])
    for report in context.reports():
        expect(calls(report)["MPI_Bcast"] == (1, "native"), "native calls", report)
        expect(len(report["warnings"]) == 1, "the warning in the report", report)


def case_profile_missing(context: Context) -> None:
    unusable_profile(context, str(context.folder / "none.json"), "No such file or directory")


def case_profile_corrupt(context: Context) -> None:
    unusable_profile(context, context.write_profile('{"schema": "espa'), "expected JSON")


def case_profile_newer(context: Context) -> None:
    unusable_profile(context, context.profile(version=2), "version: expected at most 1")


def case_profile_foreign(context: Context) -> None:
    path = context.profile(mpi={"vendor": "another"})
    unusable_profile(context, path, "got one tuned with 'another'")


def case_profile_unknown_algorithm(context: Context) -> None:
    path = context.profile(rules=[{**RULE, "algorithm": "bcast/carrier_pigeon"}])
    unusable_profile(context, path, "carrier_pigeon")


def case_profile(context: Context) -> None:
    """Rules are followed, and the report says which."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_PROFILE=context.profile(),
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(not outcome.lines, "silence", outcome.stderr)
    for report in context.reports():
        found = {row["function"]: (row["algorithm"], row["reason"]) for row in report["calls"]}
        expected = ("bcast/flat", "profile rule 0: measured")
        expect(found["MPI_Bcast"] == expected, f"{expected}", found)
        expect(found["MPI_Allgather"][0] == "native", "native without a rule", found)


def case_profile_borrowed(context: Context) -> None:
    """A profile for another shape is used, and the report says so."""
    path = context.profile(rules=[{**RULE, "num_ranks": 2 * NUM_RANKS, "num_nodes": 2}])
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_PROFILE=path,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expected = f"profile rule 0, borrowed from {2 * NUM_RANKS} ranks on 2 nodes: measured"
    for report in context.reports():
        reasons = {row["reason"] for row in report["calls"] if row["function"] == "MPI_Bcast"}
        expect(reasons == {expected}, expected, reasons)


def case_profile_far(context: Context) -> None:
    """A profile for a much larger shape is not used, and one line says so."""
    path = context.profile(rules=[{**RULE, "num_ranks": 800, "num_nodes": 40}])
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_PROFILE=path,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    complaint = f"expected rules for {NUM_RANKS} ranks on 1 node or at most a factor of 2 from it"
    expect(complaint in outcome.lines[0], complaint, outcome.lines[0])
    expected = (
        f"no rule of the profile is near enough to {NUM_RANKS} ranks on 1 node; "
        "the nearest is for 800 ranks on 40 nodes"
    )
    for report in context.reports():
        reasons = {row["reason"] for row in report["calls"] if row["function"] == "MPI_Bcast"}
        expect(reasons == {expected}, expected, reasons)


def forced_badly(context: Context, force: str, part: str) -> None:
    """One line from rank 0, native calls."""
    outcome = context.launch(context.program("mpi_shim_program"), ESPALIER_FORCE=force)
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect(part in outcome.lines[0], part, outcome.lines[0])


def case_force_unknown(context: Context) -> None:
    forced_badly(context, "bcast=carrier_pigeon", "expected an algorithm for bcast")


def case_force_refused(context: Context) -> None:
    forced_badly(context, "allgather=recursive_doubling", "does not accept 3 ranks")


def case_operators(context: Context) -> None:
    """Operators that do not commute run only where their order is kept; statistics say why."""
    outcome = context.launch(
        context.program("mpi_shim_reductions"),
        "no_gaps",
        # The in-place reduce of MPICH 4.0 crashes for some sizes.
        ESPALIER_FORCE="allreduce=ring;reduce=chain;scan=linear",
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        rows = {
            (row["function"], row["algorithm"], row["reason"])
            for row in report["calls"]
            if row["num_ranks"] == NUM_RANKS and row["max_bytes"] > 0
        }
        for row in (
            ("MPI_Allreduce", "allreduce/ring", "forced by ESPALIER_FORCE"),
            (
                "MPI_Allreduce",
                "native",
                "the choice swaps operands, the operator does not commute",
            ),
            ("MPI_Scan", "scan/linear", "forced by ESPALIER_FORCE"),
        ):
            expect(row in rows, f"{row}", sorted(rows))
        natives = {row for row in rows if row[0] == "MPI_Scan" and row[1] == "native"}
        expect(not natives, "any operator in rank order", natives)


def case_blocks_of_unknown_size(context: Context) -> None:
    """Algorithms that forward blocks cannot serve calls in which nobody knows their sizes."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        num_ranks=4,  # rank 2 stands between rank 3 and the root
        ESPALIER_FORCE="gatherv=binomial;alltoallv=bruck",
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        found = calls(report)
        expect(found["MPI_Gatherv"] == (1, "native"), "native gatherv", report)
        expect(found["MPI_Alltoallv"] == (1, "native"), "native alltoallv", report)
    lines = " ".join(outcome.lines)
    expect("keeps blocks of others" in lines, "a warning for gatherv", outcome.lines)
    expect("needs blocks of one size" in lines, "a warning for alltoallv", outcome.lines)


def case_off(context: Context) -> None:
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_OFF="1",
        ESPALIER_FORCE="nonsense",
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(not outcome.lines, "silence", outcome.stderr)
    expect(not context.statistics.exists(), "no statistics", context.statistics)


def case_verbose(context: Context) -> None:
    outcome = context.launch(
        context.program("mpi_shim_program"), ESPALIER_VERBOSE="1", ESPALIER_FORCE="bcast=flat"
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    first = outcome.lines[0]
    expect("no profile, bcast forced to bcast/flat" in first, "the settings", first)
    expect("MPI" in first and "0.1.0" in first, "versions", first)
    table = " ".join(outcome.lines[1:])
    expected = 2 + len(CHOICES)
    expect(len(outcome.lines) == expected, "a heading and a line for each function", outcome.lines)
    expect("MPI_Bcast" in table and "bcast/flat" in table, "a line for bcast", table)


def case_topologies(context: Context) -> None:
    """Reports and statistics of mapped communicators; what we did for it is not counted."""
    outcome = context.launch(
        context.program("mpi_shim_topology"),
        "mapped",
        ESPALIER_STATISTICS=str(context.statistics),
        ESPALIER_VERBOSE="1",
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    line = "espalier: MPI_Cart_create 3 on 2 nodes: inter-node neighbours 4 -> 2, worst node 2 -> 1"
    expect(any(each.startswith(line) for each in outcome.lines), line, outcome.lines)
    first, *others = context.reports()
    functions = {row["function"] for row in first["mappings"]}
    graphs = {"MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent"}
    expect(functions == {"MPI_Cart_create", *graphs}, "all functions", functions)
    expect(not any(report["mappings"] for report in others), "rank 0 reports", others)
    ours = {"MPI_Bcast", "MPI_Gather", "MPI_Gatherv", "MPI_Scatter"} & set(calls(first))
    expect(not ours, "calls of the program only", ours)


def case_topologies_misspelt(context: Context) -> None:
    """Settings that are not understood: one line each, and what is done instead."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_MAPPING="no",
        ESPALIER_DIMS="best",
        ESPALIER_MACHINE="two nodes",
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    names = [line.split()[1] for line in outcome.lines]
    expected = ["ESPALIER_MAPPING:", "ESPALIER_DIMS:", "ESPALIER_MACHINE:"]
    expect(names == expected, "a line for each", outcome.lines)


def late(context: Context, *arguments: str, **environment: str) -> Outcome:
    """Run the program in which the last rank comes late to an MPI_Allgather."""
    before = boards()
    outcome = context.launch(context.program("mpi_shim_late"), *arguments, **environment)
    left = boards() - before
    # Others may be between making theirs and taking its name away.
    for _ in range(50):
        if left:
            time.sleep(0.1)
            left &= boards()
    expect(not left, "no shared memory left behind", left)
    return outcome


def boards() -> set[str]:
    """Return what watches have in shared memory."""
    return {path.name for path in Path("/dev/shm").glob("espalier-watch-*")}  # noqa: S108


def expect_line(outcome: Outcome, pattern: str) -> None:
    """Some line is exactly this."""
    found = [line for line in outcome.lines if re.fullmatch(f"espalier: {pattern}", line)]
    expect(bool(found), pattern, outcome.stderr)


def expect_waiting(outcome: Outcome, ranks: set[str]) -> None:
    """Lines come from these ranks only, and there are no others."""
    found = {line.split(" waits for ")[0] for line in outcome.lines}
    expect(found == {f"espalier: rank {rank}" for rank in ranks}, f"ranks {ranks}", found)


LAST = r"rank 2 is in no collective, its last one was MPI_Bcast [0-9.]+ m?s ago"


def case_watch(context: Context) -> None:
    """Who waits says where, for whom, and what that one does; again after twice the time."""
    outcome = late(context, "3.5", ESPALIER_WATCH="1s", ESPALIER_FORCE="allgather=ring")
    expect(outcome.code == 0, "exit code 0", outcome)
    where = r"in MPI_Allgather \(3 ranks of MPI_COMM_WORLD, 12 bytes, allgather/ring"
    for time_text in (r"1(\.\d)? s", r"2(\.\d)? s"):
        begin = f"rank 0 waits for {time_text} {where}, round 1 of 2\\) "
        expect_line(outcome, f"{begin}for a message from rank 2; {LAST}")
        begin = f"rank 1 waits for {time_text} {where}, round 2 of 2\\) "
        expect_line(
            outcome,
            f"{begin}for a message from rank 0; rank 0 is {where}, round 1 of 2\\) for [0-9.]+ m?s"
            ", waiting for a message from rank 2",
        )
    expect_waiting(outcome, {"0", "1"})


def case_watch_native(context: Context) -> None:
    """The same for calls of the MPI library, which nobody knows the peers of."""
    outcome = late(context, "1.7", ESPALIER_WATCH="1s")
    expect(outcome.code == 0, "exit code 0", outcome)
    for rank in (0, 1):
        call = r"MPI_Allgather of the MPI library \(3 ranks of MPI_COMM_WORLD, 12 bytes\)"
        expect_line(outcome, f"rank {rank} waits for 1(\\.\\d)? s in {call}; {LAST}")
    expect_waiting(outcome, {"0", "1"})


def case_watch_communicator(context: Context) -> None:
    """Ranks of other communicators are told from those of MPI_COMM_WORLD."""
    outcome = late(context, "1.7", "rows", ESPALIER_WATCH="1", ESPALIER_FORCE="allgather=ring")
    expect(outcome.code == 0, "exit code 0", outcome)
    where = r"MPI_Allgather \(its rank 1 of 3 in rows, 12 bytes, allgather/ring, round 1 of 2\)"
    expect_line(
        outcome,
        f"rank 1 waits for 1(\\.\\d)? s in {where} for a message from its rank 0, which is rank 2"
        f" of MPI_COMM_WORLD; {LAST}",
    )


def case_watch_abort(context: Context) -> None:
    """A program that hangs and is ended leaves nothing."""
    outcome = late(
        context, "2", "world", "abort", ESPALIER_WATCH="500ms", ESPALIER_FORCE="allgather=ring"
    )
    expect(outcome.code != 0, "the exit code of MPI_Abort", outcome)
    expect(any(" waits for " in line for line in outcome.lines), "lines", outcome.stderr)


def case_watch_misspelt(context: Context) -> None:
    """A value that is not understood: one line, and nobody watches."""
    outcome = late(context, "1.5", ESPALIER_WATCH="1sec")
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect("ESPALIER_WATCH: expected a time" in outcome.lines[0], "advice", outcome.lines[0])


def case_watch_off(context: Context) -> None:
    for value in ("", "off", "0"):
        outcome = late(context, "1.2", ESPALIER_WATCH=value, ESPALIER_FORCE="allgather=ring")
        expect(outcome.code == 0 and not outcome.lines, "silence", outcome)
    outcome = late(context, "0", ESPALIER_WATCH="30s", ESPALIER_FORCE="allgather=ring")
    expect(outcome.code == 0 and not outcome.lines, "silence where nobody waits", outcome)


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


def case_symbols(context: Context) -> None:
    """The library shows the functions of its table and needs only the MPI of its vendor."""
    shim = str(context.config["shim"])
    table = json.loads(Path(str(context.config["table"])).read_text(encoding="utf-8"))
    names = {row["name"] for row in table["functions"]}
    expected = names | {f"P{name}" for name in names}
    output = context.execute(["nm", "-D", "--defined-only", shim]).stdout
    found = {line.split()[-1] for line in output.splitlines()}
    expect(found == expected, f"{sorted(expected)}", sorted(found))
    output = context.execute(["readelf", "-d", shim]).stdout
    needed = [line for line in output.splitlines() if "(NEEDED)" in line]
    expect(any("libmpi" in line for line in needed), "the MPI library", needed)
    usual = ("libmpi", "libopen-", "libc.so", "libm.so", "libdl.so", "libpthread.so", "ld-linux")
    foreign = [line for line in needed if not any(f"[{name}" in line for name in usual)]
    expect(not foreign, "no library but MPI and C", foreign)


def main() -> int:
    """Run one case in a folder of its own."""
    config = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    case = globals()[f"case_{sys.argv[2]}"]
    with tempfile.TemporaryDirectory(prefix="espalier-shim-") as folder:
        quiet = {name: "" for name in os.environ if name.startswith("ESPALIER_")}
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        try:
            case(Context(config, Path(folder), {**quiet, **root}))
        except AssertionError as error:
            print(f"{config['vendor']}: expected {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
