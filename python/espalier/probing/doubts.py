# SPDX-License-Identifier: Apache-2.0
"""What the numbers of the levels say against themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text, three_digits
from espalier.conditions.cautions import Caution
from espalier.probing.fits import DIFFERENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def interrupted_details() -> Caution:
    """Return that not everything about the links was measured."""
    return Caution(
        "interrupted",
        "the details were interrupted: links are from the part that was measured",
        "probe again for the rest",
    )


def of_levels(levels: Sequence[Mapping[str, Any]]) -> list[Caution]:
    """Return the cautions that analysed levels give."""
    found = [*_one_size(levels)]
    for level in levels:
        found += [*_disturbed(level), *_bandwidths(level), *_late(level)]
    return found


def _one_size(levels: Sequence[Mapping[str, Any]]) -> Iterator[Caution]:
    rough = [level["between"] for level in levels if len(level["latency_table"]) == 1]
    if rough:
        yield Caution(
            "one-size",
            f"messages {', '.join(rough)} were measured with one size only: its whole time counts"
            " as latency, bandwidth is not known",
            "give the probe more time",
        )


def _disturbed(level: Mapping[str, Any]) -> Iterator[Caution]:
    sizes = level["disturbed_bytes"]
    if sizes:
        yield Caution(
            "disturbed-sizes",
            f"{len(sizes)} of {len(level['latency_table'])} sizes {level['between']} took longer"
            f" than larger ones and were left out of the fits: {', '.join(map(bytes_text, sizes))}",
            "stop other programs, and give each rank a processor of its own; then probe again",
        )


def _bandwidths(level: Mapping[str, Any]) -> Iterator[Caution]:
    fit = level["fit"] or {}
    slope, train = fit.get("method_a"), fit.get("method_b")
    if not slope or not train:
        return
    low, high = sorted([slope["value"], train["value"]])
    if high > DIFFERENT * low:
        yield Caution(
            "bandwidth-differs",
            f"bandwidth {level['between']} is {three_digits(slope['value'])} MB/s by large round"
            f" trips and {three_digits(train['value'])} MB/s by messages back to back; the higher"
            " counts",
            "compare the tables: the memory may be slower than the caches, or the ranks were"
            " disturbed",
        )


def _late(level: Mapping[str, Any]) -> Iterator[Caution]:
    late_us = (level["loggp"] or {}).get("late_receive_us")
    if late_us is not None:
        yield Caution(
            "late-receive",
            f"receiving a message {level['between']} that was sent long before takes"
            f" {three_digits(late_us)} us, as long as all of its way: the receiver's overhead is"
            " not known",
            "messages travel when they are received there; see the eager settings of the MPI",
        )
