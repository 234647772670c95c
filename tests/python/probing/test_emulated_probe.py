# SPDX-License-Identifier: Apache-2.0
"""`espalier probe` finds the nodes and the rate of emulated hosts.

A rate is right only where nothing else wants the processors, so these tests run alone. What runs on
other virtual machines of the same host cannot be kept away; it only makes messages slower.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from probe_command import probe, runs, vendor_or_skip

from espalier.clusters import EmulatedCluster, emulated

if TYPE_CHECKING:
    from pathlib import Path

    from probe_command import Found

OBSTACLE = emulated.obstacle()
BYTES_PER_S = 12.5e6
MOST_PROBES = 3

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.slow,
    pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE),
]


def probe_undisturbed(vendor: str, folder: Path) -> Found:
    """Return the first probe that is not clearly slower than the links, or else the last one."""
    with EmulatedCluster(3, 2, rate="100mbit") as cluster:
        for _ in range(MOST_PROBES):
            found = probe(cluster.launcher_words(vendor), folder, "15s")
            if found.link("node")["bandwidth_bytes_per_s"] >= 0.9 * BYTES_PER_S:
                break
    return found


@pytest.mark.parametrize("vendor", ["openmpi", "mpich"])
def test_an_emulated_cluster(vendor: str, tmp_path: Path) -> None:
    vendor_or_skip(vendor)
    found = probe_undisturbed(vendor, tmp_path)
    assert found.groups(0) == runs(2, 2, 2)
    assert found.machine["object_names"]["node"] == ["node0", "node1", "node2"]
    link = found.link("node")
    assert link["bandwidth_bytes_per_s"] == pytest.approx(BYTES_PER_S, rel=0.1)
    assert link["channels"] == 1
    if vendor == "mpich":
        # Open MPI answers the announcement of a long message behind what it is sending itself, so
        # both directions together take nearly as long as one after the other.
        assert link["full_duplex"]
