# SPDX-License-Identifier: Apache-2.0
"""What `espalier machine` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.base.units import bytes_text, three_digits, time_text
from espalier.io.console import make_console, make_table
from espalier.machines import machines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console
    from rich.table import Table

    from espalier.machines.machines import Level, Link, Machine

_MOST_RANKS = 16
_MOST_NAMES = 8
_LONGEST_TEXT = 400
_LONGEST_GIVEN = 32
_EXPLANATION = """\
A message costs what stands at the outermost level in which its ends differ:
alpha (latency and overheads) + bytes / bandwidth. Channels carry messages out of
(and into) one object at the same time, shared ones those inside the object
around it; - is without limit.
"""


def rate_text(bytes_per_second: float | None) -> str:
    """Return a bandwidth in decimal units: `12.5 GB/s`; None is without limit."""
    if bytes_per_second is None:
        return "-"
    for factor, unit in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        if bytes_per_second >= 0.9995 * factor:
            return f"{three_digits(bytes_per_second / factor)} {unit}"
    return f"{three_digits(bytes_per_second)} B/s"


def _each_text(level: Level, above: str | None) -> str:
    if above is None:
        return ""
    least, most = min(level.counts), max(level.counts)
    numbers = f"{least}" if least == most else f"{least} .. {most}"
    return f"{numbers} in a {above}"


def _limit_text(number: float | None) -> str:
    return "-" if number is None else f"{number:g}"


def _link_cells(link: Link) -> dict[str, str]:
    overheads = f"{link.overhead_send_us:.3g} + {link.overhead_receive_us:.3g} us"
    if link.overhead_send_us == link.overhead_receive_us:
        overheads = f"2 x {link.overhead_send_us:.3g} us"
    return {
        "alpha": time_text(1e-6 * link.alpha_us) if link.is_known else "-",
        "overheads": overheads if link.overhead_send_us or link.overhead_receive_us else "-",
        "gap": time_text(1e-6 * link.gap_us) if link.gap_us else "-",
        "bandwidth": rate_text(link.bandwidth_bytes_per_s),
        "channels": _limit_text(link.channels) + ("" if link.full_duplex else " half"),
        "shared": _limit_text(link.shared_channels),
        "eager": "-" if link.eager_bytes is None else bytes_text(link.eager_bytes),
    }


def _print_levels(console: Console, levels: Sequence[Level]) -> None:
    table = make_table("level", "objects", "each", right=("objects",))
    above = None
    for level in levels:
        table.add_row(level.name, f"{level.num_objects}", _each_text(level, above))
        above = level.name
    console.print(table)


def _print_links(console: Console, levels: Sequence[Level]) -> None:
    cells = [_link_cells(level.link) for level in levels]
    columns = [name for name in cells[0] if any(cell[name] != "-" for cell in cells)]
    if not columns:
        return
    table = make_table("between", *columns)
    for level, cell in zip(levels, cells, strict=True):
        table.add_row(level.name, *(cell[name] for name in columns))
    console.print()
    console.print(table)
    console.print(_EXPLANATION, end="", soft_wrap=True)


def _torus_text(torus: Mapping[str, Any]) -> str:
    extents = " x ".join(map(str, torus["extents"]))
    hop = time_text(1e-6 * torus["hop_latency_us"])
    return f"{extents}, {hop} a hop, links {rate_text(torus['link_bandwidth_bytes_per_s'])}"


def _cores_text(machine: Machine) -> str:
    nodes = machine.levels[machines.node_level(machine)]
    name = nodes.name if nodes.num_objects == 1 else f"{nodes.name}s"
    text = f"{machine.num_cores} on {nodes.num_objects} {name}"
    speed = machine.document.get("cores", {})
    for what in ("combine", "copy"):
        rate = speed.get(f"{what}_bytes_per_s")
        text += "" if rate is None else f", {what} {rate_text(rate)}"
    return text


def _ranks_text(machine: Machine, placement: str | None, num_ranks: int) -> str:
    if num_ranks > machine.num_cores:
        machine.place(placement, num_ranks)  # complains
    # Only what is shown: machines may have millions of cores.
    nodes = machines.nodes_of_ranks(machine.place(placement, min(num_ranks, _MOST_RANKS)))
    return " ".join(map(str, nodes)) + (" ..." if num_ranks > _MOST_RANKS else "")


def _print_placements(
    console: Console, machine: Machine, placement: str | None, num_ranks: int | None
) -> None:
    table = make_table("placement", "node of rank 0, 1, ...")
    if placement is not None:
        kind, ranks = machines.setting(machine, placement, num_ranks)
        table.add_row(
            _kind_text(machine, placement, kind, ranks), _ranks_text(machine, kind, ranks)
        )
    else:
        _add_kinds(table, machine, num_ranks)
    console.print(table)


def _add_kinds(table: Table, machine: Machine, num_ranks: int | None) -> None:
    if machine.core_of_rank:
        kind, ranks = machines.setting(machine, None, None)
        title = f"of the job: {machines.job_placement(machine)}"
        table.add_row(title, _ranks_text(machine, kind, ranks))
    for kind in machines.placements:
        table.add_row(kind, _ranks_text(machine, kind, num_ranks or machine.num_cores))


def _kind_text(machine: Machine, given: str, placement: str, num_ranks: int) -> str:
    """Name what a list or a file of cores amounts to."""
    if not placement.startswith("list:"):
        return given
    nodes = machines.nodes_of_ranks(machine.place(placement, num_ranks))
    kind = _core.recognise(nodes, machines.cores_of_nodes(machine))["placement"]
    shown = given if len(given) <= _LONGEST_GIVEN else f"{given[: _LONGEST_GIVEN - 3]}..."
    return f"{shown}: {kind}"


def print_machine(machine: Machine, placement: str | None, num_ranks: int | None) -> None:
    """Print levels, costs, network, placements and what is odd."""
    console = make_console()
    short = machine.short_text
    if len(short) > _LONGEST_TEXT:
        short = f"{short[:_LONGEST_TEXT]}..."
    console.print(f"Machine   {short}", soft_wrap=True)
    origin = machine.document["origin"]
    if (found := origin.get("found") or origin.get("found_by")) and found != "text":
        console.print(f"Found by  {found}", soft_wrap=True)
    console.print(f"Cores     {_cores_text(machine)}")
    if torus := machine.document.get("torus"):
        console.print(f"Torus     {_torus_text(torus)}")
    if names := machine.names("node"):
        shown = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
        console.print(f"Nodes     {shown}", soft_wrap=True)
    if machine.core_of_rank:
        console.print(f"Job       {len(machine.core_of_rank)} ranks")
    console.print()
    _print_levels(console, machine.levels)
    _print_links(console, machine.levels)
    if placement is not None or machine.levels[machines.node_level(machine)].num_objects > 1:
        console.print()
        _print_placements(console, machine, placement, num_ranks)
    for caution in machines.cautions(machine):
        console.print(f"Caution   {caution}", soft_wrap=True)
