# SPDX-License-Identifier: Apache-2.0
"""Ranks of a node that share memory: whether they do, what they leave, and what they do without."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

from behaviour_context import CHOICES, FORCE, Context, Outcome, expect

MEMORY = "/memfd:espalier-node"
LINE = "espalier: ESPALIER_NODE: on some node the ranks cannot share memory"
SHARED = "[shared_memory=1]"
SOME_SHARE = FORCE.replace(CHOICES["allreduce"], CHOICES["allreduce"] + SHARED)
IN_VAIN = "the choice is for memory that ranks of a node share, and here they do not"


def _files() -> set[str]:
    return {path.name for path in Path("/dev/shm").glob("*espalier*")}  # noqa: S108


def _ranks_that_share(processes: list[int]) -> int:
    maps = [Path(f"/proc/{process}/maps") for process in processes]
    return sum(MEMORY in path.read_text(encoding="utf-8") for path in maps if path.exists())


def _is_running(process: int) -> bool:
    """Whether a process has not ended; one that nobody waited for has."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")


def _run_without(
    context: Context, what: str, program: str = "mpi_shim_program", **environment: str
) -> Outcome:
    helper = str(context.config["without_memory"])
    settings = {"ESPALIER_FORCE": FORCE, "ESPALIER_NODE": "on", **environment}
    return context.launch(
        context.program(program),
        shim=f"{context.config['shim']}:{helper}",
        WITHOUT=what,
        **settings,
    )


def _decided(context: Context) -> dict[str, tuple[str, str]]:
    """Function -> (algorithm, reason), equal on all ranks."""
    rows = [
        {row["function"]: (row["algorithm"], row["reason"]) for row in report["calls"]}
        for report in context.reports()
    ]
    expect(bool(rows) and all(row == rows[0] for row in rows), "equal decisions", rows)
    return rows[0]


def case_node_asked(context: Context) -> None:
    """Some calls go through shared memory and others by messages, in one program."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_FORCE=SOME_SHARE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    found = {function: algorithm for function, (algorithm, _) in _decided(context).items()}
    expect(found["MPI_Allreduce"] == f"{CHOICES['allreduce']}{SHARED}", "memory", found)
    expect(found["MPI_Bcast"] == CHOICES["bcast"], "messages", found)


def case_node_asked_in_vain(context: Context) -> None:
    """What was chosen for shared memory is native without it, and rank 0 says so."""
    outcome = _run_without(
        context,
        "memfd",
        ESPALIER_FORCE=SOME_SHARE,
        ESPALIER_NODE="auto",
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "right results", outcome)
    expect(
        len(outcome.lines) == 1
        and outcome.lines[0].startswith(f"{LINE}; calls with shared_memory=1 are native"),
        "one line",
        outcome.lines,
    )
    found = _decided(context)
    expect(found["MPI_Allreduce"] == ("native", IN_VAIN), "the native call", found)
    expect(found["MPI_Bcast"][0] == CHOICES["bcast"], "messages", found)


def case_node_not_asked(context: Context) -> None:
    """No memory is made for choices that do not ask for it, nor if it is off."""
    with_end = {"ESPALIER_LEARN": "off", "ESPALIER_NODE": "auto"}
    outcome = _run_without(context, "end", **with_end)
    expect((outcome.code, outcome.lines) == (0, []), "no memory", outcome)
    outcome = _run_without(context, "end", ESPALIER_FORCE=SOME_SHARE, **with_end)
    expect(outcome.code != 0, "memory, which ends the program here", outcome)
    outcome = _run_without(
        context,
        "end",
        ESPALIER_FORCE=SOME_SHARE,
        ESPALIER_NODE="off",
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect((outcome.code, outcome.lines) == (0, []), "no memory if it is off", outcome)
    found = _decided(context)
    expect(found["MPI_Allreduce"] == ("native", IN_VAIN), "the native call", found)


def case_node_misspelt(context: Context) -> None:
    outcome = context.launch(
        context.program("mpi_shim_program"), ESPALIER_FORCE=FORCE, ESPALIER_NODE="yes"
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(
        [line.split()[1] for line in outcome.lines] == ["ESPALIER_NODE:"], "one line", outcome.lines
    )


def case_node_without_memory(context: Context) -> None:
    """All ranks of the node send messages, also if only some of them lack something."""
    for what in ("memfd", "room"):
        outcome = _run_without(context, what)
        expect(outcome.code == 0, f"right results without {what}", outcome)
        expect(
            len(outcome.lines) == 1 and outcome.lines[0].startswith(LINE), "one line", outcome.lines
        )


def case_node_without_reading(context: Context) -> None:
    """Large messages are copied instead, which nobody has to be told."""
    outcome = _run_without(context, "read", "mpi_shim_collectives")
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)


def case_node_killed(context: Context) -> None:
    """A rank that is killed in a collective ends the job as it does natively; nothing is left."""
    before = _files()
    ranks = context.folder / "ranks"
    job = context.start(
        *("sh", "-c", 'echo $$ >>"$0"; exec "$@"', str(ranks)),
        *(context.program("mpi_shim_learning"), "1000000"),
        num_ranks=2,
        ESPALIER_FORCE=FORCE,
        ESPALIER_NODE="on",
    )
    processes: list[int] = []
    end = time.monotonic() + 20
    while time.monotonic() < end and _ranks_that_share(processes) < 2:
        time.sleep(0.1)
        processes = [int(word) for word in ranks.read_text().split()] if ranks.exists() else []
    shared = _ranks_that_share(processes)
    time.sleep(0.5)
    os.kill(processes[0], signal.SIGKILL)
    code = job.wait(timeout=30)
    expect(shared == 2, "two ranks that share memory", shared)
    expect(code != 0, "a failure", code)
    expect(_files() <= before, "no file of ours", _files())
    end = time.monotonic() + 10
    while time.monotonic() < end and any(map(_is_running, processes)):
        time.sleep(0.1)
    expect(not any(map(_is_running, processes)), "no process", processes)


def _tried_on_two_nodes(context: Context, node: str) -> set[str]:
    """Learn on two nodes of two ranks; return all algorithms that were tried on all of them."""
    memory = context.folder / f"memory-{node}.json"
    outcome = context.launch(
        context.program("mpi_shim_learning"),
        "600",
        num_ranks=4,
        shim=f"{context.config['shim']}:{context.config['alternate_nodes']}",
        ESPALIER_LEARN="50%",
        ESPALIER_MEMORY=str(memory),
        ESPALIER_NODE=node,
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    kinds = json.loads(memory.read_text(encoding="utf-8"))["trials"]
    found = {
        candidate["algorithm"]
        for kind in kinds
        if (kind["num_ranks"], kind["num_nodes"]) == (4, 2)
        for candidate in kind["candidates"]
    } - {"native"}
    expect(found != set(), "trials on two nodes", kinds)
    return found


def case_node_memory_is_learned(context: Context) -> None:
    """Where no messages are sent within nodes, all that is tried on several nodes says so."""
    shared = _tried_on_two_nodes(context, "on")
    expect(all("shared_memory=1" in one for one in shared), "memory of nodes", shared)
    sent = _tried_on_two_nodes(context, "off")
    expect(not any("shared_memory=1" in one for one in sent), "messages", sent)
