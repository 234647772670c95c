# SPDX-License-Identifier: Apache-2.0
"""Rules for coll_tuned of Open MPI, in the classic form that versions 1.3 to 6 read.

A file lists for each collective, by its number, rising numbers of ranks, and for each of them
rising sizes with an algorithm, by its number, a fan and the bytes of a segment. A rule holds from
its number of ranks or size up to the next one, and 0 stands for the choice of Open MPI itself. So
each number of ranks is followed by a rule that takes it back.

Each rank computes the size from its own arguments. In gather and scatter these count at some ranks
only, so that ranks would choose differently by rules for some sizes: the table has no sizes there.
"""

from __future__ import annotations

import shlex
from itertools import groupby
from typing import TYPE_CHECKING

from espalier.exports.made import Made

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from espalier.exports.equivalents import Equivalents
    from espalier.exports.translation import Interval, Ruled

# From this version on, coll/han comes before coll/tuned where there are several nodes.
_FIRST_WITH_HAN = 5
_ITS_OWN = "1 # size\n0 0 0 0 # as Open MPI chooses itself\n"


def make(
    ruled: Sequence[Ruled], equivalents: Equivalents, output: Path, major_version: int | None = None
) -> Made:
    """Return the file for `output`, and the options of mpirun that make programs use it.

    `major_version` is that of the library with which the rules were found; None: it is not known.
    """
    options = shlex.join(
        [
            *("--mca", "coll_tuned_use_dynamic_rules", "1"),
            *("--mca", "coll_tuned_dynamic_rules_filename", str(output.resolve())),
        ]
    )
    return Made(
        {output: text_of(ruled, equivalents)},
        (f"mpirun {options} ...",),
        (
            *_of_operators(ruled),
            *_of_calls_in_place(ruled, equivalents),
            *_of_nodes(ruled, major_version),
        ),
    )


def text_of(ruled: Sequence[Ruled], equivalents: Equivalents) -> str:
    """Return the contents of the file; shapes without rules are left out."""
    wanted = [one for one in ruled if one.has_rules]
    by_call = {call: list(row) for call, row in groupby(wanted, key=lambda one: one.call)}
    parts = [
        f"# Made by 'espalier profile export' for coll_tuned of {equivalents.library}\n",
        f"{len(by_call)} # collectives\n",
        *(_of_call(row, equivalents.call(call)) for call, row in by_call.items()),
    ]
    return "".join(parts)


def _of_call(row: Sequence[Ruled], facts: Mapping[str, Any]) -> str:
    sections = {0: f"0 # ranks and more\n{_ITS_OWN}"}
    for one in row:
        num_ranks = one.shape.num_ranks
        sections[num_ranks] = _of_ranks(one, facts)
        sections.setdefault(num_ranks + 1, f"{num_ranks + 1} # ranks and more\n{_ITS_OWN}")
    head = f"{facts['number']} # {row[0].call}\n{len(sections)} # numbers of ranks\n"
    return head + "".join(text for _, text in sorted(sections.items()))


def _of_ranks(one: Ruled, facts: Mapping[str, Any]) -> str:
    num_ranks = one.shape.num_ranks
    lines = {_start(interval, num_ranks, facts): _line(interval) for interval in one.intervals}
    rules = "".join(f"{start} {line}\n" for start, line in lines.items())
    return f"{num_ranks} # ranks\n{len(lines)} # sizes\n{rules}"


def _start(interval: Interval, num_ranks: int, facts: Mapping[str, Any]) -> int:
    """Return the first size of an interval as Open MPI counts it: of the result, or a part of it.

    Where it looks at parts, an interval that is narrower than a byte of each is lost to the next.
    """
    return -(-interval.first // num_ranks) if facts["sizes"] == "part" else interval.first


def _line(interval: Interval) -> str:
    native = interval.native
    if native is None:
        return "0 0 0 # as Open MPI chooses itself"
    row = native.row
    return f"{row['number']} {row.get('fanout', 0)} {row.get('segment', 0)} # {native.name}"


def _of_operators(ruled: Sequence[Ruled]) -> list[str]:
    """Return a caution if Open MPI does not look at operators where it has to."""
    calls = sorted(
        {
            one.call
            for one in ruled
            for interval in one.intervals
            if interval.native and interval.native.row.get("commutative")
        }
    )
    if not calls:
        return []
    text = (
        f"rules for {', '.join(calls)} are for operators that commute; Open MPI follows them for"
        " others too: do not use the file for programs that have such operators"
    )
    return [text]


def _of_calls_in_place(ruled: Sequence[Ruled], equivalents: Equivalents) -> list[str]:
    """Return a caution if rules for some sizes look at arguments that such calls do not have."""
    calls = [
        one.call
        for one in ruled
        if one.has_rules
        and len(one.intervals) > 1
        and equivalents.call(one.call).get("size_of") == "sends"
    ]
    if not calls:
        return []
    text = (
        f"rules for {', '.join(sorted(set(calls)))} take the size from the send arguments, which"
        " mean nothing in calls with MPI_IN_PLACE: give count and type of the receive side there on"
        " all ranks, so that the rule for the size holds"
    )
    return [text]


def _of_nodes(ruled: Sequence[Ruled], major_version: int | None) -> list[str]:
    """Return a caution if another component serves calls on several nodes before the rules do."""
    is_before_han = major_version is None or major_version < _FIRST_WITH_HAN
    if is_before_han or not any(one.has_rules and one.shape.num_nodes > 1 for one in ruled):
        return []
    text = (
        f"in Open MPI {_FIRST_WITH_HAN} and later, coll/han comes before the rules in calls on more"
        " than one node: give --mca coll_han_priority 0, too, which also takes coll/han away from"
        " calls without rules"
    )
    return [text]
