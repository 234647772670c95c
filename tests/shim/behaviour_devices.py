# SPDX-License-Identifier: Apache-2.0
"""Programs with the runtime of an accelerator in their processes."""

from __future__ import annotations

from behaviour_context import FORCE, Context, expect
from behaviour_manners import only

REASON = "nonblocking, and buffers may be in device memory"


def case_devices(context: Context) -> None:
    """Blocking calls are served with ordinary memory as ever, nonblocking ones are native."""
    runtime = str(context.config["device_runtime"])
    outcome = context.launch(
        context.program("mpi_shim_manners"),
        shim=f"{context.config['shim']}:{runtime}",
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(not outcome.lines, "silence", outcome.lines)
    for report in context.reports():
        rows = {row["function"]: [row] for row in report["calls"]}
        expect(only(rows, "MPI_Gather")["algorithm"] == "gather/binomial", "served", rows)
        row = only(rows, "MPI_Iallreduce")
        expect((row["algorithm"], row["reason"]) == ("native", REASON), "native", row)
