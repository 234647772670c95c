# SPDX-License-Identifier: Apache-2.0
"""Programs whose operators take a vector for one record."""

from __future__ import annotations

from behaviour_context import RULE, Context, Outcome, expect

CUTTING = {
    "allreduce": "allreduce/ring",
    "reduce": "reduce/binomial[segments=4]",
    "scan": "scan/linear[segments=4]",
}
WHOLE = {
    "allreduce": "allreduce/recursive_doubling",
    "reduce": "reduce/binomial",
    "scan": "scan/recursive_doubling",
}
REASON = "the choice cuts vectors, and an operator of the program may need them whole"


def launched(context: Context, **environment: str) -> Outcome:
    """Return how the program ended."""
    return context.launch(
        context.program("mpi_shim_records"),
        ESPALIER_STATISTICS=str(context.statistics),
        **environment,
    )


def profile(context: Context, algorithms: dict[str, str]) -> str:
    """Return the path of a profile with a rule for each."""
    rules = [
        {**RULE, "collective": call, "algorithm": algorithm}
        for call, algorithm in algorithms.items()
    ]
    return context.profile(rules=rules)


def case_records_stay_whole(context: Context) -> None:
    """A rule that cuts vectors does not serve them, and another one does."""
    outcome = launched(context, ESPALIER_PROFILE=profile(context, CUTTING))
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        found = {(row["algorithm"], row["reason"]) for row in report["calls"]}
        expect(found == {("native", REASON)}, "all calls are native, with the reason", found)
    outcome = launched(context, ESPALIER_PROFILE=profile(context, WHOLE))
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        found = {row["algorithm"] for row in report["calls"]}
        expect(found == set(WHOLE.values()), "what leaves vectors whole serves", found)


def case_records_are_cut_if_forced(context: Context) -> None:
    """Who names an algorithm gets it."""
    for call, algorithm in CUTTING.items():
        outcome = launched(context, ESPALIER_FORCE=f"{call}={algorithm.split('/')[1]}")
        expect(outcome.code != 0, "the operator gets parts", outcome)
        for report in context.reports():
            found = {row["algorithm"] for row in report["calls"]}
            expect(algorithm in found, f"{algorithm} serves", found)
