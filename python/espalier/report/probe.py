# SPDX-License-Identifier: Apache-2.0
"""The report of `espalier probe`."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from espalier.base.ranges import ranks_text
from espalier.base.units import bytes_text, three_digits, time_text
from espalier.report.content import Grid, Report, Section
from espalier.report.sections import cautions_section

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOT_MEASURED = "-"
_MOST_SPLITS = 4
_ABOUT_LATENCY = (
    "latency: one way, of a message without bytes; MB = 10^6 bytes; in parentheses the 95 %"
    " interval"
)
_ABOUT_CHANNELS = (
    "channels: messages out of one object that do not slow each other down; of all: inside one"
    " parent; duplex: both directions together / one"
)
_ABOUT_LOGGP = (
    "L: on its way; o_s, o_r: the sender's and the receiver's own time; g: between two messages;"
    " G: per byte"
)


def probe_report(document: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-probe` document."""
    title = f"Probe of {document['num_ranks']} ranks, {mpi_text(document)}"
    if document["is_simulated"]:
        title += " (simulated)"
    if not document["complete"]:
        title += " (partial)"
    return Report(
        title,
        [
            _levels(document),
            _messages(document),
            _groups(document),
            _sure(document),
            _machine(document),
            cautions_section(document["warnings"]),
            Section("The machine as text, for --machine", command=document["probing"]["machine"]),
            _repeat(document),
        ],
    )


def mpi_text(document: Mapping[str, Any]) -> str:
    """Return which MPI it was; versions go on with how they were built."""
    return str(document["mpi"]["version"]).partition(",")[0].partition("\n")[0].strip()


def shape_text(machine: str) -> str:
    """Return a machine's text without what its links cost."""
    return re.sub(r"\[[^\]]*\]", "", machine)


def estimate_text(estimate: Mapping[str, float] | None, unit: str = "") -> str:
    """Return a value with its interval: `1.50 (1.40 .. 1.61) us`."""
    if estimate is None:
        return _NOT_MEASURED
    values = [three_digits(estimate[name]) for name in ("value", "low", "high")]
    return f"{values[0]} ({values[1]} .. {values[2]}){f' {unit}' if unit else ''}"


def number_text(value: float | None) -> str:
    """Return a number, or a dash for none."""
    return _NOT_MEASURED if value is None else three_digits(value)


def channels_text(channels: Mapping[str, Any] | None) -> str:
    """Return a number of channels, or how many pairs showed no end of growth."""
    if channels is None:
        return _NOT_MEASURED
    if channels["count"] is None:
        return f">= {channels['max_pairs']}"
    return str(channels["count"])


def is_measured(level: Mapping[str, Any]) -> bool:
    """Return whether more is known of a level than one size of the scan."""
    return level["fit"] is not None and level["fit"]["num_points"] > 1


def _levels(document: Mapping[str, Any]) -> Section:
    probing = document["probing"]
    grid = Grid(
        (
            "level",
            "between",
            "latency us",
            "bandwidth MB/s",
            "channels",
            "of all",
            "duplex",
            "eager",
        ),
        ("latency us", "bandwidth MB/s", "channels", "of all", "duplex", "eager"),
        dispensable=("between", "of all"),
    )
    measured = [level for level in document["levels"] if is_measured(level)]
    for level in measured:
        fit = level["fit"]
        eager = level["eager_bytes"]
        grid.rows.append(
            [
                level["name"],
                level["between"],
                estimate_text(fit["alpha_us"]),
                estimate_text(fit["bandwidth_megabytes_per_s"]),
                channels_text(level["channels"]),
                channels_text(level["shared_channels"]),
                number_text(level["duplex_factor"]),
                _NOT_MEASURED if eager is None else bytes_text(eager),
            ]
        )
    section = Section("What this machine is", [f"machine: {shape_text(probing['machine'])}"])
    if not measured:
        section.lines.append("links were not measured: only who is near to whom")
        return section
    section.grids = [grid]
    section.notes = [_ABOUT_LATENCY, _ABOUT_CHANNELS]
    return section


