# SPDX-License-Identifier: Apache-2.0
"""What models say of collectives on up to a million ranks, as far as each model reaches."""

from __future__ import annotations

import csv
import dataclasses
import sys
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.base.units import bytes_text
from espalier.errors import UnsupportedError
from espalier.report.figures.curves import Curve, Panel, draw_curves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

FIELDS = ("collective", "size", "algorithm", "bytes", "ranks", "model", "predicted_us")
PROGRAM_MODELS = ("replay", "levels")
CLOSED_FORM = "loggp"


@dataclasses.dataclass(frozen=True)
class Value:
    """What a model says; `num_bytes` of the whole result, `size_text` what grows with the ranks."""

    collective: str
    size_text: str
    algorithm: str
    num_bytes: int
    num_ranks: int
    model: str
    predicted_us: float


def machine_of(declared: Mapping[str, Any], num_ranks: int) -> str:
    """Return the machine that has just so many cores."""
    text: str = declared["machine"]["text"].format(nodes=num_nodes(declared, num_ranks))
    return text


def num_nodes(declared: Mapping[str, Any], num_ranks: int) -> int:
    """Return how many nodes these ranks fill."""
    cores: int = declared["machine"]["cores"]
    return -(-num_ranks // cores)


def size_of(curve: Mapping[str, Any], num_ranks: int) -> int:
    """Return the bytes of the whole result."""
    size: int = curve["bytes"] if "bytes" in curve else curve["bytes_per_rank"] * num_ranks
    return size


def most_messages(algorithm: str, num_ranks: int) -> int:
    """Return a bound on the messages, and on the rounds, of all ranks together."""
    facts = _core.facts(algorithm, num_ranks)
    return max(facts["messages"], facts["rounds"]) * num_ranks


def values_of(declared: Mapping[str, Any]) -> Iterator[Value]:
    """Ask all models for all curves as far as they reach, smallest numbers of ranks first."""
    for curve in declared["models"]["curves"]:
        for num_ranks in declared["models"]["ranks"]:
            if "loggp_radix" in curve:
                yield _closed_form(declared, curve, num_ranks)
            for pattern in curve["algorithms"]:
                yield from _program_values(declared, curve, pattern, num_ranks)


def _program_values(
    declared: Mapping[str, Any], curve: Mapping[str, Any], pattern: str, num_ranks: int
) -> Iterator[Value]:
    algorithm = pattern.format(nodes=num_nodes(declared, num_ranks))
    try:
        messages = most_messages(algorithm, num_ranks)
    except UnsupportedError as error:
        print(f"{pattern}, {num_ranks} ranks: {error}", file=sys.stderr)  # noqa: T201
        return
    size = size_of(curve, num_ranks)
    machine = machine_of(declared, num_ranks)
    for model, most in declared["models"]["most_messages"].items():
        if messages <= most:
            predicted = {"replay": _replay_us, "levels": _levels_us}[model](
                algorithm, num_ranks, machine, size
            )
            yield Value(
                *(curve["collective"], size_text(curve), pattern, size, num_ranks),
                *(model, predicted),
            )


def _replay_us(algorithm: str, num_ranks: int, machine: str, size: int) -> float:
    return 1e6 * _core.replay(algorithm, num_ranks, 0, machine, "block", size)["seconds"]


def _levels_us(algorithm: str, num_ranks: int, machine: str, size: int) -> float:
    return 1e6 * _core.levels_time(algorithm, num_ranks, 0, machine, "block", size)


def _closed_form(declared: Mapping[str, Any], curve: Mapping[str, Any], num_ranks: int) -> Value:
    radix = curve["loggp_radix"]
    latency, overhead, gap, per_byte = declared["models"]["loggp"]
    predicted = _core.loggp_time(
        curve["collective"],
        (latency, overhead, gap, per_byte),
        (num_ranks, 1),
        curve.get("bytes", curve.get("bytes_per_rank", 0)),
        radix,
    )
    return Value(
        *(curve["collective"], size_text(curve), f"radix {radix}", size_of(curve, num_ranks)),
        *(num_ranks, CLOSED_FORM, predicted),
    )


def write_csv(values: Sequence[Value], path: Path) -> None:
    """Write what models said; where one stopped there is no row."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for value in values:
            row = dataclasses.astuple(value)
            writer.writerow([*row[:-1], f"{value.predicted_us:.6g}"])


def read_csv(path: Path) -> list[Value]:
    """Read it again."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Value(
                *(row["collective"], row["size"], row["algorithm"], int(row["bytes"])),
                *(int(row["ranks"]), row["model"], float(row["predicted_us"])),
            )
            for row in csv.DictReader(file)
        ]


def draw(declared: Mapping[str, Any], values: Sequence[Value], path: Path) -> None:
    """Draw a panel for each declared curve; a colour is an algorithm, a style a model."""
    draw_curves([_panel(curve, values) for curve in declared["models"]["curves"]], path)


def _panel(curve: Mapping[str, Any], values: Sequence[Value]) -> Panel:
    key = (curve["collective"], size_text(curve))
    ours = [value for value in values if (value.collective, value.size_text) == key]
    names = list(dict.fromkeys(value.algorithm for value in ours))
    models = (*PROGRAM_MODELS, CLOSED_FORM)
    curves = []
    for name, model in dict.fromkeys((value.algorithm, value.model) for value in ours):
        points = [
            (float(value.num_ranks), value.predicted_us)
            for value in ours
            if (value.algorithm, value.model) == (name, model)
        ]
        label = f"{name.partition('/')[2] or name}, {model}"
        curves.append(Curve(label, points, names.index(name), models.index(model)))
    return Panel(f"{curve['collective']}, {size_text(curve)}", "ranks", "us", curves)


def size_text(curve: Mapping[str, Any]) -> str:
    """Return the size of a curve in words."""
    if "bytes_per_rank" in curve:
        return f"{bytes_text(curve['bytes_per_rank'])} a rank"
    return bytes_text(curve["bytes"])
