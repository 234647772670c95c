# SPDX-License-Identifier: Apache-2.0
"""What ranks say of their nodes, as the program that asks them writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def tree(num_packages: int, cores_per_package: int) -> dict[str, Any]:
    cores = range(num_packages * cores_per_package)
    return {
        "source": "hwloc",
        "processors": [
            [core, core // cores_per_package, core // cores_per_package, -1, core] for core in cores
        ],
        "num_disallowed": 0,
        "num_core_kinds": 1,
        "milli_cpu_quota": 0,
        "is_container": False,
    }


def header(nodes: Sequence[int], cpus: Sequence[str], **changes: object) -> dict[str, Any]:
    return {
        "is_simulated": False,
        "ranks": [
            {
                "rank": rank,
                "host": f"n{node}",
                "node": node,
                "cpus": cpus[rank],
                "bound": True,
                "online": 4,
                "environment": {},
            }
            for rank, node in enumerate(nodes)
        ],
        **changes,
    }
