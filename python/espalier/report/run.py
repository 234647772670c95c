# SPDX-License-Identifier: Apache-2.0
"""The few lines that `espalier run --summary` prints after the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text, time_text
from espalier.launch.runs import has_calls_at_once, seconds_in_calls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from espalier.launch.traffic import Traffic

_MOST_LINES = 6


def run_summary(explained: Mapping[str, Any]) -> str:
    """Return what ran, the costliest classes of calls first."""
    calls = explained["calls"]
    ranks = max(1, explained["num_files"])
    replaced = sum(call["count"] for call in calls if not call["native"])
    total = sum(call["count"] for call in calls)
    head = (
        f"espalier: {ranks} ranks, {time_text(explained['seconds'])} between MPI_Init and"
        f" MPI_Finalize, {_inside(explained, total)}; {replaced} were not left to the MPI library"
    )
    lines = [_line(call, ranks) for call in calls[:_MOST_LINES]]
    left = len(calls) - len(lines)
    lines += [f"... and {left} classes of calls that took less"] if left > 0 else []
    lines += [mapping_line(mapping) for mapping in explained["mappings"]]
    lines += [f"warning: {text}" for text in explained["warnings"]]
    return "\n".join([head, *(f"  {line}" for line in lines)])


def _inside(explained: Mapping[str, Any], total: int) -> str:
    """Return how long a rank was in its calls."""
    inside = time_text(seconds_in_calls(explained))
    if has_calls_at_once(explained):
        return f"{inside} a rank in {total} calls in several threads at once"
    return f"{inside} of it a rank in {total} calls"


def traffic_summary(traffic: Traffic) -> str:
    """Return what goes between nodes, and what to do with it."""
    between = traffic.bytes_between(traffic.node_of_rank)
    return (
        f"espalier: {traffic.num_messages} messages of {bytes_text(sum(traffic.sent.values()))}"
        f" between {traffic.num_ranks} ranks, {bytes_text(between)} of it between"
        f" {len(traffic.nodes)} nodes; 'espalier map --traffic {traffic.origin}' looks for a"
        " better placement"
    )


def mapping_line(mapping: Mapping[str, Any]) -> str:
    """Return what became of a topology: `2 x MPI_Cart_create 8x6 on 4 nodes: ...`."""
    times = f"{mapping['count']} x " if mapping["count"] > 1 else ""
    return f"{times}{mapping['function']} {mapping['report']}"


def _line(call: Mapping[str, Any], ranks: int) -> str:
    size = bytes_text(call["bytes"] // max(1, call["count"]))
    manner = f" ({call['manner']})" if call.get("manner") else ""
    return (
        f"{call['function']} of about {size} on {call['num_ranks']} ranks{manner}:"
        f" {call['count'] // max(1, call['reporting_ranks'])} calls,"
        f" {time_text(call['seconds'] / ranks)}, {call['algorithm']} ({call['reason']})"
    )
