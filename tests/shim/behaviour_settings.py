# SPDX-License-Identifier: Apache-2.0
"""Profiles and settings that can be used, and what is said of those that cannot."""

from __future__ import annotations

from behaviour_context import (
    CHOICES,
    NUM_RANKS,
    RULE,
    Context,
    calls,
    expect,
)


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


def case_profile_with_a_number_too_large(context: Context) -> None:
    unusable_profile(context, context.write_profile('{"version": 1e400}'), "expected numbers below")


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
    path = context.profile(rules=[{**RULE, "num_ranks": 2 * NUM_RANKS}])
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_PROFILE=path,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expected = f"profile rule 0, borrowed from {2 * NUM_RANKS} ranks on 1 node: measured"
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
    complaint = f"expected rules for {NUM_RANKS} ranks on 1 node, or for as many nodes and ranks"
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
        ESPALIER_MAPPING="on",
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


def said_of_mapping(context: Context, **settings: str) -> list[str]:
    """What is said of a program whose topologies are mapped."""
    settings = {"ESPALIER_MAPPING": "on"} | settings
    outcome = context.launch(context.program("mpi_shim_topology"), "mapped", **settings)
    expect(outcome.code == 0, "exit code 0", outcome)
    return outcome.lines


def case_mapping_is_told_once(context: Context) -> None:
    """The program gets several communicators in another order; one line says how to keep it."""
    lines = said_of_mapping(context)
    expect(len(lines) == 1, "one line", lines)
    start = "espalier: MPI_Cart_create 3 on 2 nodes: inter-node neighbours 4 -> 2"
    expect(lines[0].startswith(start), start, lines[0])
    for part in ("ESPALIER_MAPPING=off keeps the order", "quiet silences this line"):
        expect(part in lines[0], part, lines[0])


def case_mapping_quiet(context: Context) -> None:
    lines = said_of_mapping(context, ESPALIER_MAPPING="quiet")
    expect(not lines, "silence", lines)


def case_mapping_quiet_and_verbose(context: Context) -> None:
    """Every communicator is reported, and nothing is advised."""
    lines = said_of_mapping(context, ESPALIER_MAPPING="quiet", ESPALIER_VERBOSE="1")
    expect(any("MPI_Cart_create 3 on 2 nodes" in line for line in lines), "reports", lines)
    expect(not any("ESPALIER_MAPPING" in line for line in lines), "no advice", lines)


def case_mapping_not_permitted(context: Context) -> None:
    """Verbose, each function that may not reorder says so once."""
    lines = said_of_mapping(context, ESPALIER_VERBOSE="1")
    kept = [line for line in lines if "does not permit another order" in line]
    expect(kept, "a line", lines)
    expect(len(kept) == len(set(kept)), "each once", kept)
    expect(kept[0].startswith("espalier: MPI_Cart_create: "), "the function", kept)


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


