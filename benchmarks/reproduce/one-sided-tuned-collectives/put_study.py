#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replay one-sided trees, exchanges and messages, and what MPI's messages take for the same.

Usage: put_study.py TIMES.csv. It needs nothing but the Python core and takes minutes.
benchmarks/pages.py writes the page about the times.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import put_times as puts  # noqa: E402
import radix_candidates as candidates  # noqa: E402
from simulated_times import note_date  # noqa: E402

from espalier import _core  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from put_times import Calls, Network, PutTime

_EXCHANGES = {
    "alltoall": ["bruck", "bruck[k=4]", "bruck[k=8]", "bruck[k=16]", "linear"],
    "allgather": ["bruck", "flat"],
}


@dataclasses.dataclass(frozen=True)
class Case:
    """One operation among some ranks with one size."""

    part: str
    operation: str
    num_ranks: int
    num_bytes: int
    choices: Sequence[str]

    def fastest(
        self, manner: str, forms: Sequence[tuple[str, str, str]], machine: Any, calls: Calls
    ) -> PutTime:
        """Return the fastest choice in the fastest form."""
        found = [
            (puts.mean_us(choice, self.num_ranks, self.num_bytes, form, machine, calls), choice)
            for form in forms
            for choice in self.choices
        ]
        us, choice = min(found)
        key = (self.part, self.operation, self.num_ranks, self.num_bytes)
        return puts.PutTime(*key, manner, choice, us)


