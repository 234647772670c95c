# SPDX-License-Identifier: Apache-2.0
"""The page about programs of others, from the data that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from simulated_times import date_of, table, wrapped

from espalier.base.intervals import signed_rank_ratio
from espalier.base.units import bytes_text, time_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The place of the table that README has; the others are this machine as it is.
HOSTS = "hosts"
_TEMPLATE = Path(__file__).with_suffix(".md")
_TITLES = [
    *("program", "time without", "improved", "only preloaded: first runs", "last runs"),
    *("in collectives", "results"),
]
# On one node the first run says nothing: learning can gain less there than runs differ.
_TITLES_ON_NODE = [
    *("program", "time without", "improved", "only preloaded: all runs", "last runs"),
    *("in collectives", "most time in", "results"),
]
# How many runs of a program that is only preloaded are the last ones.
_NUM_LAST = 3
# Of programs that were improved before such runs were part of the study.
_NOT_MEASURED = "not measured"
# Calls that a program spends most of its time on, in the page.
_MOST_CALLS = 4


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    rows = read(declared, data, HOSTS)
    hosts = declared["place"][HOSTS]
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, study_of(HOSTS)),
        num_hosts=hosts["hosts"],
        ranks_per_host=hosts["ranks_per_host"],
        rate=hosts["rate"],
        mpi=rows[0]["mpi"]["version"],
        repetitions=declared["improve"]["repetitions"],
        learning_runs=hosts["learning_runs"],
        first_runs=hosts["first_runs"],
        num_last=_NUM_LAST,
        summary=summary(declared, data),
        nodes="\n".join(_node(declared, data, name) for name in _nodes(declared)),
        programs="\n".join(_section(declared, row) for row in rows),
        files=", ".join(_link(data, name) for name in declared["place"]),
    )


def summary(declared: Mapping[str, Any], data: Path) -> str:
    """Return the table that README has, too."""
    return table(_TITLES, [_row(declared, one) for one in read(declared, data, HOSTS)])


def _nodes(declared: Mapping[str, Any]) -> list[str]:
    return [name for name, place in declared["place"].items() if "hosts" not in place]


def _node(declared: Mapping[str, Any], data: Path, name: str) -> str:
    """Return what was found on this machine as it is."""
    place = declared["place"][name]
    rows = [_row_on_node(declared, one) for one in read(declared, data, name)]
    start = " ".join(["mpirun", "-n", str(place["ranks"]), *place["launch"]])
    how = (
        f"`{start}`, measured on {date_of(data, study_of(name))}. `improve` had a time budget of"
        f" {place['time_budget']}."
    )
    return f"### {place['title']}\n{how}\n\n{table(_TITLES_ON_NODE, rows)}"


def _link(data: Path, place: str) -> str:
    name = path_of(data, place).name
    return f"[data/{name}](data/{name})"


def read(declared: Mapping[str, Any], data: Path, place: str) -> list[dict[str, Any]]:
    """Return what is known of the programs, in the order in which they are declared."""
    known = recorded(data, place)
    names = [program["name"] for program in declared["program"]]
    return [known[name] for name in names if name in known]


def study_of(place: str) -> str:
    """Return the name under which the data of a place and their date are kept."""
    return "programs" if place == HOSTS else f"programs-{place}"


def path_of(data: Path, place: str) -> Path:
    """Return the file that keeps what is known of the programs in a place."""
    return data / f"{study_of(place)}.json"


def recorded(data: Path, place: str) -> dict[str, dict[str, Any]]:
    """Return what is known of each program in a place, by its name."""
    rows = json.loads(path_of(data, place).read_text(encoding="utf-8"))
    return {one["name"]: one for one in rows}


def line_of(found: Mapping[str, Any]) -> str:
    """Return one line about a program that was just improved."""
    _, gain = _gain(found)
    equal = "equal results" if found["results"]["equal"] else "OTHER RESULTS"
    return f"{found['name']}: {gain}, {equal}; only preloaded, last runs {_last(found)}"


def _row(declared: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    title = _declared(declared, found)["title"]
    seconds, gain = _gain(found)
    share = f"{100 * found['collective_share']:.0f} %"
    return [title, seconds, gain, _first(found), _last(found), share, _results(found)]


def _row_on_node(declared: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    title, seconds, gain, _, last, share, results = _row(declared, found)
    return [title, seconds, gain, _all(found), last, share, _most(found), results]


def _most(found: Mapping[str, Any]) -> str:
    """Return the call on which most time is spent, how long one takes, and what runs it."""
    if not found["calls"]:
        return "-"
    call = found["calls"][0]
    name, ranks, size, number, share, _, runs = _call(call)
    each = time_text(call["seconds"] / call["num_calls"])
    if loop := call["loop_seconds"]:
        each += f" ({time_text(loop)} in a loop)"
    return f"{name}, {ranks} ranks, {size}, {number} times {each}: {share}, {runs}"


def _gain(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return the time without Espalier, and the gain with its interval."""
    wall = found["wall"]
    if wall is None or found["profile"] is None:
        return f"{found['program_seconds']:.1f} s", "native calls are kept"
    return f"{wall['before_seconds']['value']:.1f} s", _interval(wall["ratio"])


