# SPDX-License-Identifier: Apache-2.0
"""A whole comparison in simulation: from an experiment to its document."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from espalier.base.interruption import Interrupted
from espalier.conditions import metadata
from espalier.io.console import progress
from espalier.machines import machines
from espalier.peers import outcome
from espalier.peers.record import RunRecord
from espalier.peers.simulated import Comparison, work
from espalier.sampling.simulation import PEERS as VERSIONS
from espalier.store.database import Store

if TYPE_CHECKING:
    from espalier.io.console import Progress
    from espalier.peers.choosing import Choosing
    from espalier.peers.experiment import Experiment

_SIMULATED = "simulated, of the slowest rank after a common start, exact"


def compare(experiment: Experiment, choosing: Choosing) -> dict[str, Any]:
    """Simulate what is not known yet and return the document.

    Raises:
        Interrupted: after Ctrl-C or a signal, once anything is known.
        UnsupportedError: a machine cannot be simulated; nothing was begun.
    """
    for text in dict.fromkeys(run.machine for run in experiment.runs):
        machines.check_simulated(machines.load(text))
    cause: BaseException | None = None
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(Store(choosing.store))
        bar = stack.enter_context(_progress(experiment, choosing))
        comparison = Comparison(experiment, choosing, RunRecord(store, choosing.command), bar)
        try:
            comparison.run()
        except (KeyboardInterrupt, SystemExit) as error:
            cause = error
        except Interrupted as tuning:
            # Of a profile to compare with: what was measured for it is kept in the store.
            cause = tuning.cause
        if cause is not None and not comparison.cells():
            raise cause
    document = _document(experiment, choosing, comparison, is_complete=cause is None)
    if cause is not None:
        raise Interrupted(document, cause)
    return document


def _progress(
    experiment: Experiment, choosing: Choosing
) -> contextlib.AbstractContextManager[Progress]:
    amounts = [work(experiment, run, choosing) for run in experiment.runs]
    seconds = [
        amount / choosing.num_simulators(run)
        for run, amount in zip(experiment.runs, amounts, strict=True)
    ]
    return progress("comparing", sum(amounts), sum(seconds), experiment.seconds)


def _document(
    experiment: Experiment, choosing: Choosing, comparison: Comparison, *, is_complete: bool
) -> dict[str, Any]:
    texts = {run.place.platform: run.machine for run in experiment.runs}
    return outcome.make(
        comparison.cells(),
        facts={
            "created": metadata.now(),
            "code_version": metadata.code_version(),
            "command": choosing.command,
            "complete": is_complete,
            "simulated": True,
            "times": _SIMULATED,
            "peers": {name: VERSIONS[name] for name in experiment.peers},
            "under": VERSIONS[experiment.under],
            "notes": choosing.notes(),
        },
        platforms=[{"name": name, "machine": text} for name, text in texts.items()],
        left_out=comparison.left_out,
        wrong=[
            {
                "place": run.place.label,
                "collective": problem.collective,
                "bytes": problem.asked_bytes,
                "algorithm": problem.algorithm,
                "reason": problem.reason,
                "text": problem.text,
            }
            for run, problem in comparison.problems()
        ],
    )
