# SPDX-License-Identifier: Apache-2.0
"""Which emulated clusters there are on this host."""

from __future__ import annotations

import time

from espalier.clusters import leftovers
from espalier.clusters.running import RunningCluster
from espalier.clusters.state import State
from espalier.errors import ArgumentError


def clusters() -> list[RunningCluster]:
    """Return the clusters that are alive, the oldest first."""
    found = []
    for folder in leftovers.folders():
        holder, state = leftovers.holder_of(folder), State.read(folder)
        if holder is not None and state is not None:
            found.append(RunningCluster(folder, holder, state))
    return found


def named(name: str) -> RunningCluster | None:
    """Return the cluster with a name, None if there is none."""
    return next((cluster for cluster in clusters() if cluster.state.name == name), None)


def only() -> RunningCluster | None:
    """Return the cluster that is kept, None if there is none.

    Raises:
        ArgumentError: there are several.
    """
    kept = [cluster for cluster in clusters() if cluster.is_kept]
    if len(kept) > 1:
        names = ", ".join(cluster.state.name for cluster in kept)
        raise ArgumentError("expected one cluster, got several without --name", f"up are {names}")
    return kept[0] if kept else None


def check_free(name: str) -> None:
    """Raise ArgumentError if a cluster has this name; needs the lock."""
    taken = named(name)
    if taken is not None:
        since = time.strftime("%H:%M", time.localtime(taken.state.since))
        raise ArgumentError(
            f"expected a name that is free, got '{name}' of {len(taken.hosts)} hosts up since "
            f"{since}",
            f"choose another with --name, or end it: espalier cluster down --name {name}",
        )