def forms(mode: str, addresses: str, mechanisms: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return a form for each mechanism."""
    return [(mode, addresses, mechanism) for mechanism in mechanisms]


def address_times(declared: Mapping[str, Any], network: Network) -> Iterator[PutTime]:
    """Strict broadcasts by address mode, and by mechanism (figures 5.16 to 5.18)."""
    num_ranks = declared["ranks"]
    calls = puts.Calls(declared["strict_calls"])
    for num_bytes in declared["address_sizes"]:
        choices = candidates.trees("bcast", num_ranks)
        case = Case("addresses", "bcast", num_ranks, num_bytes, choices)
        for addresses, mechanisms in puts.MECHANISMS.items():
            which = forms(puts.STRICT, addresses, mechanisms)
            yield case.fastest(addresses, which, network.puts, calls)
        case = dataclasses.replace(case, part="mechanisms")
        for mechanism in ("signaling_put", "eager", "rendezvous"):
            which = forms(puts.STRICT, "single", [mechanism])
            yield case.fastest(mechanism, which, network.puts, calls)


def peer_times(declared: Mapping[str, Any], network: Network) -> Iterator[PutTime]:
    """Trees beside the same trees of MPI's messages (figures 5.22 to 5.36)."""
    num_ranks = declared["ranks"]
    loose = puts.Calls(declared["loose_calls"])
    strict = puts.Calls(declared["strict_calls"])
    apart = dataclasses.replace(strict, barrier=puts.BARRIER)
    for operation in ("bcast", "scatter", "gather", "reduce"):
        for num_bytes in declared["sizes"]:
            choices = candidates.trees(operation, num_ranks)
            case = Case("peers", operation, num_ranks, num_bytes, choices)
            single = puts.MECHANISMS["single"]
            messages = forms(puts.OWN, "local", network.mechanisms_of_messages(num_bytes))
            yield case.fastest("loose", forms(puts.LOOSE, "single", single), network.puts, loose)
            yield case.fastest("MPI loose", messages, network.messages, loose)
            yield case.fastest("strict", forms(puts.LOOSE, "single", single), network.puts, apart)
            yield case.fastest("MPI strict", messages, network.messages, apart)
            yield case.fastest("flags", forms(puts.STRICT, "single", single), network.puts, strict)
            if operation == "reduce":
                yield from class_times(case, network, loose, apart)


def class_times(case: Case, network: Network, loose: Calls, apart: Calls) -> Iterator[PutTime]:
    """Each class of trees on its own (figures 5.31 to 5.36)."""
    which = forms(puts.LOOSE, "single", puts.MECHANISMS["single"])
    for shape in candidates.SHAPES:
        own = [choice for choice in case.choices if candidates.shape_of(choice) == shape]
        of_class = dataclasses.replace(case, choices=own)
        yield of_class.fastest(f"loose {shape}", which, network.puts, loose)
        yield of_class.fastest(f"strict {shape}", which, network.puts, apart)


def underway_times(declared: Mapping[str, Any], network: Network) -> Iterator[PutTime]:
    """Calls underway together beside blocking ones (figures 5.20, 6.8, 6.12)."""
    for operation, given in declared["underway"].items():
        num_ranks, threads, number = given["ranks"], given["threads"], given["calls"]
        factor = threads**2 if operation == "alltoall" else threads
        choices = [f"{operation}/{name}" for name in _EXCHANGES.get(operation, [])]
        for unit in given["sizes"]:
            case = Case(
                *("underway", operation, num_ranks, unit * factor),
                choices or candidates.trees(operation, num_ranks),
            )
            for mode, text in ((puts.LOOSE, "loose"), (puts.OWN, "own"), (puts.STRICT, "strict")):
                which = forms(mode, "single", ["signaling_put"])
                for together in (False, True):
                    manner = f"{text} {'together' if together else 'blocking'}"
                    yield case.fastest(manner, which, network.puts, puts.Calls(number, together))


def message_times(declared: Mapping[str, Any], network: Network) -> Iterator[PutTime]:
    """Messages that are answered, and without a pause (figures 3.2 and 3.3)."""
    given = declared["messages"]
    put = (puts.LOOSE, "single", "signaling_put")
    latency = network.puts[0]
    for num_bytes in given["answered_sizes"]:
        key = ("answered", "message", 2, num_bytes)
        eager = (puts.OWN, "local", network.mechanisms_of_messages(num_bytes)[0])
        answered = _core.one_sided_answered_message(float(num_bytes), eager, network.messages)
        arrived = _core.one_sided_flood(1, 1, float(num_bytes), put, network.puts)
        yield puts.PutTime(*key, "MPI", eager[2], answered)
        # The network says that the put was there: one latency more, and no processor.
        yield puts.PutTime(*key, "put", "put", arrived + latency)
        yield puts.PutTime(*key, "get", "get", _core.one_sided_get(float(num_bytes), network.puts))
    number = given["flood_messages"]
    for num_bytes in given["flood_sizes"]:
        key = ("flood", "message", 2, num_bytes)
        eager = (puts.OWN, "local", network.mechanisms_of_messages(num_bytes)[0])
        of_puts = _core.one_sided_flood(1, number, float(num_bytes), put, network.puts)
        of_mpi = _core.one_sided_flood(1, number, float(num_bytes), eager, network.messages)
        yield puts.PutTime(*key, "put", "put", of_puts / number)
        yield puts.PutTime(*key, "MPI", eager[2], of_mpi / number)


def pass_times(declared: Mapping[str, Any], network: Network) -> Iterator[PutTime]:
    """What is saved where synchronization is part of the collective (section 4.4)."""
    num_ranks = declared["ranks"]
    begins, ends = "IN_ALLSYNC|OUT_NOSYNC", "IN_NOSYNC|OUT_ALLSYNC"
    for operation, fused in (("bcast", begins), ("reduce", ends)):
        for tree in ("k_ary[k=4]", "k_nomial[k=4]"):
            choice = f"{operation}/{tree}"
            case = Case("passes", operation, num_ranks, 8, [_core.canonical(choice)])
            loose = forms(puts.LOOSE, "single", ["signaling_put"])
            one = puts.Calls()
            yield case.fastest("loose", loose, network.puts, one)
            apart = puts.Calls(barrier=f"barrier/{tree}", is_barrier_first=fused == begins)
            yield case.fastest("apart", loose, network.puts, apart)
            which = forms(fused, "single", ["signaling_put"])
            yield case.fastest("fused", which, network.puts, one)


def planning_times(declared: Mapping[str, Any], network: Network) -> Iterator[PutTime]:
    """What the planner chooses within its limits, and the best of all candidates."""
    given = declared["planning"]
    requests = {
        "strict single": (puts.STRICT, "single"),
        "strict local": (puts.STRICT, "local"),
        "loose single": (puts.LOOSE, "single"),
    }
    limits = (float(network.eager_bytes), float("inf"))
    for operation in given["operations"]:
        for size in given["sizes"]:
            key = ("planning", operation, given["ranks"], size)
            num_bytes = float(size * (given["ranks"] if operation in puts.HAS_PARTS else 1))
            for text, mode in requests.items():
                for is_exhaustive in (False, True):
                    choice, form, us = _core.one_sided_ranking(
                        *(operation, given["ranks"], num_bytes, mode),
                        *(network.puts, (*limits, is_exhaustive)),
                    )[0]
                    name = f"{choice} by {form[2].replace('_', ' ')}"
                    manner = f"{text} {'all' if is_exhaustive else 'planned'}"
                    yield puts.PutTime(*key, manner, name, us)


def main() -> None:
    """Parse the command line, and replay everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("times", type=Path)
    path = parser.parse_args().times
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    network = puts.network_of(declared)
    given = declared["one_sided"]
    times: list[PutTime] = []
    for part in (
        *(message_times, address_times, pass_times),
        *(underway_times, peer_times, planning_times),
    ):
        times += part(given, network)
        puts.write_times(times, path)
        print(f"{part.__name__}: {len(times)} times", file=sys.stderr, flush=True)  # noqa: T201
    note_date(path.parent, path.stem)


if __name__ == "__main__":
    main()
