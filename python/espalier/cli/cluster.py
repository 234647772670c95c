# SPDX-License-Identifier: Apache-2.0
"""`espalier cluster up`, `run`, `status` and `down`."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from espalier.base.durations import parse_seconds
from espalier.cli.commands import Family
from espalier.cli.options import Json
from espalier.clusters import EmulatedCluster, launchers, leftovers, registry
from espalier.clusters.description import describe, describe_all
from espalier.clusters.errand import Errand
from espalier.clusters.errand import run as run_errand
from espalier.clusters.permission import check_caller
from espalier.clusters.running import RunningCluster
from espalier.errors import ArgumentError
from espalier.io.console import emit_json, json_text, say
from espalier.report.cluster import print_ended, print_started, print_status, run_summary

cluster = Family()

_DEFAULT_NAME = "default"
_NO_LIMIT = "none"
_USUAL_RANKS = 4
_USUAL_RATE = "100mbit"
_MOST_SECONDS = 365 * 24 * 3600.0

Name = Annotated[str | None, typer.Option("--name", help="Which cluster, if there are several.")]


@dataclass(frozen=True)
class Hosts:
    """What the hosts of a cluster are like."""

    ranks_per_host: Annotated[
        int | None,
        typer.Option(
            "--ranks-per-host",
            min=1,
            help="Launchers put this many on each.",
            show_default=str(_USUAL_RANKS),
        ),
    ] = None
    rate: Annotated[
        str | None,
        typer.Option(
            "--rate",
            help="Of the link of each host, each way: 100mbit, 1gbit, or none.",
            show_default=_USUAL_RATE,
        ),
    ] = None

    def cluster(self, num_hosts: int, name: str | None) -> EmulatedCluster:
        """Return so many of them, not started yet."""
        rate = self.rate or _USUAL_RATE
        limit = None if rate == _NO_LIMIT else rate
        ranks = self.ranks_per_host or _USUAL_RANKS
        return EmulatedCluster(num_hosts, ranks, rate=limit, name=name)

    def check_unused(self) -> None:
        """Raise ArgumentError if something was said of hosts that are not made."""
        given = {"--ranks-per-host": self.ranks_per_host, "--rate": self.rate}
        for option, value in given.items():
            if value is not None:
                raise ArgumentError(
                    f"expected --hosts with {option} {value}, got none: a cluster that is up keeps"
                    " what it was started with",
                    "say how many hosts to make, or give the option to 'espalier cluster up'",
                )


def _warn(running: RunningCluster) -> None:
    for text in launchers.warnings():
        say(f"warning: {text}")
    if not running.state.group:
        say(
            "warning: expected to be allowed to make a control group for processors, found none;"
            " times vary with what else this machine does"
        )


def _seconds_to_last(text: str | None) -> float:
    if text is None:
        return float("inf")
    seconds = parse_seconds(text)
    if seconds > _MOST_SECONDS:
        raise ArgumentError(
            f"expected --for of at most a year ({_MOST_SECONDS / 3600:g}h), got '{text}'",
            "without --for a cluster stays until it is ended",
        )
    return seconds


def up(
    hosts: Hosts,
    num_hosts: Annotated[int, typer.Option("--hosts", min=1, max=250, help="How many.")] = 4,
    name: Annotated[str, typer.Option("--name", help="To tell it from others.")] = _DEFAULT_NAME,
    seconds: Annotated[
        str | None, typer.Option("--for", metavar="TIME", help="End it after this: 90s, 2h.")
    ] = None,
    json: Json = False,
) -> None:
    """Start an emulated cluster on this machine: hosts node0, node1, ... with slow, shared links.

    Real MPI libraries take them for hosts. Needs root on Linux. Nothing is seen outside of the
    cluster, and nothing of it stays when its time is over, it is ended, or its holder is killed.
    """
    lasts = _seconds_to_last(seconds)
    with hosts.cluster(num_hosts, name) as starting:
        running = starting.keep(lasts)
    _warn(running)
    document = describe_all([describe(running)])
    if json:
        emit_json(document)
    else:
        print_started(document["clusters"][0])


@dataclass(frozen=True)
class Which:
    """The cluster for a command: one that is up, or one that is made for it."""

    name: Name = None
    num_hosts: Annotated[
        int | None,
        typer.Option("--hosts", min=1, max=250, help="Make a cluster, only for this command."),
    ] = None

    @contextlib.contextmanager
    def running(self, hosts: Hosts) -> Iterator[RunningCluster]:
        """Find the cluster, or make it of such hosts."""
        if self.num_hosts is None:
            hosts.check_unused()
            yield _find(self.name)
            return
        if self.name is not None:
            raise ArgumentError(
                f"expected --name or --hosts, got both --name {self.name} and --hosts"
                f" {self.num_hosts}",
                "--hosts makes a cluster for the command alone",
            )
        with hosts.cluster(self.num_hosts, None) as made:
            _warn(made.running)
            yield made.running


@dataclass(frozen=True)
class Start:
    """The command, where it runs and where its ranks go."""

    command: Annotated[
        list[str],
        typer.Argument(metavar="-- COMMAND", help="-- mpirun -n 8 ./program, or anything else."),
    ]
    host: Annotated[str, typer.Option("--host", help="Where the command itself runs.")] = "node0"
    placement: Annotated[
        str,
        typer.Option("--placement", help="Of ranks: block, or cyclic (to the hosts in turn)."),
    ] = "block"
    mpi: Annotated[
        str | None,
        typer.Option("--mpi", help="What mpirun and mpiexec are: openmpi or mpich."),
    ] = None


def _find(name: str | None) -> RunningCluster:
    leftovers.remove_all()
    found = registry.only() if name is None else registry.named(name)
    if found is None:
        which = "a cluster" if name is None else f"a cluster '{name}'"
        raise ArgumentError(
            f"expected {which} that is up, found none",
            "start one with 'espalier cluster up', or give --hosts 4 for one that ends with the"
            " command",
        )
    return found


def run(start: Start, which: Which, hosts: Hosts, json: Json = False) -> None:
    """Run a command on a host of an emulated cluster.

    Launchers of Open MPI and MPICH find the hosts by themselves, also inside of scripts and of
    other verbs: -- espalier tune -- mpirun -n 8. Input, output, signals and the exit code are the
    command's own; what it sent between hosts is said on standard error.
    """
    check_caller()
    errand = Errand(start.command, start.host, start.placement, start.mpi)
    with which.running(hosts) as running:
        document = run_errand(running, errand)
    # Standard output belongs to the command.
    say(json_text(document).rstrip() if json else f"espalier: {run_summary(document)}")
    raise typer.Exit(document["exit_code"])


def status(json: Json = False) -> None:
    """Say which emulated clusters there are: hosts, links, bytes, who holds them, what runs."""
    check_caller()
    leftovers.remove_all()
    document = describe_all([describe(found) for found in registry.clusters()])
    if json:
        emit_json(document)
    else:
        print_status(document["clusters"])


def _to_end(name: str | None, *, everything: bool) -> list[RunningCluster]:
    if name is not None and everything:
        raise ArgumentError(f"expected --name or --all, got both --name {name} and --all")
    if name is not None:
        found = registry.named(name)
        return [] if found is None else [found]
    if everything:
        return [found for found in registry.clusters() if found.is_kept]
    only = registry.only()
    return [] if only is None else [only]


def down(
    name: Name = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All clusters, except those of commands that run.")
    ] = False,
    json: Json = False,
) -> None:
    """End an emulated cluster and everything that runs on it, and wait until both are gone."""
    check_caller()
    ended = []
    for running in _to_end(name, everything=everything):
        try:
            ended.append(describe(running))
        finally:
            running.end()
    leftovers.remove_all()
    if json:
        emit_json(describe_all(ended))
    else:
        print_ended(ended)


cluster.add(up, "up", "Start hosts that stay until they are ended")
cluster.add(run, "run", "Run a command on the hosts, and count the bytes between them")
cluster.add(status, "status", "Say which clusters there are, and what runs on them")
cluster.add(down, "down", "End hosts and everything that runs on them")
