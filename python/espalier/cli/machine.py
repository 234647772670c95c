# SPDX-License-Identifier: Apache-2.0
"""`espalier machine`."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from espalier.cli.options import Json, Ranks
from espalier.errors import ArgumentError, FileError
from espalier.io.console import say
from espalier.machines import machines, sources
from espalier.report.machine import print_machine

_ENOUGH_RANKS = 16


def _save(text: str, path: Path) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"{path}: expected a file that can be written, got '{error.strerror}'"
        ) from error
    say(f"wrote {path}")


def _check_ranks(found: machines.Machine, placement: str | None, num_ranks: int | None) -> None:
    """Raise an Error unless so many ranks can lie on the machine so."""
    if placement is None and num_ranks is None:
        return
    kind, count = machines.setting(found, placement, num_ranks)
    # No more than tell: machines may have millions of cores.
    is_short = count <= found.num_cores and not kind.startswith("list:")
    found.place(kind, min(count, _ENOUGH_RANKS) if is_short else count)


@dataclass(frozen=True)
class Source:
    """Where the machine is known from: one of several ways."""

    what: Annotated[
        str | None,
        typer.Argument(
            metavar="MACHINE",
            help="A text such as '8n x 2s x 12c' or 'torus 4x4x4 x 8c', or a machine file.",
            show_default="this node",
        ),
    ] = None
    hwloc: Annotated[
        Path | None,
        typer.Option("--hwloc", help="A node as 'lstopo --of xml FILE' wrote it."),
    ] = None
    slurm: Annotated[
        bool, typer.Option("--slurm", help="The nodes of the SLURM job this runs in.")
    ] = False
    topology: Annotated[
        Path | None,
        typer.Option("--topology", help="With --slurm: topology.conf, for switches above nodes."),
    ] = None

    def find(self) -> machines.Machine:
        """Return the machine.

        Raises:
            ArgumentError: more than one way is given.
        """
        ways = {
            "MACHINE": self.what is not None,
            "--hwloc": self.hwloc is not None,
            "--slurm": self.slurm,
        }
        given = [name for name, is_given in ways.items() if is_given]
        if len(given) > 1:
            raise ArgumentError(
                f"expected one of MACHINE, --hwloc and --slurm, got {' and '.join(given)}"
            )
        if self.topology is not None and not self.slurm:
            raise ArgumentError(
                "expected --slurm with --topology, got none",
                "topology.conf says how the nodes of a SLURM job hang together",
            )
        if self.what is not None:
            return machines.load(self.what)
        if self.hwloc is not None:
            return sources.of_hwloc(self.hwloc)
        return sources.of_slurm(self.topology) if self.slurm else sources.here()


def machine(
    source: Source,
    placement: Annotated[
        str | None,
        typer.Option(
            "--placement",
            help="Show where this puts ranks: block, cyclic, cyclic:N, folded, list:0,4,1 of cores,"
            " or a file with a core in each line.",
        ),
    ] = None,
    num_ranks: Ranks = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write a machine file.")
    ] = None,
    json: Json = False,
) -> None:
    """Say what a machine is made of, what messages cost on it, and where ranks lie.

    Letters: g group, w switch, n node, s package, m numa, l l3, c core, t thread. Costs stand in
    brackets: '8n[latency=1.5us,bandwidth=12.5GB/s,channels=2] x 12c[latency=300ns]'.
    """
    found = source.find()
    _check_ranks(found, placement, num_ranks)
    if output is not None:
        _save(found.text, output)
    if json:
        sys.stdout.write(found.text)
    else:
        print_machine(found, placement, num_ranks)
