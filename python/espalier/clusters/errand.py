# SPDX-License-Identifier: Apache-2.0
"""Running a user's command on an emulated cluster, and counting what it sent between hosts."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.clusters import inhabitants
from espalier.clusters.survivor import calls_if_killed
from espalier.errors import EnvironmentFault
from espalier.io.console import document
from espalier.launch import processes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.clusters.running import RunningCluster

# Of everything that a command started, also on other hosts and in the background.
_MARK = "ESPALIER_CLUSTER_ERRAND"
_SECONDS_TO_END = 2.0


@dataclass(frozen=True)
class Errand:
    """A command, the host it runs on, where launchers put ranks, and whose launchers they are."""

    command: Sequence[str]
    host: str = "node0"
    placement: str = "block"
    vendor: str | None = None


def run(cluster: RunningCluster, errand: Errand) -> dict[str, Any]:
    """Run a command with our input and output; return what happened, as a document.

    Unless it succeeds nothing of it stays; what a successful command left on purpose does.

    Raises:
        EnvironmentFault: the cluster ended meanwhile.
    """
    mark = uuid.uuid4().hex
    words = cluster.words(
        errand.command,
        errand.host,
        placement=errand.placement,
        vendor=errand.vendor,
        variables={_MARK: mark},
    )
    before = cluster.link_counters()
    has_succeeded = False
    with calls_if_killed(lambda: _end_marked(cluster, mark)):
        try:
            ended = processes.run(words, processes.Streams(stdin=None))
            has_succeeded = ended.exit_code == 0
        finally:
            if not has_succeeded:
                _end_marked(cluster, mark)
    if not cluster.is_alive:
        raise EnvironmentFault(
            f"expected cluster '{cluster.state.name}' to last as long as the command, it has ended",
            "give it more time with --for, or none",
        )
    passed = [now - old for now, old in zip(cluster.link_counters(), before, strict=True)]
    return document(
        "espalier-cluster-run",
        1,
        cluster=cluster.state.name,
        command=shlex.join(errand.command),
        host=errand.host,
        placement=errand.placement,
        exit_code=ended.exit_code,
        seconds=ended.seconds,
        sent_bytes=sum(link.sent_bytes for link in passed),
        hosts=[
            {
                "name": host,
                "sent_bytes": link.sent_bytes,
                "received_bytes": link.received_bytes,
                "dropped_packets": link.dropped_packets,
            }
            for host, link in zip(cluster.hosts, passed, strict=True)
        ],
    )


def _end_marked(cluster: RunningCluster, mark: str) -> None:
    """End what a command left running, which includes daemons that hide from their parents."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _SECONDS_TO_END
        for pid in (left := _marked(cluster, mark)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        while left and time.monotonic() < deadline:
            time.sleep(0.02)
            left = _marked(cluster, mark)


def _marked(cluster: RunningCluster, mark: str) -> list[int]:
    space = inhabitants.process_space(cluster.holder)
    return inhabitants.with_variable(inhabitants.members(space), _MARK, mark) if space else []
