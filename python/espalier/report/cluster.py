# SPDX-License-Identifier: Apache-2.0
"""What `espalier cluster` prints."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text, time_text
from espalier.io.console import make_console, make_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.table import Table

_MOST_COMMANDS = 3


def print_started(cluster: Mapping[str, Any]) -> None:
    """Say that a cluster is up, and what can be done with it."""
    console = make_console()
    name = "" if cluster["name"] == "default" else f" --name {cluster['name']}"
    num_ranks = cluster["ranks_per_host"] * len(cluster["hosts"])
    console.print(f"cluster '{cluster['name']}' is up: {_shape(cluster)}", soft_wrap=True)
    console.print(f"  use   espalier cluster run{name} -- mpirun -n {num_ranks} ./program")
    console.print("  look  espalier cluster status")
    end = "" if cluster["until"] is None else f"   (by itself at {cluster['until']})"
    console.print(f"  end   espalier cluster down{name}{end}", soft_wrap=True)


def print_status(clusters: list[dict[str, Any]]) -> None:
    """Print all clusters: what they are, what passed their links, what runs on them."""
    console = make_console()
    if not clusters:
        console.print("no cluster is up; start one: espalier cluster up --hosts 4")
    for cluster in clusters:
        console.print(
            f"cluster '{cluster['name']}' ({cluster['status']}): {_shape(cluster)}", soft_wrap=True
        )
        for line in _origin(cluster):
            console.print(f"  {line}", soft_wrap=True)
        console.print(_hosts(cluster))


def print_ended(clusters: list[dict[str, Any]]) -> None:
    """Say what was ended."""
    console = make_console()
    if not clusters:
        console.print("no such cluster is up, nothing to end")
    for cluster in clusters:
        console.print(f"ended cluster '{cluster['name']}': {_shape(cluster)}", soft_wrap=True)
        for process in cluster["processes"]:
            console.print(
                f"  ended process {process['pid']} on {process['host']}: {process['command']}",
                soft_wrap=True,
            )


def run_summary(run: Mapping[str, Any]) -> str:
    """Return in one line what a command sent between hosts."""
    seconds = time_text(run["seconds"])
    if run["sent_bytes"] == 0:
        return f"nothing was sent between hosts in {seconds}"
    most = max(run["hosts"], key=lambda host: int(host["sent_bytes"]))
    dropped = sum(host["dropped_packets"] for host in run["hosts"])
    return (
        f"{bytes_text(run['sent_bytes'])} between hosts in {seconds}, most from "
        f"{most['name']} ({bytes_text(most['sent_bytes'])})"
        + (f"; {dropped} packets were dropped" if dropped else "")
    )


def _shape(cluster: Mapping[str, Any]) -> str:
    hosts = [host["name"] for host in cluster["hosts"]]
    names = hosts[0] if len(hosts) == 1 else f"{hosts[0]} .. {hosts[-1]}"
    limit = f"links of {cluster['rate']}" if cluster["rate"] else "links without limit"
    number = "1 host" if len(hosts) == 1 else f"{len(hosts)} hosts"
    return f"{number} ({names}), {cluster['ranks_per_host']} ranks each, {limit}"


def _origin(cluster: Mapping[str, Any]) -> Iterator[str]:
    until = f"until {cluster['until']}" if cluster["until"] else "until it is ended"
    if not cluster["is_kept"]:
        until = "until the command that started it ends"
    yield f"since {cluster['since']}, {until}; held by process {cluster['holder']}"
    yield f"started by {cluster['user']}: {cluster['command']}"
    if not cluster["has_cpu_group"]:
        yield "without a control group: other programs of this machine change its times"


def _hosts(cluster: Mapping[str, Any]) -> Table:
    right = ("sent", "received", "dropped")
    table = make_table("host", "address", *right, "running", right=right)
    for host in cluster["hosts"]:
        numbers = [host["sent_bytes"], host["received_bytes"]]
        table.add_row(
            host["name"],
            host["address"],
            *("" if number is None else bytes_text(number) for number in numbers),
            str(host["dropped_packets"] or 0),
            _commands(cluster, host["name"]),
        )
    return table


def _commands(cluster: Mapping[str, Any], host: str) -> str:
    """Return the programs on a host, those that run most often first."""
    counted = collections.Counter(
        process["command"].split()[0].rpartition("/")[2]
        for process in cluster["processes"]
        if process["host"] == host
    )
    shown = [
        name if number == 1 else f"{number} {name}"
        for name, number in counted.most_common(_MOST_COMMANDS)
    ]
    return ", ".join([*shown, "..."] if len(counted) > _MOST_COMMANDS else shown)
