# SPDX-License-Identifier: Apache-2.0
"""What `espalier show` prints."""

from __future__ import annotations

import fractions
from typing import TYPE_CHECKING, Any

from rich.text import Text

from espalier.console import make_console

if TYPE_CHECKING:
    from collections.abc import Mapping


def bytes_formula(blocks: int, output_blocks: int) -> str:
    """Return what a rank sends in terms of m, the bytes of the result: `3/4 m`."""
    part = fractions.Fraction(blocks, output_blocks)
    return "m" if part == 1 else f"{part} m" if part else "0"


def print_schedule(shown: Mapping[str, Any]) -> None:
    """Print the drawing below what the algorithm says of itself."""
    console = make_console()
    facts = shown["facts"]
    head = Text(shown["algorithm"], style="bold")
    head.append(f" on {shown['num_ranks']} ranks", style="not bold")
    if shown["collective"] != "allgather":
        head.append(f", root {shown['root']}", style="not bold")
    console.print(head, soft_wrap=True)
    console.print(f"  {shown['summary']}", soft_wrap=True)
    console.print()
    console.print(shown["drawing"], soft_wrap=True)
    console.print()
    sent = bytes_formula(facts["blocks"], facts["output_blocks"])
    console.print(f"Rounds    {facts['rounds']}")
    console.print(f"Messages  {facts['messages']} at most sent by one rank")
    console.print(f"Bytes     {sent} at most sent by one rank, m = bytes of the result")
    console.print(f"Valid     {shown['valid']}", soft_wrap=True)
    console.print(f"Source    {shown['source']}", soft_wrap=True)
