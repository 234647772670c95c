# SPDX-License-Identifier: Apache-2.0
"""The document `espalier-order`: distances, orders, what a model and measurements say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier import __version__
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
        warnings=to_json(_cautions(distances, measured)),
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
    """Return the order that is best most often, the earlier of equal ones."""
    votes = [model["best"] for model in models]
    order = max((one.name for one in orders), key=votes.count)
    if order == candidates.STANDARD:
        reason = "no order takes less time in the model"
    else:
        entry = next(one for model in models for one in model["times"] if one["order"] == order)
        reason = f"{entry['ratio']:.2f}x as fast as the standard order in the model"
    return {"order": order, "reason": reason, "by": "model"}


def _cautions(distances: Distances, measured: Measured | None) -> list[Caution]:
    found = []
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
