# SPDX-License-Identifier: Apache-2.0
"""`espalier cluster up`, `run`, `status` and `down`."""

import contextlib
from collections.abc import Iterator
from typing import Annotated

import typer

from espalier.base.durations import parse_seconds
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

cluster = typer.Typer()

_DEFAULT_NAME = "default"
_NO_LIMIT = "none"

RanksPerHost = Annotated[
    int, typer.Option("--ranks-per-host", min=1, help="Launchers put this many on each.")
]
Rate = Annotated[
    str,
    typer.Option("--rate", help="Of the link of each host, each way: 100mbit, 1gbit, or none."),
]
Name = Annotated[str | None, typer.Option("--name", help="Which cluster, if there are several.")]


def _describe(num_hosts: int, ranks_per_host: int, rate: str, name: str | None) -> EmulatedCluster:
    limit = None if rate == _NO_LIMIT else rate
    return EmulatedCluster(num_hosts, ranks_per_host, rate=limit, name=name)


def _warn(running: RunningCluster) -> None:
    for text in launchers.warnings():
        say(f"warning: {text}")
    if not running.state.group:
        say(
            "warning: expected to be allowed to make a control group for processors, found none;"
            " times vary with what else this machine does"
        )


@cluster.command(short_help="Start hosts that stay until they are ended")
def up(
    num_hosts: Annotated[int, typer.Option("--hosts", min=1, max=250, help="How many.")] = 4,
    ranks_per_host: RanksPerHost = 4,
    rate: Rate = "100mbit",
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
    lasts = float("inf") if seconds is None else parse_seconds(seconds)
    with _describe(num_hosts, ranks_per_host, rate, name) as starting:
        running = starting.keep(lasts)
    _warn(running)
    document = describe_all([describe(running)])
    if json:
        emit_json(document)
    else:
        print_started(document["clusters"][0])


@contextlib.contextmanager
def _place(
    num_hosts: int | None, ranks_per_host: int, rate: str, name: str | None
) -> Iterator[RunningCluster]:
    """Find the cluster to run a command on, or make one for it."""
    if num_hosts is None:
        yield _find(name)
        return
    if name is not None:
        raise ArgumentError(
            f"expected --name or --hosts, got both --name {name} and --hosts {num_hosts}",
            "--hosts makes a cluster for the command alone",
        )
    with _describe(num_hosts, ranks_per_host, rate, name) as made:
        _warn(made.running)
        yield made.running


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


@cluster.command(short_help="Run a command on the hosts, and count the bytes between them")
def run(  # noqa: PLR0913, PLR0917 - one parameter an option
    command: Annotated[
        list[str],
        typer.Argument(metavar="-- COMMAND", help="-- mpirun -n 8 ./program, or anything else."),
    ],
    name: Name = None,
    num_hosts: Annotated[
        int | None,
        typer.Option("--hosts", min=1, max=250, help="Make a cluster, only for this command."),
    ] = None,
    ranks_per_host: RanksPerHost = 4,
    rate: Rate = "100mbit",
    host: Annotated[str, typer.Option("--host", help="Where the command itself runs.")] = "node0",
    placement: Annotated[
        str,
        typer.Option("--placement", help="Of ranks: block, or cyclic (to the hosts in turn)."),
    ] = "block",
    mpi: Annotated[
        str | None,
        typer.Option("--mpi", help="What mpirun and mpiexec are: openmpi or mpich."),
    ] = None,
    json: Json = False,
) -> None:
    """Run a command on a host of an emulated cluster.

    Launchers of Open MPI and MPICH find the hosts by themselves, also inside of scripts and of
    other verbs: -- espalier tune -- mpirun -n 8. Input, output, signals and the exit code are the
    command's own; what it sent between hosts is said on standard error.
    """
    check_caller()
    with _place(num_hosts, ranks_per_host, rate, name) as running:
        document = run_errand(running, Errand(command, host, placement, mpi))
    # Standard output belongs to the command.
    say(json_text(document).rstrip() if json else f"espalier: {run_summary(document)}")
    raise typer.Exit(document["exit_code"])


@cluster.command(short_help="Say which clusters there are, and what runs on them")
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


@cluster.command(short_help="End hosts and everything that runs on them")
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
        ended.append(describe(running))
        running.end()
    leftovers.remove_all()
    if json:
        emit_json(describe_all(ended))
    else:
        print_ended(ended)
