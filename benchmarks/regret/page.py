# SPDX-License-Identifier: Apache-2.0
"""The page about what learning loses and gains, and its figure, from the data that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from regret_data import Data
from simulated_times import date_of, table

from espalier.base.units import bytes_text
from espalier.report.figures.curves import Curve, Panel, draw_curves

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STUDY = "regret"
_TEMPLATE = Path(__file__).with_suffix(".md")
# Within so much of the native time a loop is neither faster nor slower.
_SAME = 0.005


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    kept = Data(data)
    kept.cells.sort(key=lambda cell: (cell["collective"], cell["bytes"], cell["peer"]))
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, STUDY),
        num_cells=len(kept.cells),
        num_declared=num_declared(declared),
        bound_ms=1e3 * declared["bound"]["seconds"],
        bound_percent=100 * declared["bound"]["share"],
        outcome="\n".join(f"* {line}" for line in outcome_lines(kept.cells)),
        native=table(*lost_table(declared, kept.cells)),
        best=table(*best_table(declared, kept.cells)),
        again=table(*again_table(kept.cells)),
        learned=table(*learned_table(kept.cells)),
        startup=table(*startup_table(kept.startup)),
        most_ms=declared["startup"]["most_ms"],
    )


def num_declared(declared: Mapping[str, Any]) -> int:
    """Return how many cells there are in all."""
    return sum(
        len(run["peers"]) * len(run.get("sizes_of", {}).get(collective, run["sizes"]))
        for run in declared["run"]
        for collective in run["collectives"]
    )


def draw(declared: Mapping[str, Any], data: Path, folder: Path) -> None:
    """Draw the figure of the page: a panel for each collective, a style for each peer."""
    cells = sorted(Data(data).cells, key=lambda cell: (cell["collective"], cell["bytes"]))
    collectives = dict.fromkeys(cell["collective"] for cell in cells)
    panels = [panel_of(one, cells, declared) for one in collectives]
    draw_curves(panels, folder / "regret.svg")


def panel_of(
    collective: str, cells: Sequence[Mapping[str, Any]], declared: Mapping[str, Any]
) -> Panel:
    """Return what loops with learning take, over what native ones take."""
    own = [cell for cell in cells if cell["collective"] == collective]
    sizes = list(dict.fromkeys(cell["bytes"] for cell in own))
    peers = [peer for run in declared["run"] for peer in run["peers"]]
    curves = [
        Curve(
            f"{bytes_text(cell['bytes'])}, {cell['peer']}",
            [
                (float(calls), ours / native)
                for calls, ours, native in zip(
                    cell["calls"],
                    cell["times_us"]["learning"],
                    cell["times_us"]["native"],
                    strict=True,
                )
            ],
            sizes.index(cell["bytes"]),
            peers.index(cell["peer"]),
        )
        for cell in own
    ]
    return Panel(collective, "calls", "time with learning / native time", curves)


def outcome_lines(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what follows from all cells."""
    final = [_gain(cell, "native") for cell in cells]
    worst = max(cells, key=lambda cell: cell["worst"]["share_of_bound"])
    slowest = min(cells, key=lambda cell: _gain(cell, "native"))
    num_kept = sum(cell["worst"]["share_of_bound"] <= 1 for cell in cells)
    faster, slower = sum(one > _SAME for one in final), sum(one < -_SAME for one in final)
    undecided = sum(cell["learned"] == "undecided" for cell in cells)
    kept_line = (
        f"The bound was kept in {num_kept} of {len(cells)} cells. The worst cell is {_name(worst)}:"
        f" {_us(worst['worst']['lost_us'])} us were lost after {worst['worst']['calls']} calls,"
        f" {100 * worst['worst']['share_of_bound']:.2g} % of the bound."
    )
    end_line = (
        f"With what learning cost, {faster} whole loops are faster than native by more than"
        f" {100 * _SAME:g} %, {slower} are slower by more than that, and"
        f" {len(cells) - faster - slower} are in between. The slowest is {_name(slowest)}:"
        f" it takes {1 - _gain(slowest, 'native'):.3g} of the native time."
    )
    return [kept_line, end_line, f"Cells in which nothing was decided: {undecided}."]


def lost_table(
    declared: Mapping[str, Any], cells: Sequence[Mapping[str, Any]]
) -> tuple[list[str], list[list[str]]]:
    """Return what was lost against native, in microseconds; below 0 is a gain."""
    numbers = declared["checkpoints"]
    head = ["call", "native us a call", *(f"after {number}" for number in numbers), "worst"]
    rows = []
    for cell in cells:
        native, ours = cell["times_us"]["native"], cell["times_us"]["learning"]
        each = native[-1] / cell["calls"][-1]
        worst = cell["worst"]
        rows.append(
            [
                *(_name(cell), f"{each:.4g}"),
                *_at(cell, numbers, [a - b for a, b in zip(ours, native, strict=True)]),
                f"{_us(worst['lost_us'])} at {worst['calls']}",
            ]
        )
    return head, rows


def best_table(
    declared: Mapping[str, Any], cells: Sequence[Mapping[str, Any]]
) -> tuple[list[str], list[list[str]]]:
    """Return what was lost against the best known, in microseconds."""
    numbers = declared["checkpoints"]
    head = ["call", "best known", *(f"after {number}" for number in numbers)]
    rows = []
    for cell in cells:
        least, ours = cell["least_us"], cell["times_us"]["learning"]
        is_native = least[-1] == cell["times_us"]["native"][-1]
        name = "native" if is_native else cell["best_known"]
        lost = [a - b for a, b in zip(ours, least, strict=True)]
        rows.append([_name(cell), name, *_at(cell, numbers, lost)])
    return head, rows


def learned_table(cells: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return what was learned, what it gains in the end, and what the race says it lost."""
    head = ["call", "learned", "native / learning", "lost, as counted, us"]
    rows = []
    for cell in cells:
        ratio = f"{1 / (1 - _gain(cell, 'native')):.3g}x"
        rows.append([_name(cell), cell["learned"], ratio, _us(cell["charged_us"])])
    return head, rows


def again_table(cells: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return what second runs lose against native, where something was remembered."""
    numbers = (10, 100)
    head = ["call", "remembered", *(f"after {number}, us" for number in numbers)]
    rows = []
    for cell in cells:
        if "again" not in cell["times_us"]:
            continue
        native, ours = cell["times_us"]["native"], cell["times_us"]["again"]
        lost = [a - b for a, b in zip(ours, native, strict=True)]
        rows.append([_name(cell), cell["learned"], *_at(cell, numbers, lost)])
    return head, rows


def startup_table(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return what MPI_Init takes."""
    head = ["ranks", "native algorithms", "with", "us"]
    return head, [
        [str(row["num_ranks"]), row["peer"], row["with"], f"{row['us']:.1f}"] for row in rows
    ]


def _name(cell: Mapping[str, Any]) -> str:
    return f"{cell['collective']} {bytes_text(cell['bytes'])}, {cell['peer']}"


def _gain(cell: Mapping[str, Any], than: str) -> float:
    """Return by which share of another loop's time the one with learning is shorter."""
    return 1.0 - float(cell["times_us"]["learning"][-1]) / float(cell["times_us"][than][-1])


def _at(cell: Mapping[str, Any], numbers: Sequence[int], values: Sequence[float]) -> list[str]:
    by_calls = dict(zip(cell["calls"], values, strict=True))
    return [_us(by_calls[number]) if number in by_calls else "-" for number in numbers]


def _us(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.1f}"
