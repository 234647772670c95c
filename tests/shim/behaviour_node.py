# SPDX-License-Identifier: Apache-2.0
"""Ranks of a node that share memory: whether they do, what they leave, and what they do without."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from behaviour_context import FORCE, Context, Outcome, expect

MEMORY = "/memfd:espalier-node"
LINE = "espalier: ESPALIER_NODE: on some node the ranks cannot share memory"


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


def _run_without(context: Context, what: str, program: str = "mpi_shim_program") -> Outcome:
    helper = str(context.config["without_memory"])
    return context.launch(
        context.program(program),
        shim=f"{context.config['shim']}:{helper}",
        ESPALIER_FORCE=FORCE,
        ESPALIER_NODE="on",
        WITHOUT=what,
    )


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
