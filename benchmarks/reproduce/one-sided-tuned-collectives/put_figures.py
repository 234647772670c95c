# SPDX-License-Identifier: Apache-2.0
"""Figures of the replayed times of one-sided programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from put_results import OPERATIONS, PutTimes

from espalier.report.figures.curves import Curve, Panel, draw_curves

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Title, part, operation, and the curves of a panel: manner, name, color, style.
_Line = tuple[str, str, int, int]
_PANELS: tuple[tuple[str, str, str, tuple[_Line, ...]], ...] = (
    (
        *("messages answered (3.2)", "answered", "message"),
        (("MPI", "MPI", 0, 0), ("put", "put", 1, 0), ("get", "get", 2, 0)),
    ),
    (
        *("strict bcast by mechanism (5.17)", "mechanisms", "bcast"),
        (
            ("signaling_put", "signaling put", 0, 0),
            ("eager", "eager", 1, 0),
            ("rendezvous", "rendezvous", 2, 0),
        ),
    ),
    *(
        (
            *(f"{operation} in flight ({figure})", "underway", operation),
            tuple(
                (f"{mode} {manner}", f"{mode}, {manner}", color, style)
                for color, mode in enumerate(("loose", "own", "strict"))
                for style, manner in enumerate(("blocking", "together"))
            ),
        )
        for operation, figure in (("bcast", "5.20"), ("alltoall", "6.8"), ("allgather", "6.12"))
    ),
    *(
        (
            *(f"{operation} against MPI", "peers", operation),
            (
                ("strict", "strict", 0, 0),
                ("MPI strict", "strict, MPI", 0, 1),
                ("loose", "loose", 1, 0),
                ("MPI loose", "loose, MPI", 1, 1),
            ),
        )
        for operation in OPERATIONS
    ),
)


def draw(times: PutTimes, path: Path) -> None:
    """Draw all panels."""
    panels = [Panel("bandwidth of puts (3.3)", "bytes", "MB/s", bandwidth_curves(times))]
    for title, part, operation, lines in _PANELS:
        sizes = times.sizes(part, operation)
        curves = [
            Curve(
                name,
                [(float(size), times.us(part, operation, size, manner)) for size in sizes],
                color,
                style,
            )
            for manner, name, color, style in lines
        ]
        panels.append(Panel(title, "bytes", "us", curves))
    draw_curves(panels, path, columns=4)


def bandwidth_curves(times: PutTimes) -> list[Curve]:
    """Return bytes per microsecond, which are MB/s."""
    names: Mapping[str, int] = {"MPI": 0, "put": 1}
    return [
        Curve(
            name,
            [
                (float(size), size / times.us("flood", "message", size, name))
                for size in times.sizes("flood", "message")
            ],
            color,
        )
        for name, color in names.items()
    ]
