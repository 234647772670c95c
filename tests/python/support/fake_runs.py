# SPDX-License-Identifier: Apache-2.0
"""Runs of a program of four ranks, as `espalier explain` tells them."""

from __future__ import annotations


def row(  # noqa: PLR0913 - a row has them
    function,
    seconds,
    *,
    num_bytes=1000,
    num_ranks=4,
    count=100,
    reason="forced",
    ranks="0-3",
    num_nodes=2,
):
    """Return a class of calls of four ranks; `seconds` is the time of each of them."""
    size_class = num_bytes.bit_length()
    return {
        "function": f"MPI_{function}",
        "num_ranks": num_ranks,
        "min_bytes": 0 if size_class == 0 else 1 << (size_class - 1),
        "max_bytes": (1 << size_class) - 1,
        "algorithm": "native",
        "reason": reason,
        "count": 4 * count,
        "bytes": 4 * count * num_bytes,
        "seconds": 4 * seconds,
        "communicators": [
            {
                "num_nodes": num_nodes,
                "ranks": ranks,
                "count": 4 * count,
                "bytes": 4 * count * num_bytes,
                "seconds": 4 * seconds,
            }
        ],
    }


def run(*rows, seconds=10.0):
    return {"num_ranks": 4, "num_files": 4, "seconds": seconds, "calls": list(rows)}