def _messages(document: Mapping[str, Any]) -> Section:
    grid = Grid(
        ("level", "L us", "o_s us", "o_r us", "g us", "1/G MB/s"),
        ("L us", "o_s us", "o_r us", "g us", "1/G MB/s"),
    )
    for level in document["levels"]:
        found = level["loggp"]
        if found is None or not is_measured(level):
            continue
        per_byte = found["G_us_per_byte"]
        times = [number_text(found[name]) for name in ("L_us", "o_s_us", "o_r_us", "g_us")]
        grid.rows.append([level["name"], *times, number_text(1 / per_byte if per_byte else None)])
    section = Section("What a message costs (LogGP)")
    if grid.rows:
        section.grids = [grid]
        section.notes = [_ABOUT_LOGGP]
    else:
        section.lines = ["not measured"]
    return section


def _groups(document: Mapping[str, Any]) -> Section:
    section = Section("Who is near to whom", list(document["evidence"]))
    for split in document["groups"][:_MOST_SPLITS]:
        verdict = "accepted" if split["accepted"] else "not accepted"
        parts = "; ".join(ranks_text(part) for part in split["parts"])
        section.lines.append(f"{split['level']}: {parts}: {verdict}")
        section.lines += [_test_text(test) for test in split["tests"]]
    others = document["groups"][_MOST_SPLITS:]
    if others:
        accepted = sum(split["accepted"] for split in others)
        largest = max((test["p"] for split in others for test in split["tests"]), default=1.0)
        section.lines.append(
            f"{len(others)} more divisions, {accepted} of them accepted, largest p = {largest:.2g}"
        )
    return section


def _test_text(test: Mapping[str, Any]) -> str:
    inside, across = test["inside"], test["across"]
    return (
        f"part {test['part'] + 1}: {three_digits(inside['mean_us'])} us inside (n {inside['n']}),"
        f" {three_digits(across['mean_us'])} us across (n {across['n']}), p = {test['p']:.2g}"
    )


def _sure(document: Mapping[str, Any]) -> Section:
    probing = document["probing"]
    lines = []
    if not document["complete"]:
        lines.append("partial: the probe ended before all was measured")
    lines.append(
        f"{probing['num_results']} results; each repeated until half its 95 % interval is below 5 %"
        " of its mean, or time was up"
    )
    if probing["seconds"] is not None and probing["budget_seconds"] is not None:
        counts = ", which counts simulated time" if document["is_simulated"] else ""
        lines.append(
            f"took {time_text(probing['seconds'])}; the budget was"
            f" {time_text(probing['budget_seconds'])}{counts}"
        )
    concurrency = probing["concurrency"]
    if concurrency is not None:
        lines.append(_concurrency_text(concurrency))
    return Section("How sure", lines + list(probing["cuts"]))


def _concurrency_text(concurrency: Mapping[str, Any]) -> str:
    consequence = (
        "so pairs were measured one by one"
        if concurrency["disturbed"]
        else "so disjoint pairs were measured together"
    )
    return (
        f"{concurrency['num_pairs']} pairs measured both alone and with others took"
        f" {concurrency['ratio']:.2f} times as long with others, {consequence}"
    )


def _machine(document: Mapping[str, Any]) -> Section:
    hosts = Counter(facts["host"] or "a host without a name" for facts in document["ranks"])
    named = ", ".join(f"{host} ({count})" for host, count in list(hosts.items())[:8])
    more = f" and {len(hosts) - 8} more" if len(hosts) > 8 else ""
    bound = sum(facts["bound"] for facts in document["ranks"])
    probing = document["probing"]
    return Section(
        "On what machine",
        [
            f"{len(hosts)} host(s), ranks in parentheses: {named}{more}",
            f"{bound} of {document['num_ranks']} ranks are bound to some of the processors",
            f"{mpi_text(document)}; espalier {probing['espalier']}; {probing['created']}",
        ],
    )


def _repeat(document: Mapping[str, Any]) -> Section:
    probing = document["probing"]
    named = (
        ("machine", "machine_file"),
        ("round trips", "matrix_file"),
        ("measurements", "samples_file"),
    )
    lines = [f"{what}: {probing[name]}" for what, name in named if probing[name] is not None]
    return Section("How to repeat", lines, command=probing["command"])
