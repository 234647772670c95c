# SPDX-License-Identifier: Apache-2.0
"""A machine file from what was found: levels with their links, and where ranks are.

A link's latency and overheads add up to alpha, so that Hockney's model of the machine is the fit;
measured overheads that exceed alpha are scaled down.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from espalier.probing.scan import Scan

_FULL_DUPLEX = 1.5


def machine(scan: Scan, levels: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an `espalier-machine` document of levels that are already analysed."""
    order = core_order(scan)
    document: dict[str, Any] = {
        "schema": "espalier-machine",
        "version": 1,
        "levels": [
            {"name": level["name"], "counts": counts(scan, number), "link": link(level)}
            for number, level in enumerate(levels)
        ],
        "torus": None,
        "origin": {
            "found": " ".join(f"{sentence}." for sentence in scan.evidence),
            "mpi": f"{scan.header.vendor} {scan.header.version}",
            "is_simulated": scan.header.is_simulated,
            "warnings": [caution.text for caution in scan.cautions],
        },
    }
    cores = [0] * scan.num_ranks
    for core, rank in enumerate(order):
        cores[rank] = core
    document["core_of_rank"] = cores
    if scan.header.cores:
        document["cores"] = {name: _four_digits(rate) for name, rate in scan.header.cores.items()}
    names = _node_names(scan, order)
    if names:
        document["object_names"] = {"node": names}
    return document


def core_order(scan: Scan) -> list[int]:
    """Return the ranks so that those of one object follow each other, at all levels."""
    return sorted(
        range(scan.num_ranks),
        key=lambda rank: tuple(level.object_of_rank[rank] for level in scan.levels),
    )


def counts(scan: Scan, number: int) -> list[int]:
    """Return how many objects each object of the level above has; one number if all have."""
    order = core_order(scan)
    own = scan.levels[number].object_of_rank
    above = scan.levels[number - 1].object_of_rank if number else (0,) * scan.num_ranks
    parts = Counter(above[rank] for rank in {own[rank]: rank for rank in reversed(order)}.values())
    found = [parts[parent] for parent in dict.fromkeys(above[rank] for rank in order)]
    return found[:1] if len(set(found)) == 1 else found


def _node_names(scan: Scan, order: list[int]) -> list[str]:
    """Return the host of each node, none unless all have one of their own."""
    nodes = scan.level("node").object_of_rank
    hosts = {nodes[rank]: scan.header.ranks[rank].host for rank in order}
    names = list(hosts.values())
    return names if all(names) and len(set(names)) == len(names) else []


def link(level: Mapping[str, Any]) -> dict[str, Any]:
    """Return the link of an analysed level; what was not measured costs and limits nothing."""
    loggp = level["loggp"] or {}
    alpha = ((level["fit"] or {}).get("alpha_us") or {}).get("value", 0.0)
    bandwidth = ((level["fit"] or {}).get("bandwidth_megabytes_per_s") or {}).get("value")
    send, receive = loggp.get("o_s_us") or 0.0, loggp.get("o_r_us") or 0.0
    scale = min(1.0, alpha / (send + receive)) if send + receive > 0 else 1.0
    duplex = level["duplex_factor"]
    return {
        "latency_us": _four_digits(max(0.0, alpha - scale * (send + receive))),
        "overhead_send_us": _four_digits(scale * send),
        "overhead_receive_us": _four_digits(scale * receive),
        "gap_us": _four_digits(loggp.get("g_us") or 0.0),
        "bandwidth_bytes_per_s": _four_digits(1e6 * bandwidth) if bandwidth else None,
        "channels": (level["channels"] or {}).get("count"),
        "shared_channels": (level["shared_channels"] or {}).get("count"),
        "full_duplex": duplex is None or duplex >= _FULL_DUPLEX,
        "eager_bytes": level["eager_bytes"],
        "rendezvous_latency_us": _four_digits(level["rendezvous_latency_us"] or 0.0),
    }


def _four_digits(value: float) -> float:
    """Return what can be read in a machine's text; nothing measured is surer."""
    return float(f"{value:.4g}")
