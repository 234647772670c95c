# SPDX-License-Identifier: Apache-2.0
"""The tables of the study in Markdown: published, replayed, simulated, with the whole catalog."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any

import contests
from agreement import agreement
from contests import SPARBIT, UNITED, fields, tally
from declared import MAPPINGS
from replaying import OURS
from results import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from contests import Tally
    from declared import Battery, Cell
    from results import Results, Times

_NO_FIGURE = "-"


@dataclasses.dataclass(frozen=True)
class Findings:
    """What is known of a battery."""

    battery: Battery
    replayed: Results
    simulated: Results
    catalog: Results

    def sampled(self) -> dict[Cell, Times]:
        """Return the replayed times of the cells that are simulated, too."""
        return {
            cell: self.replayed.times[cell]
            for cell in self.simulated.times
            if cell in self.replayed.times
        }

    def with_catalog(self) -> dict[Cell, Times]:
        """Return the replayed times with the best of the rest of the catalog, where it is known."""
        return {
            cell: self.replayed.times[cell] | times
            for cell, times in self.catalog.times.items()
            if cell in self.replayed.times
        }


def _percentages(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.4g}" if value else "0" for value in values)


def _tally_text(found: Tally) -> str:
    if not found.num_cells:
        return _NO_FIGURE
    return f"{_percentages([round(value, 2) for value in found.percentages])} ({found.wins})"


def improvement_rows(
    found: Findings, mapping: str, published: Mapping[str, Sequence[float]]
) -> Iterator[str]:
    """Return a row for each metric: published, replayed, both in the cells that are simulated."""
    for metric in METRICS:
        replayed = tally(fields(found.replayed.times, mapping, metric).values())
        sampled = tally(fields(found.sampled(), mapping, metric).values())
        simulated = tally(fields(found.simulated.times, mapping, metric).values())
        said = _percentages(published[metric]) if metric in published else _NO_FIGURE
        yield (
            f"| {found.battery.title} | {mapping} | {metric} | {said} | {_tally_text(replayed)}"
            f" | {_tally_text(sampled)} | {_tally_text(simulated)} |"
        )


IMPROVEMENTS = (
    "| battery | mapping | metric | published | replay, all cells | replay, cells of SimGrid"
    " | SimGrid |\n|---|---|---|---|---|---|---|"
)


def winner_rows(found: Findings) -> Iterator[str]:
    """Return a row for each mapping: in how many cells each algorithm is best by maximum."""
    for mapping in (*MAPPINGS, UNITED):
        cells = fields(found.replayed.times, mapping, "max")
        count = collections.Counter(contests.winner(field) for field in cells.values())
        names = " | ".join(
            str(count[name]) if name in found.battery.algorithms else _NO_FIGURE
            for name in ("ring", "neighbor_exchange", "recursive_doubling", "bruck", SPARBIT)
        )
        yield f"| {found.battery.title} | {mapping} | {len(cells)} | {names} | {count[None]} |"


WINNERS = (
    "| battery | mapping | cells | ring | neighbor exchange | recursive doubling | bruck | sparbit"
    " | nobody alone |\n|---|---|---|---|---|---|---|---|---|"
)


def overlap_rows(found: Findings, published: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """Return a row for each mapping."""
    for mapping in (*MAPPINGS, UNITED):
        numbers = dataclasses.astuple(contests.overlap(found.replayed.times, mapping))
        said = published.get(mapping)
        pairs = (
            f"{(said[place] if said else _NO_FIGURE)} / {number}"
            for place, number in enumerate(numbers)
        )
        yield f"| {found.battery.title} | {mapping} | {' | '.join(pairs)} |"


OVERLAPS = (
    "| battery | mapping | best by some metric | by all three | by maximum | of these by average"
    " |\n|---|---|---|---|---|---|"
)


def area_rows(found: Findings, published: Mapping[str, float]) -> Iterator[str]:
    """Return what Sparbit takes from logarithmic and linear algorithms, sequential, by average."""
    cells = fields(found.replayed.times, "sequential", "avg")
    areas = {
        "of_logarithmic": contests.taken_from(cells.values(), contests.LOGARITHMIC),
        "of_linear": contests.taken_from(cells.values(), contests.LINEAR),
    }
    sizes = {
        "up_to_1_kib": (contests.LINEAR, lambda size: size <= 1024),
        "above_1_kib": (contests.LOGARITHMIC, lambda size: size > 1024),
    }
    for name, (rivals, fits) in sizes.items():
        chosen = [
            contests.against(field, rivals) for (_, size), field in cells.items() if fits(size)
        ]
        areas[name] = (len(chosen), tally(chosen).wins)
    texts = {
        "of_logarithmic": "of the cells of logarithmic algorithms, against linear ones",
        "up_to_1_kib": "of sizes up to 1 KiB, against linear ones",
        "of_linear": "of the cells of linear algorithms, against logarithmic ones",
        "above_1_kib": "of sizes above 1 KiB, against logarithmic ones",
    }
    for name, text in texts.items():
        held, won = areas[name]
        share = f"{100 * won / held:.4g}" if held else _NO_FIGURE
        yield f"| {text} | {published[name]:g} | {share} ({won} of {held}) |"


AREAS = "| Sparbit is best in | published % | replay % |\n|---|---|---|"


def many_rows(found: Findings, published: Mapping[str, Any]) -> Iterator[str]:
    """Return the improvements with many ranks, sequential, by average."""
    cells = fields(found.replayed.times, "sequential", "avg")
    least = published["ranks"]
    row = tally(field for (num_ranks, _), field in cells.items() if num_ranks > least)
    yield (
        f"| {found.battery.title}, p > {least} | {published['mean']:g} / {published['median']:g}"
        f" | {_percentages([round(value, 2) for value in row.percentages[1:3]])}"
        f" ({row.wins} of {row.num_cells}) |"
    )


MANY = "| battery | published mean / median % | replay (cells) |\n|---|---|---|"


def agreement_rows(found: Findings) -> Iterator[str]:
    """Return how the replay agrees with SimGrid."""
    for metric in METRICS:
        one = agreement(found.replayed.times, found.simulated.times, metric)
        if one is not None:
            yield (
                f"| {found.battery.title} | {metric} | {one.num_cells}"
                f" | {100 * one.same_best:.3g} | {one.correlation:.2f}"
                f" | {100 * one.regret_mean:.3g} / {100 * one.regret_max:.3g}"
                f" | {one.bias:.3f} | {one.error:.3f} |"
            )


AGREEMENTS = (
    "| battery | metric | cells | same best % | tau-b, median | regret %, mean / highest | bias"
    " | error |\n|---|---|---|---|---|---|---|---|"
)


def catalog_rows(found: Findings) -> Iterator[str]:
    """Return what Sparbit's cells become when the rest of the catalog takes part."""
    times = found.with_catalog()
    for mapping in (*MAPPINGS, UNITED):
        cells = fields(times, mapping, "max")
        five = {place: _without(field, OURS) for place, field in cells.items()}
        alone = tally(five.values())
        kept = tally(cells.values())
        rest = tally((cells[place] for place in cells), OURS)
        lost = [
            place
            for place in cells
            if contests.winner(five[place]) == SPARBIT and contests.winner(cells[place]) != SPARBIT
        ]
        gains = tally((_pair(cells[place]) for place in lost), OURS)
        yield (
            f"| {found.battery.title} | {mapping} | {len(cells)} | {alone.wins} | {kept.wins}"
            f" | {_percentages([round(value, 2) for value in gains.percentages[1:]])}"
            f" | {_tally_text(rest)} |"
        )


CATALOG = (
    "| battery | mapping | cells | Sparbit's of five | still Sparbit's | mean / median / highest"
    " gain over it where not, % | rest of the catalog best in % / mean / median / highest |\n"
    "|---|---|---|---|---|---|---|"
)


def _without(field: Mapping[str, float], name: str) -> dict[str, float]:
    return {other: value for other, value in field.items() if other != name}


def _pair(field: Mapping[str, float]) -> dict[str, float]:
    return {name: field[name] for name in (SPARBIT, OURS)}


def choice_rows(found: Findings, most: int = 6) -> Iterator[str]:
    """Return which choices of the catalog are best most often."""
    count: collections.Counter[str] = collections.Counter()
    for cell, times in found.with_catalog().items():
        field = {name: values[METRICS.index("max")] for name, values in times.items()}
        if contests.winner(field) == OURS:
            count[found.catalog.notes[cell].removeprefix("allgather/")] += 1
    if count:
        names = ", ".join(f"`{name}` {number}" for name, number in count.most_common(most))
        yield f"* {found.battery.title}: {names}"
