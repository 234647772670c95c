# SPDX-License-Identifier: Apache-2.0
"""Emulated clusters as a document."""

from __future__ import annotations

import dataclasses
import datetime
from typing import TYPE_CHECKING, Any

from espalier.errors import EnvironmentFault
from espalier.io.console import document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.clusters.links import LinkCounters
    from espalier.clusters.running import RunningCluster

# The end of the year 9999, after which dates have no text.
_LAST_SECONDS = 253_402_300_799.0


def describe(cluster: RunningCluster) -> dict[str, Any]:
    """Return what a cluster is, what passed its links, and what runs on it."""
    state, shape = cluster.state, cluster.state.shape
    counters = _counters(cluster)
    names = zip(shape.hosts, shape.addresses, counters, strict=True)
    return {
        "name": state.name,
        "status": "running" if cluster.is_ready else "starting",
        "is_kept": cluster.is_kept,
        "since": _time_text(state.since),
        "until": None if cluster.until is None else _time_text(cluster.until),
        "holder": cluster.holder,
        "user": state.user,
        "command": state.command,
        "ranks_per_host": shape.ranks_per_host,
        "rate": shape.rate,
        "mtu_bytes": shape.mtu_bytes,
        "has_cpu_group": bool(state.group),
        "hosts": [
            {"name": name, "address": address, **_link(link)} for name, address, link in names
        ],
        "processes": [
            {"pid": found.pid, "host": found.host, "command": found.command}
            for found in cluster.inhabitants()
        ],
    }


def describe_all(clusters: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the document of several clusters."""
    return document("espalier-cluster", 1, clusters=list(clusters))


def _counters(cluster: RunningCluster) -> list[LinkCounters | None]:
    try:
        return list(cluster.link_counters())
    except EnvironmentFault:
        return [None] * len(cluster.hosts)


def _link(link: LinkCounters | None) -> dict[str, int | None]:
    if link is None:
        return dict.fromkeys(("sent_bytes", "received_bytes", "dropped_packets"))
    return dataclasses.asdict(link)


def _time_text(seconds: float) -> str:
    seconds = min(seconds, _LAST_SECONDS)
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )
