# SPDX-License-Identifier: Apache-2.0
"""The document `espalier-order`: distances, orders, what a model and measurements say of them."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from espalier import __version__
from espalier.base.units import bytes_text
from espalier.conditions import conditions
from espalier.conditions.cautions import Caution, to_json
from espalier.errors import FileError
from espalier.io.console import document, json_text
from espalier.orders import candidates, comparison
from espalier.orders.candidates import SCHEMA, VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from espalier.orders.candidates import Order
    from espalier.orders.distances import Distances
    from espalier.orders.measurement import Measured

CONFIDENCE = 0.95


def conclude(
    distances: Distances,
    orders: Sequence[Order],
    models: Sequence[Mapping[str, Any]],
    command: str,
    measured: Measured | None = None,
) -> dict[str, Any]:
    """Return the document; without measurements the model chooses."""
    measurement = None if measured is None else _measurement(measured, orders)
    if measured is not None and measurement is not None and measurement["points"]:
        best = comparison.best_order(measurement["points"], [order.name for order in orders])
        best["by"] = "measurement"
    else:
        best = _best_of_models(models, orders)
    ranks = {order.name: list(order.ranks) for order in orders}
    return document(
        SCHEMA,
        VERSION,
        command=command,
        espalier=__version__,
        num_ranks=distances.num_ranks,
        root=orders[0].ranks[0],
        source=distances.source,
        groups=distances.groups,
        groups_origin=distances.groups_origin,
        channels=distances.channels.to_json(),
        orders=[{"name": name, "ranks": vector} for name, vector in ranks.items()],
        model=list(models),
        measurement=measurement,
        best={**best, "ranks": ranks[best["order"]]},
        warnings=to_json(_cautions(distances, models, measured)),
    )


def write(result: Mapping[str, Any], path: Path) -> None:
    """Write the document.

    Raises:
        FileError: it cannot be written.
    """
    try:
        path.write_text(json_text(result), encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"{path}: expected a file that can be written, got '{error.strerror}'",
            "choose another with -o",
        ) from error


def _measurement(measured: Measured, orders: Sequence[Order]) -> dict[str, Any]:
    names = [order.name for order in orders]
    points = comparison.judge(measured, names, CONFIDENCE)
    return {
        "mpi": measured.header["mpi"],
        "num_nodes": measured.header["num_nodes"],
        "confidence": CONFIDENCE,
        "points": points,
        "points_left": measured.num_points_left,
        "creation": comparison.creations(measured, points, CONFIDENCE),
        "problems": [
            {
                "collective": problem.collective,
                "way": problem.algorithm,
                "reason": problem.reason,
                "text": problem.text,
            }
            for problem in measured.problems
        ],
    }


def _best_of_models(models: Sequence[Mapping[str, Any]], orders: Sequence[Order]) -> dict[str, Any]:
    """Return the order that is faster somewhere and slower nowhere, by the largest mean ratio."""
    ratios: dict[str, list[float]] = {order.name: [] for order in orders[1:]}
    for model in models:
        for entry in model["times"][1:]:
            ratios[entry["order"]].append(entry["ratio"])
    useful = {
        name: found
        for name, found in ratios.items()
        if min(found) > 1 - candidates.LEAST_GAIN and max(found) > 1 + candidates.LEAST_GAIN
    }
    if not useful:
        reason = "no other order is faster in the model without being slower elsewhere"
        return {"order": orders[0].name, "reason": reason, "by": "model"}
    means = {name: statistics.geometric_mean(found) for name, found in useful.items()}
    order = max(means, key=lambda name: means[name])
    reason = f"{means[order]:.2f}x as fast as the standard order in the model"
    if len(models) > 1:
        count = sum(ratio > 1 + candidates.LEAST_GAIN for ratio in useful[order])
        reason += f" (mean), faster in {count} of {len(models)} cases, slower in none"
    return {"order": order, "reason": reason, "by": "model"}


def _cautions(
    distances: Distances, models: Sequence[Mapping[str, Any]], measured: Measured | None
) -> list[Caution]:
    found = []
    sizes = {model["bytes"] for model in models}
    if (
        distances.times_of_machine is None
        and distances.num_bytes
        and sizes != {distances.num_bytes}
    ):
        found.append(
            Caution(
                "sizes_scaled",
                f"the model takes times for messages of {bytes_text(distances.num_bytes)} to grow"
                " with the size",
                "measure a matrix of the size that matters with 'espalier probe', or name a machine"
                " with --machine",
            )
        )
    if len(distances.groups) == 1 and distances.num_ranks > 1:
        found.append(
            Caution(
                "one_group",
                "no groups of ranks that are nearer to each other were found",
                "orders of trees cannot help where all ranks are equally far apart; name groups"
                " with --groups 0-3/4-7 if you know them",
            )
        )
    if distances.channels.origin == "assumed":
        found.append(
            Caution(
                "channels",
                f"{distances.channels.across:g} channels between groups were assumed",
                "'espalier probe' finds how many there are; give them with --channels",
            )
        )
    if measured is not None:
        found += conditions.of_job(measured.header)
        found += conditions.of_noise(
            (times for point in measured.points for times in point.samples_us.values()),
            "times of one call in one order",
        )
    return found
