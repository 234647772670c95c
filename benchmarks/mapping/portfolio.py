#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""What the portfolio of mappings reaches, as portfolio.toml declares it: tables in Markdown.

Needs the compiled module: PYTHONPATH=python ESPALIER_BUILD_DIR=build/release. Seconds are those of
the processor. Exit code 1 if a mapping is worse than one of its algorithms, if the search beats
them on less than half of the random instances, or if an aim of time is missed.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import sys
import time
from typing import Any

import tomllib

from espalier import _core

EXPERIMENT = pathlib.Path(__file__).with_suffix(".toml")
ROUNDING = 1e-9
CORES_PER_NODE = 48
MANY_RANKS = 20_000


def places_of(sizes: list[int], *, has_packages: bool) -> list[_core.PlacesLevel]:
    """Ranks in order on nodes of these sizes, each of which may have two packages."""
    nodes = [node for node, size in enumerate(sizes) for _ in range(size)]
    levels: list[_core.PlacesLevel] = [{"name": "node", "cost": 1.0, "group_of_rank": nodes}]
    if has_packages:
        packages = [
            2 * node + (2 * core >= size) for node, size in enumerate(sizes) for core in range(size)
        ]
        levels.append({"name": "package", "cost": 0.125, "group_of_rank": packages})
    return levels


