# SPDX-License-Identifier: Apache-2.0
"""Variables I_MPI_ADJUST_... of Intel MPI, as lines for a shell.

The form is that of Intel's reference manual: `number:first-last@ranks-ranks`, several of them with
semicolons between them. With I_MPI_DEBUG=5 the library says which values it ignores.
"""

from __future__ import annotations

import shlex
from itertools import groupby
from typing import TYPE_CHECKING

from espalier.exports.made import Made

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from espalier.exports.equivalents import Equivalents
    from espalier.exports.translation import Ruled

_MOST_BYTES = 2**31 - 1
_CAUTION = "Intel MPI accepts these rules; whether it then sends the same messages was not compared"


def make(ruled: Sequence[Ruled], equivalents: Equivalents, output: Path) -> Made:
    """Return the file for `output`, and the command by which a shell reads it."""
    lines = [f"# Made by 'espalier profile export' for {equivalents.library}"]
    wanted = [one for one in ruled if one.has_rules]
    for call, row in groupby(wanted, key=lambda one: one.call):
        facts = equivalents.call(call)
        rules = ";".join(rule for one in row for rule in _rules(one, facts))
        lines.append(f"export {facts['variable']}={shlex.quote(rules)}")
    return Made(
        {output: "\n".join(lines) + "\n"},
        (f". {shlex.quote(str(output.resolve()))}",),
        (_CAUTION,),
    )


def _rules(one: Ruled, facts: Mapping[str, Any]) -> Iterator[str]:
    num_ranks = one.shape.num_ranks
    for interval in one.intervals:
        if interval.native is None:
            continue
        first, last = interval.first, _MOST_BYTES
        if interval.last is not None:
            last = min(interval.last, _MOST_BYTES)
        if facts["sizes"] == "part":
            first, last = -(-first // num_ranks), last // num_ranks
        if facts["sizes"] == "none":
            first, last = 0, _MOST_BYTES
        if first <= last:
            yield f"{interval.native.row['number']}:{first}-{last}@{num_ranks}-{num_ranks}"
