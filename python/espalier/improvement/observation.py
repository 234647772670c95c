# SPDX-License-Identifier: Apache-2.0
"""One run of the user's program that counts its calls and leaves all of them to the MPI library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.compare.experiment import NATIVE, Design, FailedRunError, Failure, Runner
from espalier.io.console import say
from espalier.launch import runs

if TYPE_CHECKING:
    from pathlib import Path

    from espalier.launch.preload import Target
    from espalier.launch.traffic import Traffic


@dataclass(frozen=True)
class Observation:
    """How long the program ran, and what its ranks called (`espalier-run-explanation`).

    `sent` is who sent how much to whom, if that was counted.
    """

    seconds: float
    run: dict[str, Any]
    sent: Traffic | None = None


def observe(target: Target, folder: Path, *, counts_traffic: bool = False) -> Observation:
    """Run the program once. Its output is shown only if it fails.

    Args:
        target: The program.
        folder: Where its ranks leave their files; see run_folder().
        counts_traffic: Whether to count who sends how much to whom.

    Raises:
        FailedRunError: it fails, or shows no MPI calls.
    """
    design = Design(profile=None, counts_traffic=counts_traffic, folder=folder)
    found = Runner(target, design).run(NATIVE, -1)
    if isinstance(found, Failure):
        raise FailedRunError(
            f"{found.text} while its calls were counted, so there is nothing to improve",
            "make the command work first; run it alone to see whether it fails without Espalier,"
            " too",
            exit_code=found.exit_code,
        )
    if found.statistics is None:
        raise ValueError("a run with preloaded library has statistics")
    num_files, num_ranks = found.statistics["num_files"], found.statistics["num_ranks"]
    if num_files != num_ranks:
        say(f"note: {runs.lacking(num_files, num_ranks)}")
    return Observation(found.seconds, found.statistics, found.sent)
