# SPDX-License-Identifier: Apache-2.0
"""The page about nonblocking collectives beside work, from the records that are kept."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulated_times import date_of, table

from espalier.base.intervals import Interval, paired_ratio
from espalier.base.units import bytes_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STUDY = "overlap"
DATA = "overlap.json"
SIMULATED = "overlap-simulated"
SIMULATED_DATA = "overlap-simulated.json"
COST = "overlap-thread"
COST_DATA = "overlap-thread.json"
LEARNED = "overlap-learned"
LEARNED_DATA = "overlap-learned.json"
FILES = {STUDY: DATA, LEARNED: LEARNED_DATA}
NATIVE, OURS, THREAD = "native", "ours", "thread"
_VARIANTS = (NATIVE, OURS, THREAD)
_FIGURES = {
    "message_us": "message of a byte",
    "allreduce_us": "`MPI_Allreduce` of 8 bytes",
    "work_us": "work with nothing underway",
    "beside_us": "work beside a call that is underway",
}
_TEMPLATE = Path(__file__).with_suffix(".md")

Record = dict[str, Any]


def share_hidden(alone: float, work: float, together: float) -> float:
    """Return the share of a call that is hidden behind work, or of the work behind the call.

    That is what a call alone and the work take together, less what they take beside each other, as
    a share of the shorter one; at most 1, and at least 0.
    """
    return float(min(1.0, max(0.0, (alone + work - together) / min(alone, work))))


def hidden(record: Mapping[str, Any], variant: str) -> float:
    """Return the share that is hidden, by the medians of a record."""
    times = record["us"][variant]
    alone, together = (statistics.median(times[name]) for name in ("alone", "beside"))
    return share_hidden(alone, record["work_us"], together)


def gain(record: Mapping[str, Any], variant: str) -> Interval:
    """Return native / ours of calls beside work, from runs in turns."""
    times = record["us"]
    return paired_ratio(times[NATIVE]["beside"], times[variant]["beside"])


def line_of(record: Mapping[str, Any]) -> str:
    """Return one line about a cell that was just measured."""
    words = [f"{name} {_ms(record, name)} ms, {hidden(record, name):.0%}" for name in _VARIANTS]
    ratios = [f"{name} {_ratio(gain(record, name))}" for name in _VARIANTS[1:]]
    head = f"{_call(record)}, {record['tests']} tests, {record['algorithm']}"
    return f"{head}: {'; '.join(words)}; native / {', '.join(ratios)}"


def line_of_learned(record: Mapping[str, Any]) -> str:
    """Return one line about a call that a program just learned of."""
    gains = ", ".join(f"{value:.2f}x" for value in learned_gains(record))
    return f"{_call(record)}, {record['algorithm'] or 'nothing'} learned: native / ours {gains}"


def learned_gains(record: Mapping[str, Any]) -> list[float]:
    """Return native / ours of each run, of calls beside work."""
    times = record["us"]
    return [native / ours for native, ours in zip(times[NATIVE], times[OURS], strict=True)]


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    records: list[Record] = json.loads((data / DATA).read_text(encoding="utf-8"))
    busy = [record["busy_processors"] for record in records]
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, STUDY),
        library=records[0]["library"],
        hosts=declared["cluster"]["hosts"],
        ranks=declared["cluster"]["ranks_per_host"],
        rate=declared["cluster"]["rate"],
        rounds=declared["loop"]["rounds"],
        turns=declared["runs"]["turns"],
        busy=f"{statistics.median(busy):.1f} in the middle, {max(busy):.1f} at most",
        num_measured=len(records),
        num_declared=len(declared["loop"]["tests"])
        * sum(len(call["sizes"]) for call in declared["calls"].values()),
        outcome=outcome(declared, records),
        times=times_table(records),
        simulated_date=date_of(data, SIMULATED),
        simulated=simulated_table(json.loads((data / SIMULATED_DATA).read_text(encoding="utf-8"))),
        learned_date=date_of(data, LEARNED),
        learned_rounds=declared["learned"]["rounds"],
        learned_runs=declared["learned"]["runs"],
        learned=learned_table(json.loads((data / LEARNED_DATA).read_text(encoding="utf-8"))),
        cost_date=date_of(data, COST),
        **cost(json.loads((data / COST_DATA).read_text(encoding="utf-8"))),
    )


def cost(found: Mapping[str, Any]) -> dict[str, str]:
    """Return what the page says of the cost of a thread: a table, a share and the circumstances."""
    runs = {name: [one for one in found["runs"] if one["variant"] == name] for name in _VARIANTS}
    rows = []
    for figure, title in _FIGURES.items():
        values = {name: [one[figure] for one in runs[name]] for name in _VARIANTS}
        ratios = [paired_ratio(values[name], values[NATIVE]) for name in _VARIANTS[1:]]
        middles = [f"{statistics.median(values[name]):.2f}" for name in _VARIANTS]
        rows.append([title, *middles, *(_ratio(ratio) for ratio in ratios)])
    head = ["", "native, us", "ours, us", "with a thread, us"]
    share = statistics.median(one["other_threads"] for one in runs[THREAD])
    return {
        "cost": table([*head, "ours / native", "with a thread / native"], rows),
        "cost_share": f"{share:.1%}",
        "cost_busy": f"{found['busy_processors']:.1f}",
    }


def outcome(declared: Mapping[str, Any], records: Sequence[Record]) -> str:
    """Return geometric means, and how many calls gain or lose, for each number of tests."""
    rows = []
    for num_tests in declared["loop"]["tests"]:
        part = [record for record in records if record["tests"] == num_tests]
        for variant in _VARIANTS[1:]:
            found = [gain(record, variant) for record in part]
            rows.append(
                [
                    str(num_tests),
                    "calls" if variant == OURS else "thread",
                    f"{statistics.mean(hidden(record, NATIVE) for record in part):.0%}",
                    f"{statistics.mean(hidden(record, variant) for record in part):.0%}",
                    f"{statistics.geometric_mean(one.value for one in found):.2f}x",
                    str(sum(one.low > 1 for one in found)),
                    str(sum(one.high < 1 for one in found)),
                    str(len(found)),
                ]
            )
    head = ("tests", "progress in", "hidden, native", "hidden, ours", "native / ours")
    return table([*head, "gain", "lose", "of"], rows)


def times_table(records: Sequence[Record]) -> str:
    """Return all times."""
    rows = [
        [
            _call(record),
            str(record["tests"]),
            f"{record['work_us'] / 1000:.1f}",
            *(f"{_ms(record, name)}, {hidden(record, name):.0%}" for name in _VARIANTS),
            *(_ratio(gain(record, name)) for name in _VARIANTS[1:]),
            f"`{record['algorithm']}`",
        ]
        for record in records
    ]
    head = ["call", "tests", "work, ms", "native, ms", "ours", "with a thread"]
    return table([*head, "native / ours", "native / with a thread", "algorithm"], rows)


def simulated_table(records: Sequence[Record]) -> str:
    """Return what each way takes beside work, and hides, on the simulated machine."""
    rows = []
    ways = list(dict.fromkeys(one["way"] for one in records))
    for cell in dict.fromkeys((one["call"], one["bytes"], one["tests"]) for one in records):
        found = {
            one["way"]: one for one in records if (one["call"], one["bytes"], one["tests"]) == cell
        }
        first = found[ways[0]]
        shown = [_simulated_cell(found[way]) for way in ways]
        names = [f"`{found[way]['algorithm']}`" for way in ways[1:]]
        rows.append([_call(first), str(cell[2]), f"{first['work_us']:.1f}", *shown, *names])
    head = ["call", "tests", "work, us", "the simulator's own", "ours, messages", "ours, one-sided"]
    return table([*head, "algorithm, messages", "algorithm, one-sided"], rows)


def learned_table(records: Sequence[Record]) -> str:
    """Return native / ours in each of the runs that learn from each other."""
    rows = []
    for record in records:
        native = statistics.median(record["us"][NATIVE])
        algorithm = f"`{record['algorithm']}`" if record["algorithm"] else "nothing yet"
        gains = [f"{value:.2f}x" for value in learned_gains(record)]
        figures = [f"{record['work_us'] / 1000:.1f}", f"{native / 1000:.1f}"]
        rows.append([_call(record), *figures, *gains, algorithm])
    numbers = [str(run + 1) for run in range(len(records[0]["us"][OURS]))]
    return table(["call", "work, ms", "native, ms", *numbers, "learned"], rows)


def _simulated_cell(record: Record) -> str:
    share = share_hidden(record["alone_us"], record["work_us"], record["beside_us"])
    return f"{record['beside_us']:.1f}, {share:.0%}"


def _call(record: Mapping[str, Any]) -> str:
    return f"{record['call']} {bytes_text(record['bytes'])}"


def _ms(record: Mapping[str, Any], variant: str) -> str:
    return f"{statistics.median(record['us'][variant]['beside']) / 1000:.1f}"


def _ratio(found: Interval) -> str:
    return f"{found.value:.2f}x ({found.low:.2f} .. {found.high:.2f})"
