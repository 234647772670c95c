# SPDX-License-Identifier: Apache-2.0
"""The page about orthogonal groups, and its figures, from the times that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import group_layouts as layouts
from group_reductions import series_of
from simulated_times import NATIVE, date_of, read_times, table

from espalier.base.units import bytes_text
from espalier.report.figures.bars import Bar, BarPanel, draw_bars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from group_reductions import Series

LIKE = "like"
_STUDY = "orthogonal-groups"
_TEMPLATE = Path(__file__).with_suffix(".md")


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    every = every_series(declared, data)
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, _STUDY),
        sizes=", ".join(bytes_text(size) for size in declared["sizes"]),
        most=bytes_text(declared["most_result_bytes"]),
        two_phases=two_phases(declared, every),
        balanced=balanced(every),
        selection=selection(declared, every),
        three_phases=three_phases(every),
        figures="".join(
            f"\n*Figure `figures/{name}`, drawn by `make docs`: {title}.*\n"
            for name, title, _ in figures(declared, every)
        ),
    )


def draw(declared: Mapping[str, Any], data: Path, folder: Path) -> None:
    """Draw the figures of the page."""
    for name, _, panels in figures(declared, every_series(declared, data)):
        draw_bars(panels, folder / name, columns=4)


def every_series(declared: Mapping[str, Any], data: Path) -> list[Series]:
    """Return the series of all operations and schedules of their phases."""
    times = read_times(data / f"{_STUDY}.csv")
    return [
        one
        for operation in declared["operations"]
        for phase in operation["phases"]
        for one in series_of(times, operation["name"], phase)
    ]


def two_phases(declared: Mapping[str, Any], every: Sequence[Series]) -> str:
    """Return the table of best single layouts beside what is published."""
    published = {(one["platform"], one["operation"]): one["text"] for one in declared["published"]}
    baselines = [*(f"{NATIVE}{peer}" for peer in declared["peers"]), LIKE]
    head = ["platform", "ranks", "operation", "phases"]
    head += [f"against {name.removeprefix(NATIVE)}" for name in baselines]
    rows = [
        [
            *(series.platform, str(series.num_ranks), series.operation, series.phase),
            *(best_text(series, baseline) for baseline in baselines),
            published.get((series.platform, series.operation), "-"),
        ]
        for series in every
    ]
    return table([*head, "published (platform)"], rows)


def best_text(series: Series, baseline: str) -> str:
    """Return the best layout against one baseline and its range."""
    reductions = series.reductions(baseline, 2)
    if not reductions:
        return "-"
    name = layouts.best_single(reductions)
    found = layouts.range_of(reductions[name])
    return f"{name}: " + " / ".join(map(percent_text, (found.low, found.mean, found.high)))


def percent_text(percent: float) -> str:
    """Return a percentage, with a decimal if it is small."""
    text = f"{percent:.1f}" if abs(percent) < 9.95 else f"{percent:.0f}"
    return "0.0" if text == "-0.0" else text


def balanced(every: Sequence[Series]) -> str:
    """Return how good the most balanced layout is, by operation and schedule of the phases."""
    rows = []
    for operation, phase in dict.fromkeys((one.operation, one.phase) for one in every):
        own = [one for one in every if (one.operation, one.phase) == (operation, phase)]
        losses = [loss_of_balance(one) for one in own if one.reductions(LIKE, 2)]
        best = sum(loss <= 0.05 for loss in losses)
        rows.append(
            [operation, phase, f"{best} of {len(losses)}", f"{max(losses):.1f}"] if losses else []
        )
    head = [
        "operation",
        "phases",
        "balanced is best (within 0.05)",
        "greatest loss, percent points",
    ]
    return table(head, [row for row in rows if row])


def loss_of_balance(series: Series) -> float:
    """Return how far the most balanced layout is behind the best one, in percent of `like`."""
    means = {
        name: layouts.range_of(values).mean for name, values in series.reductions(LIKE, 2).items()
    }
    least = min(map(layouts.balance, means))
    return max(means.values()) - max(
        mean for name, mean in means.items() if layouts.balance(name) == least
    )


def selection(declared: Mapping[str, Any], every: Sequence[Series]) -> str:
    """Return what is chosen for each interval of sizes, for each peer."""
    head = ["platform", "ranks", "operation", "phases", "native", "choice by size", "mean gain"]
    rows = []
    for series in every:
        for peer in declared["peers"]:
            native = series.baseline_us.get(f"{NATIVE}{peer}", {})
            complete = {
                name: values
                for name, values in series.layouts_us.items()
                if all(size in values for size in native)
            }
            if native and complete:
                intervals = layouts.select(native, complete)
                gain = mean_gain(native, complete)
                key = [series.platform, str(series.num_ranks), series.operation, series.phase]
                rows.append([*key, peer, interval_text(intervals), percent_text(gain)])
    return table(head, rows)


def interval_text(intervals: Sequence[layouts.Interval]) -> str:
    """Return the choices with their largest sizes."""
    if len(intervals) == 1:
        return intervals[0].choice
    texts = [f"{one.choice} to {bytes_text(one.high_bytes)}" for one in intervals[:-1]]
    return ", ".join([*texts, f"then {intervals[-1].choice}"])


def mean_gain(native: Mapping[int, float], by_layout: Mapping[str, Mapping[int, float]]) -> float:
    """Return the mean reduction by the best of all layouts and the native call."""
    gains = [
        max(0.0, *(layouts.reduction(old, new[size]) for new in by_layout.values()))
        for size, old in native.items()
    ]
    return sum(gains) / len(gains)


def three_phases(every: Sequence[Series]) -> str:
    """Return what a third phase adds."""
    rows = []
    for series in every:
        three = series.reductions(LIKE, 3)
        if not three:
            continue
        best_two = layouts.best_single(series.reductions(LIKE, 2))
        best_three = layouts.best_single(three)
        gains = [
            layouts.reduction(old, series.layouts_us[best_three][size])
            for size, old in sorted(series.layouts_us[best_two].items())
            if size in series.layouts_us[best_three]
        ]
        key = [series.platform, str(series.num_ranks), series.operation, series.phase]
        rows.append([*key, best_two, best_three, percent_text(sum(gains) / len(gains))])
    head = ["platform", "ranks", "operation", "phases", "best of two", "best of three", "percent"]
    return table(head, rows)


def figures(
    declared: Mapping[str, Any], every: Sequence[Series]
) -> Iterator[tuple[str, str, list[BarPanel]]]:
    """Return file, title and panels of each figure: one for a platform and number of ranks."""
    first = {one["name"]: one["phases"][0] for one in declared["operations"]}
    drawn = [series for series in every if series.phase == first[series.operation]]
    baselines = (f"{NATIVE}{declared['peers'][0]}", LIKE)
    for platform, ranks in dict.fromkeys((one.platform, one.num_ranks) for one in drawn):
        own = [one for one in drawn if (one.platform, one.num_ranks) == (platform, ranks)]
        name = f"orthogonal-{platform.lower().replace(', ', '-')}-{ranks}.svg"
        title = f"percent saved by each layout on {platform}, {ranks} ranks"
        yield name, title, [panel for one in own for panel in panels_of(one, baselines)]


def panels_of(series: Series, baselines: Sequence[str]) -> list[BarPanel]:
    """Return a panel for each baseline."""
    panels = []
    for baseline in baselines:
        reductions = series.reductions(baseline, 2)
        bars = []
        for name, values in reductions.items():
            found = layouts.range_of(values)
            bars.append(Bar(name, found.low, found.mean, found.high))
        if bars:
            title = f"{series.operation} ({series.phase}) against {baseline.removeprefix(NATIVE)}"
            panels.append(BarPanel(title, "percent", bars))
    return panels
