# SPDX-License-Identifier: Apache-2.0
"""The tables of `espalier probe --tables`, in the form of [karlsson2012]: 3.1 to 3.14."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text, three_digits
from espalier.report.content import Grid, Report, Section
from espalier.report.probe import channels_text, estimate_text, is_measured, number_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_MOST_RANKS = 32
_RANKS_ABREAST = 8
_CONFIGURATIONS = {
    "across": "all from one to another",
    "disjoint": "each in one pair",
    "halves": "between the halves of a node",
}


def tables_report(document: Mapping[str, Any]) -> Report:
    """Return all times of an `espalier-probe` document."""
    levels = [level for level in document["levels"] if is_measured(level)]
    sections = [
        *(_latencies(level) for level in levels if level["latency_table"]),
        _matrix(document),
        _fits(levels),
        *(section for level in levels for section in _multi(level)),
        _summary(levels),
        *(section for level in levels for section in _groups(level)),
    ]
    return Report(
        "Tables; times are medians or means in us, MB = 10^6 bytes",
        [section for section in sections if any(grid.rows for grid in section.grids)],
    )


def _latencies(level: Mapping[str, Any]) -> Section:
    grid = Grid(
        ("size", "RTT us", "interval us", "MB/s"), ("size", "RTT us", "interval us", "MB/s")
    )
    for row in level["latency_table"]:
        grid.rows.append(
            [
                bytes_text(row["bytes"]),
                three_digits(row["rtt_us"]),
                f"{three_digits(row['low_us'])} .. {three_digits(row['high_us'])}",
                number_text(row["megabytes_per_s"]),
            ]
        )
    title = f"3.1, 3.2: round trips of one pair, {level['between']}"
    return Section(title, grids=[grid], notes=["MB/s: 2 x size / RTT"])


def _matrix(document: Mapping[str, Any]) -> Section:
    rows = document["matrix"]["rtt_us"][:_MOST_RANKS]
    starts = range(0, len(rows), _RANKS_ABREAST)
    grids = [_block(rows, range(start, min(start + _RANKS_ABREAST, len(rows)))) for start in starts]
    size = document["matrix"]["bytes"]
    of_size = "" if size is None else f" of {bytes_text(size)}"
    section = Section(f"3.3: round trips{of_size} between all ranks, us", grids=grids)
    left = document["num_ranks"] - len(rows)
    if left > 0:
        section.notes = [f"{left} more ranks are in the file that --matrix writes"]
    return section


def _block(rows: Sequence[Sequence[float | None]], columns: range) -> Grid:
    names = ("from \\ to", *map(str, columns))
    grid = Grid(names, names)
    for rank, row in enumerate(rows):
        grid.rows.append([str(rank), *(_cell(rank, other, row[other]) for other in columns)])
    return grid


def _cell(rank: int, other: int, time: float | None) -> str:
    if rank == other:
        return "0"
    return "." if time is None else three_digits(time)


def _fits(levels: Iterable[Mapping[str, Any]]) -> Section:
    grid = Grid(
        ("level", "alpha us", "A: 1/beta MB/s", "B: 1/beta MB/s", "residual"),
        ("alpha us", "A: 1/beta MB/s", "B: 1/beta MB/s", "residual"),
    )
    for level in levels:
        fit = level["fit"]
        residual = fit["residual"]
        grid.rows.append(
            [
                level["name"],
                estimate_text(fit["alpha_us"]),
                estimate_text(fit["method_a"]),
                estimate_text(fit["method_b"]),
                "-" if residual is None else f"{100 * residual:.2g} %",
            ]
        )
    notes = ["A: slope of the round trips of large messages; B: messages back to back"]
    return Section("3.4: fits of single pairs", grids=[grid], notes=notes)


def _is_of_groups(row: Mapping[str, Any]) -> bool:
    configuration = str(row["label"]).partition("/")[2]
    return configuration.startswith(("disjoint ", "everywhere"))


def _multi(level: Mapping[str, Any]) -> list[Section]:
    """Return the tables of growing numbers of pairs, one for each configuration and size."""
    sections = []
    kinds = (("round trips", "multi_latency"), ("back to back", "multi_bandwidth"))
    for what, name in kinds:
        for (label, size, messages), rows in _by_kind(level[name]).items():
            if len(rows) < 2 or _is_of_groups(rows[0]):
                continue
            of = f"{messages} messages" if messages > 1 else "messages"
            how = _configuration(label, level["between"])
            title = f"3.5 - 3.10: {what}, {of} of {bytes_text(size)}, {how}"
            sections.append(Section(title, grids=[_multi_grid(rows)]))
    return sections


def _configuration(label: str, between: str) -> str:
    name = label.partition("/")[2]
    if name == "halves":
        return _CONFIGURATIONS[name]
    return f"{between}, {_CONFIGURATIONS.get(name, name)}"


def _by_kind(
    rows: Iterable[Mapping[str, Any]],
) -> dict[tuple[str, int, int], list[Mapping[str, Any]]]:
    found: dict[tuple[str, int, int], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["label"], row["bytes"], row["messages"]), []).append(row)
    return {
        kind: sorted(group, key=lambda row: row["pairs"]) for kind, group in sorted(found.items())
    }


def _multi_grid(rows: Sequence[Mapping[str, Any]]) -> Grid:
    columns = ("pairs", "RTT us", "slowest us", "total MB/s", "messages/s")
    grid = Grid(columns, columns)
    for row in rows:
        grid.rows.append(
            [
                str(row["pairs"]),
                three_digits(row["rtt_us"]),
                three_digits(row["slowest_us"]),
                three_digits(1e-6 * row["total_bytes_per_s"]),
                three_digits(row["message_rate"]),
            ]
        )
    return grid


def _summary(levels: Iterable[Mapping[str, Any]]) -> Section:
    grid = Grid(
        ("level", "alpha us", "1/beta MB/s", "largest total MB/s", "channels", "of all", "duplex"),
        ("alpha us", "1/beta MB/s", "largest total MB/s", "channels", "of all", "duplex"),
        dispensable=("of all",),
    )
    for level in levels:
        totals = [1e-6 * row["total_bytes_per_s"] for row in level["multi_bandwidth"]]
        grid.rows.append(
            [
                level["name"],
                estimate_text(level["fit"]["alpha_us"]),
                estimate_text(level["fit"]["bandwidth_megabytes_per_s"]),
                number_text(max(totals, default=None)),
                channels_text(level["channels"]),
                channels_text(level["shared_channels"]),
                number_text(level["duplex_factor"]),
            ]
        )
    return Section("3.11: summary", grids=[grid])


def _groups(level: Mapping[str, Any]) -> list[Section]:
    """Return the pairs inside groups of a node, side by side, and across them."""
    inside = [
        row
        for row in level["multi_latency"]
        if _is_of_groups(row) or row["label"].endswith("/disjoint")
    ]
    if not any(_is_of_groups(row) for row in inside):
        return []
    size = max(row["bytes"] for row in inside if _is_of_groups(row))
    rows = [row for row in inside if row["bytes"] == size]
    labels = list(dict.fromkeys(row["label"] for row in rows))
    counts = sorted({_pairs_of_group(row, rows) for row in rows})
    names = [label.partition("/")[2] for label in labels]
    grid = Grid(("pairs", *names), ("pairs", *names))
    for count in counts:
        times = [
            next((row["rtt_us"] for row in rows if _is(row, label, count, rows)), None)
            for label in labels
        ]
        grid.rows.append([str(count), *(number_text(time) for time in times)])
    title = f"3.12 - 3.14: round trips of {bytes_text(size)} inside groups, {level['between']}, us"
    notes = ["one group at a time, and everywhere: so many pairs in each group at the same time"]
    return [Section(title, grids=[grid], notes=notes)]


def _is(row: Mapping[str, Any], label: str, count: int, rows: Sequence[Mapping[str, Any]]) -> bool:
    return str(row["label"]) == label and _pairs_of_group(row, rows) == count


def _pairs_of_group(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> int:
    """Return the pairs in one group; of a set of all groups the smallest has one in each."""
    if not row["label"].endswith("/everywhere"):
        return int(row["pairs"])
    fewest = min(other["pairs"] for other in rows if other["label"] == row["label"])
    return int(row["pairs"]) // int(fewest)
