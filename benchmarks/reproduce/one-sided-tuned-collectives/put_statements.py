# SPDX-License-Identifier: Apache-2.0
"""What is published of one-sided programs, what the replayed times say, and whether they agree."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from put_results import OPERATIONS, PutTimes, saved_percent
from simulated_times import table

from espalier.base.units import bytes_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class Statement:
    """What a figure says, what ours say, and whether they agree; why not where they do not."""

    figures: str
    published: str
    ours: str
    agrees: str
    reason: str = ""


def verdict(*, whole: bool, part: bool = False) -> str:
    """Return how far a statement holds."""
    return "yes" if whole else "in part" if part else "no"


def percent(values: Sequence[float]) -> str:
    """Return a range of percentages."""
    low, high = round(min(values)), round(max(values))
    return f"{low} %" if low == high else f"{low} .. {high} %"


def statements(times: PutTimes) -> list[Statement]:
    """Return all statements about one-sided programs."""
    return [
        answered(times),
        flood(times),
        passes(times),
        addresses(times),
        mechanisms(times),
        *underway(times),
        *against_peers(times),
        reduce_classes(times),
    ]


def answered(times: PutTimes) -> Statement:
    """Judge figure 3.2."""
    ratios = [
        times.us("answered", "message", size, "put") / times.us("answered", "message", size, "MPI")
        for size in times.sizes("answered", "message")
    ]
    return Statement(
        "3.2",
        "put until it is acknowledged: half of MPI, a bit less up to 32 B",
        f"{ratios[0]:.2f} of MPI at 8 B, {ratios[-1]:.2f} at 8 KiB",
        verdict(whole=ratios[0] <= 0.55, part=max(ratios) < 1),
        "an answer has its own o and g here, and matching costs o; on the slow cores of BlueGene/P "
        "software is most of a message",
    )


def flood(times: PutTimes) -> Statement:
    """Judge figure 3.3."""
    gains = times.gains("flood", "message", "MPI", "put")
    size, most = max(gains.items(), key=lambda item: item[1])
    last = gains[max(gains)]
    return Statement(
        "3.3",
        "same asymptote, puts clearly ahead at middle sizes, more so with more links",
        f"at most {most:.0f} % ahead, at {bytes_text(size)}; {last:.1f} % at 1 MiB; one link",
        verdict(whole=False, part=most >= 5 and last < 1),
        "the simulated nodes have one link",
    )


def passes(times: PutTimes) -> Statement:
    """Judge section 4.4."""
    saved = {name: saved_percent(times, name) for name, manner in times.passes if manner == "fused"}
    ours = ", ".join(f"{name} {share:.0f} % shorter" for name, share in saved.items())
    return Statement(
        "4.4",
        "two passes instead of three: 33 % fewer",
        ours,
        verdict(whole=min(saved.values()) >= 30, part=max(saved.values()) > 0),
        "passes apart overlap, because leaves enter the next one early",
    )


def addresses(times: PutTimes) -> Statement:
    """Judge figure 5.16."""
    gains = list(times.gains("addresses", "bcast", "local", "single").values())
    return Statement(
        "5.16",
        "Single beats Local at every size",
        f"by {gains[0]:.1g} % at 8 B, at most {max(gains):.0f} %",
        verdict(whole=min(gains) > 0),
    )


def mechanisms(times: PutTimes) -> Statement:
    """Judge figures 5.17 and 5.18."""
    sizes = times.sizes("mechanisms", "bcast")
    slower = times.gains("mechanisms", "bcast", "signaling_put", "eager")
    short = [size for size in sizes if size <= 2048]
    of_short = [-slower[size] for size in short]
    is_slowest = [
        times.us("mechanisms", "bcast", size, "rendezvous")
        > times.us("mechanisms", "bcast", size, "eager")
        for size in sizes
    ]
    crossing = [bytes_text(size) for size, slow in zip(sizes, is_slowest, strict=True) if not slow]
    return Statement(
        "5.17, 5.18",
        "rendezvous slowest; eager about equal to signaling put where it is applicable",
        f"eager {max(of_short):.1f} % slower at most up to 2 KiB; rendezvous slowest "
        f"but for {', '.join(crossing) or 'no size'}",
        verdict(whole=max(of_short) < 5 and all(is_slowest[: len(short)])),
        "",
    )


def underway(times: PutTimes) -> list[Statement]:
    """Judge figures 5.20, 6.8 and 6.12."""
    found = []
    gains = {
        mode: list(
            times.gains("underway", "bcast", f"{mode} blocking", f"{mode} together").values()
        )
        for mode in ("loose", "own", "strict")
    }
    found.append(
        Statement(
            "5.20",
            "nonblocking broadcasts in flight are clearly faster than blocking ones",
            f"16 in flight: {percent(gains['loose'])} with NOSYNC, {percent(gains['own'])} with "
            f"MYSYNC, {percent(gains['strict'])} with ALLSYNC",
            verdict(whole=min(gains["own"]) > 10, part=min(gains["loose"]) > 0),
            "",
        )
    )
    exchange = times.gains("underway", "alltoall", "loose blocking", "loose together")
    found.append(
        Statement(
            "6.8",
            "exchanges in flight: almost no gain",
            ", ".join(f"{gain:.0f} % at {size // 16} B" for size, gain in exchange.items()),
            verdict(whole=max(exchange.values()) < 10, part=min(exchange.values()) < 10),
            "at 8 B there is latency to hide here, as nothing but ports is contended for",
        )
    )
    gather = times.gains("underway", "allgather", "loose blocking", "loose together")
    found.append(
        Statement(
            "6.12",
            "gather-to-all in flight: 48 % at 32 B, 13 % at 16 kB",
            ", ".join(f"{gain:.0f} % at {size // 4} B" for size, gain in gather.items()),
            verdict(whole=gather[128] > 30 and gather[65536] > 5, part=gather[128] > 30),
            "long messages keep ports busy all the time here; what was gained at 16 kB may come "
            "from copies within nodes, which the network model has not",
        )
    )
    return found


def has_both_signs(gains: Mapping[int, float]) -> bool:
    """Return whether MPI is better at some size, and not at all."""
    return min(gains.values()) < 0 < max(gains.values())


def against_peers(times: PutTimes) -> list[Statement]:
    """Judge figures 5.22 to 5.30, of Ranger."""
    strict = {
        operation: times.gains("peers", operation, "MPI strict", "strict")
        for operation in OPERATIONS
    }
    loose = {
        operation: times.gains("peers", operation, "MPI loose", "loose") for operation in OPERATIONS
    }
    overhead = {
        operation: {
            size: times.us("peers", operation, size, "strict")
            / times.us("peers", operation, size, "loose")
            for size in times.sizes("peers", operation)
        }
        for operation in OPERATIONS
    }
    scatter, gather = overhead["scatter"], overhead["gather"]
    same_trees = (
        "ours are better everywhere: MPI has the same trees here, and pays for messages only; a "
        "vendor's library has other algorithms, and memory that ranks of a node share"
    )
    return [
        Statement(
            "5.22 .. 5.24",
            "Ranger: 27 % better than MPI at 128 B, elsewhere up to 11 % worse; Crays: strict "
            "always better",
            f"strict {percent(list(strict['bcast'].values()))} better, loose "
            f"{percent(list(loose['bcast'].values()))}",
            verdict(whole=has_both_signs(strict["bcast"]), part=min(strict["bcast"].values()) > 0),
            same_trees,
        ),
        Statement(
            "5.25 .. 5.27",
            "scatter: better than MPI except for small sizes; loose beats strict at small sizes, "
            "and the gap closes",
            f"strict {percent(list(strict['scatter'].values()))} better, loose "
            f"{percent(list(loose['scatter'].values()))}; strict takes {scatter[8]:.1f} times "
            f"loose at 8 B, {scatter[max(scatter)]:.2f} at 8 KiB",
            verdict(
                whole=has_both_signs(strict["scatter"]),
                part=scatter[8] > 2 > scatter[max(scatter)],
            ),
            same_trees,
        ),
        Statement(
            "5.28 .. 5.30",
            "gather: better in most strict cases, loose slightly behind at small sizes; pipelining "
            "gains up to 2 kB",
            f"strict {percent(list(strict['gather'].values()))} better, loose "
            f"{percent(list(loose['gather'].values()))}; strict takes {gather[8]:.1f} times loose "
            f"at 8 B, {gather[2048]:.2f} at 2 KiB",
            verdict(
                whole=min(strict["gather"].values()) > 0 and min(loose["gather"].values()) < 0,
                part=min(strict["gather"].values()) > 0,
            ),
            "loose gathers are not behind; that MPI copies and returns early, as the thesis "
            "suspects, is not in the model",
        ),
    ]


def reduce_classes(times: PutTimes) -> Statement:
    """Judge figures 5.31 to 5.36."""
    gains = {
        manner: list(
            times.gains("peers", "reduce", f"{manner} k_ary", f"{manner} k_nomial").values()
        )
        for manner in ("strict", "loose")
    }
    return Statement(
        "5.31 .. 5.36",
        "reduce: classes within 11 % on Ranger; k-nomial better strict (XT4, XT5), k-ary for large "
        "loose ones (XT5)",
        f"k-nomial {percent(gains['strict'])} shorter strict, {percent(gains['loose'])} loose",
        verdict(
            whole=max(map(abs, gains["strict"] + gains["loose"])) <= 11,
            part=min(gains["strict"]) > -1 and max(gains["loose"]) < 1,
        ),
        "the better class is the published one, but loose calls follow each other here as fast as "
        "the port of the busiest node permits, and a k-nomial root has k - 1 children a level",
    )


def statement_table(times: PutTimes) -> str:
    """Return all statements."""
    rows = [
        [
            one.figures,
            one.published,
            one.ours,
            one.agrees,
            "" if one.agrees == "yes" else one.reason,
        ]
        for one in statements(times)
    ]
    return table(["figures", "published", "ours", "agrees", "why not"], rows)
