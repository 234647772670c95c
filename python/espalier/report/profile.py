# SPDX-License-Identifier: Apache-2.0
"""What `espalier profile` and its verbs print."""

from __future__ import annotations

from dataclasses import astuple
from itertools import groupby
from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_range_text, ratio_text, three_digits
from espalier.io.console import make_console
from espalier.profiles.profiles import Shape
from espalier.report.content import Grid, Report, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_NOTHING = "-"
_MOST_UNDECIDED = 10


def contents_report(found: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-profile-contents` document."""
    rules = sorted(found["rules"], key=lambda rule: astuple(Shape.of(rule)))
    sections = []
    for shape, row in groupby(rules, key=_shape_text):
        grid = Grid(
            ("collective", "bytes of result", "algorithm", "gain", "evidence"),
            dispensable=("evidence",),
        )
        grid.rows = [
            [
                rule["collective"],
                _bytes_text(rule),
                rule["algorithm"],
                _gain_text(rule),
                _evidence_text(rule),
            ]
            for rule in row
        ]
        sections.append(Section(shape, grids=[grid]))
    if not sections:
        sections.append(Section("Rules", ["there are none: every call runs natively"]))
    if any(rule["gain"] for rule in rules):
        sections[-1].notes.append(
            "gain: time of the native call / time of the algorithm at the sizes that were timed;"
            " 'at least' is the lower end of the intervals"
        )
    return Report(found["profile"], [*sections, *_learning(found), *_origins(found["runs"])])


def _learning(found: Mapping[str, Any]) -> Iterator[Section]:
    """Yield what programs are trying, those calls that take most time."""
    undecided = found["undecided"]
    if not undecided:
        return
    grid = Grid(("collective", "ranks", "nodes", "bytes of result", "time in a run", "rounds"))
    grid.right = ("ranks", "nodes", "time in a run", "rounds")
    grid.rows = [
        [
            one["collective"],
            str(one["num_ranks"]),
            str(one["num_nodes"]),
            _bytes_text(one),
            f"{three_digits(one['seconds_in_run'] * 1e3)} ms",
            str(one["num_rounds"]),
        ]
        for one in undecided[:_MOST_UNDECIDED]
    ]
    left_out = len(undecided) - len(grid.rows)
    notes = [f"and {left_out} other kinds of calls that take less time"] if left_out else []
    yield Section("Not decided yet: programs that learn go on with", grids=[grid], notes=notes)


def difference_report(found: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-profile-difference` document."""
    names = [one["profile"] for one in found["profiles"]]
    sections = []
    for shape, row in groupby(found["differences"], key=_shape_text):
        grid = Grid(("collective", "bytes of result", "A", "B", "larger gain"))
        grid.rows = [
            [
                one["collective"],
                _bytes_text(one),
                *(_choice_text(choice) for choice in one["choices"]),
                _larger_text(one),
            ]
            for one in row
        ]
        sections.append(Section(shape, grids=[grid]))
    if found["is_same"]:
        sections.append(Section("Differences", ["none: both choose the same everywhere"]))
    about = [
        f"{letter}: {one['profile']}, {_mpi_text(one)}, {_machine_text(one)}"
        for letter, one in zip("AB", found["profiles"], strict=True)
    ]
    return Report(f"{names[0]} and {names[1]}", [*sections, Section("Of what", about)])


def merge_report(found: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-profile-merge` document."""
    lines = [
        f"{one['profile']}: {one['num_used']} of {one['num_rules']} rules used,"
        f" {one['mpi']['version']}"
        for one in found["merged"]
    ]
    grid = Grid(
        ("shape", "collective", "bytes of result", "algorithm", "gain", "from"),
        dispensable=("gain",),
    )
    grid.rows = [
        [
            *_where(rule),
            rule["algorithm"],
            _gain_text(rule),
            found["merged"][rule["from"]]["profile"],
        ]
        for rule in found["rules"]
    ]
    sections = [
        Section("What was merged", lines),
        Section("What it chooses now", grids=[grid]),
    ]
    versions = {one["mpi"]["version"] for one in found["merged"]}
    if len(versions) > 1:
        text = "the profiles are from several versions of the MPI, and programs use all rules"
        sections.append(Section("What could be wrong", [text]))
    return Report(found["profile"], sections)


def print_check(found: Mapping[str, Any]) -> None:
    """Print a line for each problem of an `espalier-profile-check` document, or that it is well."""
    console = make_console()
    for problem in found["problems"]:
        console.print(f"{problem['text']}; {problem['advice']}", soft_wrap=True)
    if not found["problems"]:
        rules = "rule" if found["num_rules"] == 1 else "rules"
        mpi = found["mpi"]
        console.print(
            f"{found['profile']}: {found['num_rules']} {rules} for {mpi['vendor']}, nothing wrong",
            soft_wrap=True,
        )


def export_report(found: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-profile-export` document."""
    sections = []
    if found["exported"]:
        sections.append(_exported(found))
    if found["left_out"]:
        sections.append(_left_out(found))
    if found["exported"]:
        files = [f"wrote {path}" for path in found["files"]]
        use = found["use"]
        sections.append(Section("How to use it", [*files, *use[:-1]], command=use[-1]))
    else:
        text = f"no rule has an equivalent in {found['library']}: no file was written"
        sections.append(Section("What was written", [text]))
    if found["cautions"]:
        sections.append(Section("What could be wrong", list(found["cautions"])))
    tried = f"tried with {found['tried_with']}" if found["tried_with"] else "untried"
    return Report(f"{found['profile']} for {found['library']} ({tried})", sections)


def _exported(found: Mapping[str, Any]) -> Section:
    grid = Grid(("shape", "collective", "bytes of result", "algorithm", "there"))
    notes = list(dict.fromkeys(one["difference"] for one in found["exported"]))
    notes = [note for note in notes if note]
    for one in found["exported"]:
        mark = f" [{notes.index(one['difference']) + 1}]" if one["difference"] else ""
        grid.rows.append([*_where(one), one["algorithm"], one["native"] + mark])
    return Section(f"Rules for {found['library']}", grids=[grid], notes=_numbered(notes))


def _left_out(found: Mapping[str, Any]) -> Section:
    grid = Grid(("shape", "collective", "bytes of result", "algorithm", "why not"))
    reasons = list(dict.fromkeys(one["reason"] for one in found["left_out"]))
    grid.rows = [
        [*_where(one), one["algorithm"], f"[{reasons.index(one['reason']) + 1}]"]
        for one in found["left_out"]
    ]
    title = "Not exported: there the library chooses by itself"
    return Section(title, grids=[grid], notes=_numbered(reasons))


def _where(entry: Mapping[str, Any]) -> list[str]:
    return [_shape_text(entry), entry["collective"], _bytes_text(entry)]


def _numbered(texts: Sequence[str]) -> list[str]:
    return [f"[{number}] {text}" for number, text in enumerate(texts, start=1)]


def _shape_text(entry: Mapping[str, Any]) -> str:
    return Shape.of(entry).text()


def _bytes_text(entry: Mapping[str, Any]) -> str:
    if entry["min_bytes"] == 0 and entry["max_bytes"] is None:
        return "all"
    return bytes_range_text(entry["min_bytes"], entry["max_bytes"])


def _gain_text(entry: Mapping[str, Any]) -> str:
    """Return `1.31x`, or `1.18 .. 1.44x, at least 1.10`."""
    gain = entry["gain"]
    if gain is None:
        return _NOTHING
    least, most = three_digits(gain["least"]), ratio_text(gain["most"])
    ratios = most if least == three_digits(gain["most"]) else f"{least} .. {most}"
    return f"{ratios}, at least {three_digits(gain['low'])}"


def _evidence_text(entry: Mapping[str, Any]) -> str:
    if entry["evidence"] == "none":
        return "nothing near was measured"
    if entry["evidence"] == "modelled":
        return "modelled"
    if entry["evidence"] == "learned":
        return f"learned from {entry['num_pairs']} pairs of calls"
    number = entry["num_sizes"]
    return f"{entry['evidence']} at {number} size{'' if number == 1 else 's'}"


def _choice_text(choice: Mapping[str, Any]) -> str:
    if choice["algorithm"] is None:
        return "(no rules)"
    gain = "" if choice["gain"] is None else f" ({_gain_text(choice)})"
    return f"{choice['algorithm']}{gain}"


def _larger_text(one: Mapping[str, Any]) -> str:
    return _NOTHING if one["larger_gain"] is None else "AB"[one["larger_gain"]]


def _mpi_text(run: Mapping[str, Any]) -> str:
    mpi = run["mpi"]
    return f"{mpi['vendor']} ({mpi['version']})"


def _machine_text(run: Mapping[str, Any]) -> str:
    machine = run.get("machine", {})
    names = [str(machine[key]) for key in ("hostname", "cpu", "text") if key in machine]
    return ", ".join(names) or "unknown machine"


def _origins(runs: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Return where the rules come from, the last run first."""
    return [
        Section(
            "Where it comes from" if len(runs) == 1 else _title(run["shapes"]),
            [
                _mpi_text(run),
                _machine_text(run),
                *([f"created {run['created']}"] if "created" in run else []),
            ],
            command=run.get("command", ""),
        )
        for run in runs
    ]


def _title(shapes: Iterable[Mapping[str, Any]]) -> str:
    rules = "; ".join(f"{_shape_text(one)}: {', '.join(one['calls'])}" for one in shapes)
    return f"Where it comes from: {rules}"
