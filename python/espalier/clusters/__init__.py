# SPDX-License-Identifier: Apache-2.0
"""Clusters to try things on without having one: simulated by SimGrid, or emulated on this host."""

from __future__ import annotations

from espalier.clusters.emulated import EmulatedCluster
from espalier.clusters.simulated import SimulatedCluster

__all__ = ["EmulatedCluster", "SimulatedCluster"]
