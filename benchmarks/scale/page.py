# SPDX-License-Identifier: Apache-2.0
"""The page about scale, and its figure, from the data that are kept."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import model_curves
from simulated_times import NATIVE, date_of, read_times, table

from espalier import _core
from espalier.base.units import bytes_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from model_curves import Value
    from simulated_times import Time

STUDY = "scale"
MODELS, SIMULATED, COSTS = "scale-models.csv", "scale-simulated.csv", "scale-costs.csv"
_FIELDS = ("what", "cpu_seconds", "memory_mib")
_TEMPLATE = Path(__file__).with_suffix(".md")


def add_cost(path: Path, what: str, seconds: float, mebibytes: int) -> None:
    """Set what something cost in a table of costs."""
    rows = [row for row in read_costs(path) if row["what"] != what]
    rows.append({"what": what, "cpu_seconds": f"{seconds:.1f}", "memory_mib": str(mebibytes)})
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, _FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_costs(path: Path) -> list[dict[str, str]]:
    """Read a table of costs; empty if there is none yet."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    times = read_times(data / SIMULATED)
    cost_rows = [
        [row["what"], row["cpu_seconds"], row["memory_mib"]] for row in read_costs(data / COSTS)
    ]
    reach = ["collective", "size", "schedule", "model", "ranks", "us"]
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, STUDY),
        machine=declared["machine"]["text"].format(nodes="(ranks / 8)"),
        num_ranks=times[0].num_ranks,
        selector=declared["simulation"]["selector"],
        simulation=simulation_table(declared, times),
        costs=table(["what", "CPU seconds", "MiB"], cost_rows),
        reach=table(reach, reach_rows(model_curves.read_csv(data / MODELS))),
        **declared["models"]["most_messages"],
    )


def draw(declared: Mapping[str, Any], data: Path, folder: Path) -> None:
    """Draw the figure of the page."""
    values = model_curves.read_csv(data / MODELS)
    model_curves.draw(declared, values, folder / "scale-models.svg")


def simulation_table(declared: Mapping[str, Any], times: Sequence[Time]) -> str:
    """Return the table of the simulation, with the replay of the same schedules beside."""
    rows = []
    for one in times:
        replayed = "-"
        if not one.name.startswith(NATIVE):
            machine = model_curves.machine_of(declared, one.num_ranks)
            found = _core.replay(one.name, one.num_ranks, 0, machine, "block", one.num_bytes)
            replayed = f"{1e6 * found['seconds']:.1f}"
        size = bytes_text(one.num_bytes)
        rows.append([one.operation, size, one.name, f"{one.us:.1f}", replayed])
    return table(["collective", "size", "schedule", "simulated us", "replay us"], rows)


def reach_rows(values: Sequence[Value]) -> list[list[str]]:
    """Return for each schedule and model the largest number of ranks, and its time."""
    last: dict[tuple[str, ...], Value] = {}
    for value in values:
        size = value.size_text
        last[value.collective, size, value.algorithm, value.model] = value
    return [
        [*key, str(value.num_ranks), f"{value.predicted_us:.4g}"] for key, value in last.items()
    ]
