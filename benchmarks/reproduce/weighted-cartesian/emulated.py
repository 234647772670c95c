#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""Time halo exchanges of a real MPI on an emulated cluster, and count bytes on its links.

Usage: emulated.py [--mpi openmpi] [--hosts 4] [--rate 100mbit] [--factor 64] [--grid "1 2 4"].
Needs root, iproute2, espalier-halo-<mpi>, and the package on the path. Methods 1, 2, 3 take turns
in one job for the times; for the bytes each has a job of its own, with as many exchanges.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.clusters import EmulatedCluster
from espalier.halo import measurement, outcome
from espalier.halo.measurement import Input
from espalier.launch.command import parse_command
from espalier.report.halo import dims_text

if TYPE_CHECKING:
    from collections.abc import Sequence

RANKS_PER_HOST = 4
METHODS = (1, 2, 3)
# Exchanges of a job that counts bytes: two that are checked, three untimed, one more, and these.
COUNTED = 10
UNCOUNTED = 6


def input_of(methods: Sequence[int], options: argparse.Namespace, repetitions: str) -> Input:
    """Return an input of one size."""
    lines = [f"factors {options.factor}", f"repetitions {repetitions}", "seconds 60"]
    lines += [f"method {method} grid {options.grid}" for method in methods]
    text = "\n".join(lines) + "\n"
    return Input("emulated", text, _core.halo_input(text, "emulated"))


def run(cluster: EmulatedCluster, given: Input, mpi: str) -> dict[str, Any]:
    """Run an input on the cluster and return the document."""
    command = parse_command(cluster.launcher_words(mpi))
    measured = measurement.measure(command, mpi, given)
    if measured.cause is not None:
        raise measured.cause
    return outcome.conclude(
        given, {"kind": "measured", "text": "emulated"}, measured, "emulated.py"
    )


def megabytes_sent(cluster: EmulatedCluster, given: Input, mpi: str) -> list[float]:
    """Return what each host sent during an exchange, in 10^6 bytes."""
    before = cluster.link_counters()
    run(cluster, given, mpi)
    after = cluster.link_counters()
    exchanges = COUNTED + UNCOUNTED
    return [
        (new.sent_bytes - old.sent_bytes) / exchanges / 1e6
        for new, old in zip(after, before, strict=True)
    ]


def main() -> None:
    """Parse the command line, run, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", default="openmpi", choices=("openmpi", "mpich"))
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--rate", default="100mbit")
    parser.add_argument("--factor", type=int, default=64)
    parser.add_argument("--grid", default="1 2 4")
    options = parser.parse_args()
    with EmulatedCluster(options.hosts, RANKS_PER_HOST, rate=options.rate) as cluster:
        group = run(cluster, input_of(METHODS, options, "20 40"), options.mpi)["groups"][0]
        fixed = f"{COUNTED} {COUNTED}"
        sent = [
            megabytes_sent(cluster, input_of([method], options, fixed), options.mpi)
            for method in METHODS
        ]
    print("| method | processes | leave a node, worst | MB sent, worst host | ms | part |")
    print("|---|---|---|---|---|---|")
    for case, made, megabytes in zip(group["sizes"][0]["cases"], group["cases"], sent, strict=True):
        print(
            f"| {made['method']} | {dims_text(made['dims'], made['levels']['dims_ml'])}"
            f" | {made['cut']['total']}, {made['cut']['worst']}"
            f" | {sum(megabytes):.2f}, {max(megabytes):.2f} | {case['median_us'] / 1000:.1f}"
            f" | {100 * case['relative']:.0f} % ({100 * case['relative_low']:.0f} .."
            f" {100 * case['relative_high']:.0f}) |"
        )


if __name__ == "__main__":
    main()