def info_key(context: Context, **settings: str) -> dict[int, list[str]]:
    """Run the program that says which communicators stay native; return reasons by size."""
    outcome = context.launch(
        context.program("mpi_shim_info_key"),
        ESPALIER_STATISTICS=str(context.statistics),
        **settings,
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    warned = "info key espalier_tune: expected "
    expect(len(outcome.lines) == 2, "two lines", outcome.stderr)
    expect(warned + "the same value on all ranks" in outcome.lines[0], warned, outcome.stderr)
    expect(warned + "true or false" in outcome.lines[1], warned, outcome.stderr)
    reports = context.reports()
    expect(len(reports) == NUM_RANKS, "one file for each rank", len(reports))
    found = [
        {
            row["min_bytes"]: [row["algorithm"], row["reason"]]
            for row in report["calls"]
            if row["function"] == "MPI_Bcast"
        }
        for report in reports
    ]
    expect(all(one == found[0] for one in found), "the same on all ranks", found)
    return found[0]


LEFT_ALONE = ["native", "the program says espalier_tune=false"]
NATIVE_SIZES = (128, 512, 1024, 2048, 8192)


def case_info_key(context: Context) -> None:
    """A program keeps communicators native, and takes that back."""
    found = info_key(context, ESPALIER_PROFILE=context.profile())
    served = ["bcast/flat", "profile rule 0: measured"]
    sizes = [64 * 2**exponent for exponent in range(9)]
    expected = {size: LEFT_ALONE if size in NATIVE_SIZES else served for size in sizes}
    expect(found == expected, f"{expected}", found)


def case_info_key_while_learning(context: Context) -> None:
    """There are no trials on a communicator that the program keeps native."""
    memory = str(context.folder / "memory.json")
    found = info_key(context, ESPALIER_LEARN="on", ESPALIER_MEMORY=memory)
    for size, decided in found.items():
        expect((decided == LEFT_ALONE) == (size in NATIVE_SIZES), f"{NATIVE_SIZES}", found)


def fixed_sizes(context: Context, **settings: str) -> list[dict[str, int]]:
    """Run the program that promises that sizes stay; return alltoallv calls by algorithm."""
    outcome = context.launch(
        context.program("mpi_shim_fixed_sizes"),
        ESPALIER_STATISTICS=str(context.statistics),
        **settings,
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    warned = [line for line in outcome.lines if "info key espalier_fixed_sizes: " in line]
    expect(len(warned) == len(outcome.lines) == 1, "a line on what not all promise", outcome)
    counts: list[dict[str, int]] = []
    for report in context.reports():
        found: dict[str, int] = {}
        for row in report["calls"]:
            if row["function"] == "MPI_Alltoallv":
                found[row["algorithm"]] = found.get(row["algorithm"], 0) + row["count"]
        counts.append(found)
    return counts


# Calls of rank 1 on communicators of one rank are native.
KEPT_CALLS = (17, 14, 17)
OTHER_CALLS = (12, 15, 12)


def case_fixed_sizes(context: Context) -> None:
    """Blocks are forwarded where the program promises that sizes stay, and nowhere else."""
    found = fixed_sizes(context, ESPALIER_FORCE="alltoallv_init=bruck")
    expected = [
        {"alltoall/bruck": kept, "native": other}
        for kept, other in zip(KEPT_CALLS, OTHER_CALLS, strict=True)
    ]
    expect(found == expected, f"{expected}", found)


def case_fixed_sizes_of_a_rule(context: Context) -> None:
    """Rules for persistent calls decide by the size on which ranks agree, others for the rest."""
    rule = {**RULE, "collective": "alltoallv_init", "algorithm": "alltoall/torus"}
    rules = [
        {**rule, "max_bytes": 1},
        {**rule, "min_bytes": 2, "algorithm": "alltoall/bruck"},
        {**rule, "collective": "alltoallv", "algorithm": "alltoall/pairwise"},
    ]
    found = fixed_sizes(context, ESPALIER_PROFILE=context.profile(rules=rules))
    for rank, (kept, other) in enumerate(zip(KEPT_CALLS, OTHER_CALLS, strict=True)):
        expect(found[rank]["alltoall/bruck"] == kept, f"{kept} calls", found)
        rest = found[rank]["alltoall/pairwise"] + found[rank].get("native", 0)
        expect(rest == other and len(found[rank]) <= 3, f"{other} others", found)


def case_fixed_sizes_broken(context: Context) -> None:
    """A promise that one rank breaks ends the program, with a line that says which size it was."""
    outcome = context.launch(
        context.program("mpi_shim_fixed_sizes"),
        "broken_on_one_rank",
        ESPALIER_FORCE="alltoallv_init=bruck",
    )
    is_noticed = outcome.code != 0 and "was not noticed" not in outcome.stdout
    expect(is_noticed, "the end of the program", outcome)
    line = (
        "espalier: MPI_Alltoallv: the program promised espalier_fixed_sizes, but the block to "
        "rank 0 has 4 bytes in place of 0"
    )
    expect(outcome.lines.count(line) == 1, line, outcome.stderr)


def case_progress_in_vain(context: Context) -> None:
    """Rank 0 says where no thread can make progress, if there is something to progress."""
    thread = {"ESPALIER_PROGRESS": "thread"}
    outcome = context.launch(context.program("mpi_shim_program"), **thread)
    expect((outcome.code, outcome.lines) == (0, []), "nothing to be said", outcome)
    outcome = context.launch(
        context.program("mpi_shim_program"), ESPALIER_FORCE="ibcast=binomial", **thread
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expected = [] if context.vendor == "openmpi" else ["ESPALIER_PROGRESS:"]
    expect([line.split()[1] for line in outcome.lines] == expected, "its line", outcome.lines)


def case_progress_misspelt(context: Context) -> None:
    outcome = context.launch(context.program("mpi_shim_program"), ESPALIER_PROGRESS="yes")
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(
        [line.split()[1] for line in outcome.lines] == ["ESPALIER_PROGRESS:"],
        "one line",
        outcome.lines,
    )
