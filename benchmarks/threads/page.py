# SPDX-License-Identifier: Apache-2.0
"""The page about collectives among threads, from the data that are kept."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

import thread_results as results
from simulated_times import date_of, table

from espalier.base.units import three_digits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from thread_results import Kind

STUDY = "threads"
_TEMPLATE = Path(__file__).with_suffix(".md")
_MANNERS = ("loose", "strict")
_TWO = 2  # threads, each with a core of its own, and with one tree only
_CALLS = ("reduce", "broadcast", "scatter", "gather")


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    kept = json.loads((data / f"{STUDY}.json").read_text(encoding="utf-8"))
    kinds = results.kinds_of(kept["records"])
    threads = sorted({one.threads for one in kinds})
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, STUDY),
        load=kept["load"],
        cores=kept["cores"],
        launches=len(kinds[0].us),
        samples=declared["study"]["num_samples"],
        milliseconds=declared["study"]["sample_milliseconds"],
        figures=_figures(declared, kinds, threads),
        signals=_signals(kinds, threads),
        barriers=_barriers(kinds, threads),
        strict=_strict(kept["strict"]),
        radices=_radices(declared["published"]["table_7_2"], kinds, threads),
        two=_two(kinds),
        library=_library(kinds, threads),
        **{call: _trees(kinds, call, threads) for call in _CALLS},
    )


def _figures(declared: Mapping[str, Any], kinds: Sequence[Kind], threads: Sequence[int]) -> str:
    """Return a row for each figure: what is published, and ours by number of threads."""
    study = declared["study"]
    several = [number for number in threads if number > _TWO]
    ours: dict[str, Callable[[int], str]] = {
        "7.1": lambda number: _barrier_figure(results.barriers_of(kinds, number)),
        "7.2": lambda number: _flat_figure(results.barriers_of(kinds, number)),
        "7.3": lambda number: _radix_figure(results.barriers_of(kinds, number)),
        "7.4": lambda number: _sync_figure(kinds, ("reduce",), number),
        "7.5": lambda number: _crossover_figure(kinds, number),
        "7.6": lambda number: _broadcast_figure(
            kinds, number, lambda doubles: doubles <= int(study["small_doubles"])
        ),
        "7.7": lambda number: _broadcast_figure(
            kinds, number, lambda doubles: doubles >= int(study["large_doubles"])
        ),
        "scatter, gather": lambda number: _pieces_figure(kinds, number),
    }
    with_two = {"7.1", "7.4"}
    rows = [
        [
            figure,
            declared["published"][figure],
            *(
                say(_TWO) if figure in with_two and number == _TWO else "one tree only"
                for number in threads
                if number == _TWO
            ),
            *(say(number) for number in several),
        ]
        for figure, say in ours.items()
    ]
    return table(["figure", "published", *(f"{number} threads" for number in threads)], rows)


def _barrier_figure(barriers: Sequence[Kind]) -> str:
    best = results.fastest(one for one in barriers if one.is_tree)
    named = {one.algorithm: one for one in barriers}
    dissemination = results.fastest(one for one in barriers if one.radix == "dissemination")
    pull_push = results.fastest(one for one in barriers if one.signals == "pull push")
    return (
        f"over the best tree, {results.microseconds(best)}: "
        f"pthread {results.ratio_text(named['pthread'], best)}, "
        f"dissemination {results.ratio_text(dissemination, best)}, "
        f"pull push {results.ratio_text(pull_push, best)}"
    )


def _flat_figure(barriers: Sequence[Kind]) -> str:
    flat, deeper = _best_flat_and_deeper(barriers)
    return f"flat over {deeper.radix}: {results.ratio_text(flat, deeper)}"


def _best_flat_and_deeper(barriers: Sequence[Kind]) -> tuple[Kind, Kind]:
    trees = [one for one in barriers if one.is_tree]
    flat = results.fastest(one for one in trees if one.radix == results.FLAT)
    return flat, results.fastest(one for one in trees if one.radix != results.FLAT)


def _radix_figure(barriers: Sequence[Kind]) -> str:
    trees = [one for one in barriers if one.is_tree]
    best = {
        radix: results.fastest(one for one in trees if one.radix == radix)
        for radix in dict.fromkeys(one.radix for one in trees)
    }
    order = sorted(best.values(), key=lambda one: one.median)
    return "fastest first: " + ", ".join(
        f"{one.radix} {results.microseconds(one)}" for one in order
    )


def _sync_figure(kinds: Sequence[Kind], calls: Sequence[str], number: int) -> str:
    ratios = [
        value for call in calls for value in results.strict_over_loose(kinds, call, number).values()
    ]
    middle, most = statistics.median(ratios), max(ratios)
    return f"strict over loose: {three_digits(middle)}, at most {three_digits(most)}"


def _crossover_figure(kinds: Sequence[Kind], number: int) -> str:
    trees = {manner: results.trees_of(kinds, "reduce", number, manner) for manner in _MANNERS}
    found = {manner: results.crossover(trees[manner]) for manner in _MANNERS}
    parts = []
    for manner, other in (_MANNERS, _MANNERS[::-1]):
        own = found[manner]
        where = "never" if own is None else f"from {own} doubles"
        lost = results.chosen_by(trees[manner], found[other])
        parts.append(f"{manner} {where}; by the other's limit {three_digits(lost)}x")
    return ". ".join(parts)


def _broadcast_figure(kinds: Sequence[Kind], number: int, is_meant: Callable[[int], bool]) -> str:
    parts = []
    for manner in _MANNERS:
        trees = results.trees_of(kinds, "broadcast", number, manner)
        low, high = results.shortest_and_longest(trees, is_meant)
        parts.append(f"{manner} {three_digits(low)} .. {three_digits(high)}")
    return "best deeper tree over flat: " + ", ".join(parts)


def _pieces_figure(kinds: Sequence[Kind], number: int) -> str:
    some = [
        trees
        for call in ("scatter", "gather")
        for manner in _MANNERS
        for trees in results.trees_of(kinds, call, number, manner).values()
    ]
    flat = sum(results.fastest(trees).radix == results.FLAT for trees in some)
    sync = _sync_figure(kinds, ("scatter", "gather"), number)
    return f"flat is best in {flat} of {len(some)}; {sync}"


def _signals(kinds: Sequence[Kind], threads: Sequence[int]) -> str:
    """Return the four variants of flags by radix, over the best of them."""
    rows = []
    names = ("pull pull", "pull push", "push pull", "push push")
    for number in threads:
        trees = [one for one in results.barriers_of(kinds, number) if one.is_tree]
        for radix in dict.fromkeys(one.radix for one in trees):
            found = {one.signals: one for one in trees if one.radix == radix}
            cells = [results.time_text(found[name]) for name in names]
            rows.append([str(number), radix if number > _TWO else "all", *cells])
    return table(["threads", "radix", *names], rows)


def _barriers(kinds: Sequence[Kind], threads: Sequence[int]) -> str:
    """Return the other barriers, a row for each."""
    by_threads = {
        number: {one.algorithm: one for one in results.barriers_of(kinds, number)}
        for number in threads
    }
    trees = [
        results.fastest(one for one in found.values() if one.is_tree)
        for found in by_threads.values()
    ]
    rows = [["best tree", *(f"{one.algorithm}: {results.time_text(one)}" for one in trees)]]
    for name in dict.fromkeys(name for found in by_threads.values() for name in found):
        some = [found.get(name) for found in by_threads.values()]
        if not any(one.is_tree for one in some if one):
            rows.append([name, *(results.time_text(one) if one else "" for one in some)])
    return table(["barrier", *(f"{number} threads" for number in threads)], rows)


def _strict(barriers: Mapping[str, Sequence[str]]) -> str:
    """Return which barriers strict calls had, by threads."""
    rows = []
    for number, names in barriers.items():
        counts = {name: names.count(name) for name in sorted(set(names))}
        shown = ", ".join(f"{name} ({count})" for name, count in counts.items())
        rows.append([number, shown])
    return table(["threads", "barrier of strict calls (launches)"], rows)


def _radices(published: Mapping[str, Any], kinds: Sequence[Kind], threads: Sequence[int]) -> str:
    """Return table 7.2 with columns of ours; the best of each column in bold."""
    several = [number for number in threads if number > _TWO]
    columns: dict[str, list[float | None]] = {}
    for i, machine in enumerate(published["columns"]):
        for manner in _MANNERS:
            columns[f"{machine}, {manner}"] = published[manner][i]
    for number in several:
        for manner in _MANNERS:
            trees = results.trees_of(kinds, "reduce", number, manner)[published["doubles"]]
            by_radix = {one.radix: one.median for one in trees}
            columns[f"ours, {number} threads, {manner}"] = [
                by_radix.get(results.FLAT if radix >= number else f"radix {radix}")
                for radix in published["radices"]
            ]
    rows = [
        [str(radix), *(_marked(column, i) for column in columns.values())]
        for i, radix in enumerate(published["radices"])
    ]
    return table(["radix", *columns], rows)


def _marked(column: Sequence[float | None], i: int) -> str:
    value = column[i]
    if value is None:
        return ""
    shown = three_digits(value)
    return f"**{shown}**" if value == min(one for one in column if one is not None) else shown


def _two(kinds: Sequence[Kind]) -> str:
    """Return the collectives of two threads, where all trees are the same."""
    rows = []
    for call in _CALLS:
        loose, strict = (results.trees_of(kinds, call, _TWO, manner) for manner in _MANNERS)
        for doubles in loose:
            one, other = loose[doubles][0], strict[doubles][0]
            cells = [results.time_text(one), results.time_text(other)]
            rows.append([call, str(doubles), *cells, results.ratio_text(other, one)])
    return table(["call", "doubles", "loose", "strict", "strict / loose"], rows)


def _library(kinds: Sequence[Kind], threads: Sequence[int]) -> str:
    """Return calls of the library over the best of the same call, size and manner here."""
    rows = []
    library = [one for one in kinds if one.algorithm.startswith("library")]
    for call, doubles, manner in dict.fromkeys((x.call, x.doubles, x.manner) for x in library):
        cells = []
        for number in threads:
            here = results.trees_of(kinds, call, number, manner)[doubles]
            theirs = results.fastest(
                one
                for one in library
                if (one.call, one.doubles, one.manner, one.threads)
                == (call, doubles, manner, number)
            )
            over = results.ratio_text(theirs, results.fastest(here))
            cells.append(f"{results.microseconds(theirs)}: {over}")
        rows.append([call, str(doubles), manner, *cells])
    return table(["call", "doubles", "", *(f"{number} threads" for number in threads)], rows)


def _trees(kinds: Sequence[Kind], call: str, threads: Sequence[int]) -> str:
    """Return the times of a collective: a row for each number of threads, size and manner."""
    several = [number for number in threads if number > _TWO]
    radices = sorted(
        {one.radix for one in kinds if one.call == call and one.is_tree},
        key=lambda name: int(name.split()[1]) if name != results.FLAT else max(threads),
    )
    rows = []
    for number in several:
        found = {manner: results.trees_of(kinds, call, number, manner) for manner in _MANNERS}
        for doubles in found["loose"]:
            for manner in _MANNERS:
                trees = {one.radix: one for one in found[manner][doubles]}
                cells = [results.time_text(trees[one]) if one in trees else "" for one in radices]
                rows.append([str(number), str(doubles), manner, *cells])
    return table(["threads", "doubles", "", *radices], rows)