def even_sizes(num_ranks: int, per_node: int) -> list[int]:
    """Full nodes, and one with what is left."""
    sizes = [per_node] * (num_ranks // per_node)
    return sizes + [num_ranks % per_node] * (num_ranks % per_node > 0)


def product(extents: list[int]) -> int:
    """Number of positions."""
    result = 1
    for extent in extents:
        result *= extent
    return result


def label_of(extents: list[int]) -> str:
    """50x48."""
    return "x".join(str(extent) for extent in extents)


def cut_of(trial: _core.MappingTrial) -> str:
    """Total and worst node, or a dash."""
    if trial["score"] is None:
        return "-"
    return text_of(trial["score"]["cuts"][0])


def text_of(cut: _core.LevelCut) -> str:
    """Total and worst group."""
    return f"{cut['total']:.0f}/{cut['worst']:.0f}"


def print_row(cells: list[str]) -> None:
    """One line of a table."""
    print("| " + " | ".join(cells) + " |", flush=True)


def print_head(cells: list[str]) -> None:
    """A table begins."""
    print()
    print_row(cells)
    print("|" + "---|" * len(cells))


def compare(instances: list[dict[str, Any]]) -> None:
    """Every algorithm on every instance."""
    names = [algorithm["name"] for algorithm in _core.mapping_algorithms()]
    print_head(["instance", *names, "result", "by"])
    for instance in instances:
        extents, per_node = instance["extents"], instance["per_node"]
        result = _core.map_grid(
            extents,
            stencil=instance["stencil"],
            places=places_of(even_sizes(product(extents), per_node), has_packages=False),
        )
        trials = {trial["algorithm"]: cut_of(trial) for trial in result["trials"]}
        name = instance.get("label", instance["stencil"])
        print_row(
            [
                f"{label_of(extents)}, {name}, {per_node}",
                *(trials[name] for name in names),
                f"**{trials[result['algorithm']]}**",
                result["algorithm"],
            ]
        )


def offsets_of(numbers: random.Random, num_dimensions: int) -> str:
    """A stencil: near, full, weighted by dimension, with hops, or one-sided with holes."""
    kind = numbers.choice(["nearest", "full", "weighted", "hops", "holes"])
    if kind in {"nearest", "full"}:
        return kind
    weight_of: dict[tuple[int, ...], int] = {}
    for dimension in range(num_dimensions):
        weight = 1 if kind == "hops" else numbers.choice([1, 1, 2, 5, 10])
        for length in (-1, 1):
            weight_of[unit(num_dimensions, dimension, length)] = weight
    if kind == "hops":
        dimension = numbers.randrange(num_dimensions)
        for length in (-3, -2, 2, 3):
            weight_of[unit(num_dimensions, dimension, length)] = 1
    if kind == "holes":
        far = tuple(numbers.randint(1, 2) for _ in range(num_dimensions))
        weight_of[far] = 3
        for offset in list(weight_of):
            if len(weight_of) > 1 and numbers.random() < 0.3:
                del weight_of[offset]
    return " ".join(f"({','.join(map(str, key))}):{value}" for key, value in weight_of.items())


def unit(num_dimensions: int, dimension: int, length: int) -> tuple[int, ...]:
    """Steps along one dimension."""
    return tuple(length if i == dimension else 0 for i in range(num_dimensions))


def sizes_of(numbers: random.Random, usual: int, num_ranks: int) -> list[int]:
    """Node sizes, half of the time uneven; the last node takes what is left."""
    choices = [usual] if numbers.random() < 0.5 else [usual, usual, max(1, usual // 2), usual + 3]
    sizes: list[int] = []
    while sum(sizes) < num_ranks:
        sizes.append(min(numbers.choice(choices), num_ranks - sum(sizes)))
    return sizes


def best_single(result: _core.MappingResult) -> float:
    """The least objective of an algorithm alone that makes nothing worse; else the identity's."""
    before = result["before"]
    best = before["objective"]
    for trial in result["trials"]:
        score = trial["score"]
        if score is None or trial["algorithm"].endswith(" + search"):
            continue
        if all(score[key] <= before[key] * (1 + ROUNDING) for key in ("total", "worst")):
            best = min(best, score["objective"])
    return best


def try_random(random_part: dict[str, Any]) -> bool:
    """Random instances by number of dimensions; true if none is worse and half are better."""
    most = random_part["most_extent"]
    ratios: list[list[float]] = [[] for _ in most]
    for seed in range(random_part["count"]):
        numbers = random.Random(seed)  # noqa: S311
        num_dimensions = 1 + seed % len(most)
        extents = [numbers.randint(2, most[num_dimensions - 1]) for _ in range(num_dimensions)]
        periodic = [numbers.random() < 1 / 3 for _ in extents]
        stencil = offsets_of(numbers, num_dimensions)
        sizes = sizes_of(numbers, numbers.choice(random_part["node_sizes"]), product(extents))
        places = places_of(sizes, has_packages=numbers.random() < 0.5)
        result = _core.map_grid(extents, periodic, stencil, places=places)
        single = best_single(result)
        ratios[num_dimensions - 1].append(result["after"]["objective"] / single if single else 1)
    print_head(["dimensions", "instances", "search beats all", "mean ratio", "best ratio", "worse"])
    for dimensions, row in enumerate(ratios, 1):
        print_row([str(dimensions), *summary(row)])
    every = [ratio for row in ratios for ratio in row]
    print_row(["all", *summary(every)])
    num_better = sum(ratio < 1 - ROUNDING for ratio in every)
    return max(every) <= 1 + ROUNDING and 2 * num_better >= len(every)


def summary(ratios: list[float]) -> list[str]:
    """Cells of a row: result / best single algorithm."""
    return [
        str(len(ratios)),
        str(sum(ratio < 1 - ROUNDING for ratio in ratios)),
        f"{sum(ratios) / len(ratios):.3f}",
        f"{min(ratios):.3f}",
        str(sum(ratio > 1 + ROUNDING for ratio in ratios)),
    ]


def time_large(instances: list[dict[str, Any]]) -> bool:
    """Large grids on nodes of two packages; true if all aims are met."""
    print_head(["grid", "ranks", "before", "after", "by", "seconds", "aim"])
    is_good = True
    for instance in instances:
        extents = instance["extents"]
        num_ranks = product(extents)
        places = places_of(even_sizes(num_ranks, CORES_PER_NODE), has_packages=True)
        start = time.process_time()
        result = _core.map_grid(extents, stencil=instance["stencil"], places=places)
        seconds = time.process_time() - start
        is_good = is_good and seconds < instance["seconds"]
        before, after = (
            " ".join(text_of(cut) for cut in score["cuts"])
            for score in (result["before"], result["after"])
        )
        print_row(
            [
                f"{label_of(extents)}, {instance['stencil']}",
                *(str(num_ranks), before, after, result["algorithm"]),
                *(f"{seconds:.2f}", f"{instance['seconds']}"),
            ]
        )
    return is_good


def compare_scotch(instances: list[dict[str, Any]]) -> None:
    """Cut and time of libscotch and of everything else, what is left out for large grids too."""
    if not _core.scotch_version():
        print("\nlibscotch is not in this build: no comparison")
        return
    print(f"\nlibscotch {_core.scotch_version()}")
    print_head(["instance", "scotch", "s", "portfolio without", "s", "ratio of objectives"])
    for instance in instances:
        extents, per_node = instance["extents"], instance.get("per_node", CORES_PER_NODE)
        places = places_of(even_sizes(product(extents), per_node), has_packages=False)
        others = without_scotch(is_large=product(extents) > MANY_RANKS)
        scotch, scotch_seconds = timed(extents, instance["stencil"], places, ["scotch"])
        ours, our_seconds = timed(extents, instance["stencil"], places, others)
        ratio = ours["objective"] / scotch["objective"]
        print_row(
            [
                f"{label_of(extents)}, {instance.get('label', instance['stencil'])}, {per_node}",
                *(text_of(scotch["cuts"][0]), f"{scotch_seconds:.2f}"),
                *(text_of(ours["cuts"][0]), f"{our_seconds:.2f}", f"{ratio:.2f}"),
            ]
        )


def timed(
    extents: list[int], stencil: str, places: list[_core.PlacesLevel], names: list[str]
) -> tuple[_core.MappingScore, float]:
    """Score and seconds: of one algorithm alone, or of the best of several with the search."""
    start = time.process_time()
    result = _core.map_grid(
        extents, stencil=stencil, places=places, algorithms=names, searches=len(names) > 1
    )
    seconds = time.process_time() - start
    alone = result["trials"][-1]["score"] if len(names) == 1 else None
    return alone or result["after"], seconds


def without_scotch(*, is_large: bool) -> list[str]:
    """All algorithms but scotch; for large grids those that know the grid."""
    return [
        entry["name"]
        for entry in _core.mapping_algorithms()
        if entry["name"] != "scotch" and (entry["needs_grid"] or not is_large)
    ]


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-large", action="store_true", help="leave out the large grids")
    arguments = parser.parse_args()
    experiment = tomllib.loads(EXPERIMENT.read_text(encoding="utf-8"))
    compare(experiment["instances"])
    is_good = try_random(experiment["random"])
    if not arguments.no_large:
        is_good = time_large(experiment["large"]) and is_good
    large = [] if arguments.no_large else experiment["large"][:2]
    compare_scotch([*experiment["instances"], *large])
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