def _interval(ratio: Mapping[str, float]) -> str:
    return f"{ratio['value']:.2f}x ({ratio['low']:.2f} .. {ratio['high']:.2f})"


def _first(found: Mapping[str, Any]) -> str:
    """Return native / ours of runs that begin without lessons; of one run without an interval."""
    runs = found.get("preloaded")
    if not runs:
        return _NOT_MEASURED
    if "first" in runs:
        return _interval_of(runs["first"])
    return f"{median(runs['native_seconds']) / runs['seconds'][0]:.2f}x"


def _last(found: Mapping[str, Any]) -> str:
    """Return the median of native / ours of the last runs, and its least and greatest value."""
    runs = found.get("preloaded")
    if not runs:
        return _NOT_MEASURED
    pairs = zip(runs["native_seconds"][-_NUM_LAST:], runs["seconds"][-_NUM_LAST:], strict=True)
    ratios = [native / ours for native, ours in pairs]
    return f"{median(ratios):.2f}x ({min(ratios):.2f} .. {max(ratios):.2f})"


def _all(found: Mapping[str, Any]) -> str:
    """Return native / ours of all runs that are only preloaded."""
    return _interval_of(found["preloaded"])


def _interval_of(runs: Mapping[str, Sequence[float]]) -> str:
    ratio = signed_rank_ratio(runs["native_seconds"], runs["seconds"])
    return _interval({"value": ratio.value, "low": ratio.low, "high": ratio.high})


def _runs(found: Mapping[str, Any]) -> str:
    """Return a paragraph with all runs of a program that is only preloaded."""
    runs = found["preloaded"]
    ours, native = (
        " ".join(f"{one:.2f}" for one in runs[kind]) for kind in ("seconds", "native_seconds")
    )
    return wrapped(
        f"Only preloaded, in s, one run after the other: {ours}; native runs in turns with them:"
        f" {native}; all together {_all(found)}."
    )


def _results(found: Mapping[str, Any]) -> str:
    results = found["results"]
    if not results["equal"]:
        return "differ"
    compared = results["compared"]
    if isinstance(compared, int):
        return f"equal ({compared} number{'s' if compared != 1 else ''})"
    return f"equal (`{compared}`)"


def _section(declared: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    program = _declared(declared, found)
    lines = [f"### {program['title']}", "", _what(program, found), ""]
    if found["calls"]:
        titles = ["call", "ranks", "size", "calls", "share", "in the program", "runs"]
        lines.append(table(titles, [_call(call) for call in found["calls"][:_MOST_CALLS]]))
    lines += [wrapped(f"- {line}", "  ") for line in _remaining(found)]
    if "preloaded" in found:
        lines += ["", _runs(found)]
    return "\n".join(lines) + "\n"


def _what(program: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    return f"`{found['command']}`: {program['what']}. Time budget {found['budget']}."


def _call(call: Mapping[str, Any]) -> list[str]:
    inside = call["in_program"]
    ratio = inside and inside["ratio"]
    return [
        call["collective"],
        str(call["num_ranks"]),
        bytes_text(call["bytes"]),
        str(call["num_calls"]),
        f"{100 * call['share']:.2g} %",
        _interval(ratio) if ratio else "-",
        ", ".join(f"`{name}`" for name in inside["algorithms"]) if inside else "native",
    ]


def _remaining(found: Mapping[str, Any]) -> Sequence[str]:
    back = [f"taken back: {one['collective']}, {one['reason']}" for one in found["taken_back"]]
    return [*back, *found["remaining"]]


def _declared(declared: Mapping[str, Any], found: Mapping[str, Any]) -> Mapping[str, Any]:
    return next(one for one in declared["program"] if one["name"] == found["name"])
