# SPDX-License-Identifier: Apache-2.0
"""How the replay agrees with SimGrid in the cells that both have."""

from __future__ import annotations

import dataclasses
import statistics
from typing import TYPE_CHECKING

from results import METRICS

from espalier.models.agreement import deviation, kendall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from declared import Cell
    from results import Times


@dataclasses.dataclass(frozen=True)
class Agreement:
    """Over cells, each with its mapping; by one metric."""

    num_cells: int
    same_best: float  # share of the cells
    correlation: float  # median of Kendall's tau-b, of cells with at least three algorithms
    regret_mean: float  # how much slower what the replay thinks best is than the best
    regret_max: float
    bias: float  # geometric mean of replay / SimGrid
    error: float  # factor by which a time is typically off


def agreement(
    replayed: Mapping[Cell, Times], simulated: Mapping[Cell, Times], metric: str
) -> Agreement | None:
    """Compare the cells that both have; None if there are none."""
    position = METRICS.index(metric)
    regrets = []
    taus = []
    ratios = []
    for cell in simulated.keys() & replayed.keys():
        truth = {name: values[position] for name, values in simulated[cell].items()}
        model = {name: replayed[cell][name][position] for name in truth}
        chosen = min(model, key=lambda name: model[name])
        regrets.append(truth[chosen] / min(truth.values()) - 1)
        ratios += [model[name] / truth[name] for name in truth]
        tau = kendall([model[name] for name in truth], list(truth.values()))
        if tau is not None:
            taus.append(tau)
    if not regrets:
        return None
    bias, error = deviation(ratios)
    return Agreement(
        num_cells=len(regrets),
        same_best=statistics.fmean(regret < 1e-6 for regret in regrets),
        correlation=statistics.median(taus),
        regret_mean=statistics.fmean(regrets),
        regret_max=max(regrets),
        bias=bias,
        error=error,
    )
