# SPDX-License-Identifier: Apache-2.0
"""Published tables of [karlsson2012], and samples of machines whose parameters are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from espalier.probing.samples import Header, RankFacts, Result, Samples

if TYPE_CHECKING:
    from collections.abc import Sequence

KIB, MIB = 1024, 1024**2
SIZES = [KIB << i for i in range(15)]

# Tables 3.1 and 3.2: round trips in us and throughput as printed, from 1 KiB to 16 MiB.
RA_EXTERNAL_US = [17.31, 22.70, 27.23, 52.38, 77.99, 89.67, 140, 240, 460, 860, 1720, 3520]
RA_EXTERNAL_US += [7860, 16410, 32610]
RA_INTERNAL_US = [10.78, 8.82, 18.12, 22.51, 41.13, 74.43, 130, 230, 450, 870, 1690, 3350]
RA_INTERNAL_US += [6650, 13230, 26440]
ALAMODE_EXTERNAL_US = [56.92, 75.88, 110, 190, 330, 620, 1390, 2350, 4570, 9090, 18040, 35760]
ALAMODE_EXTERNAL_US += [71620, 143200, 281800]
ALAMODE_INTERNAL_US = [4.86, 7.62, 12.04, 20.87, 38.42, 82.67, 130, 230, 450, 980, 1730, 3740]
ALAMODE_INTERNAL_US += [8100, 16030, 31930]
RA_EXTERNAL_RATES = [118.319, 180.461, 300.873, 312.788, 420.174, 730.864, 949.820, 1092.737]
RA_EXTERNAL_RATES += [1136.622, 1214.829, 1222.104, 1190.149, 1067.380, 1022.415, 1028.836]

# Table 3.4: alpha in us and bandwidth in MB/s. Printed 9.68 for 2.68, see the tests.
FITS = {
    "RA external": (RA_EXTERNAL_US, 13.52, 1021.3),
    "RA internal": (RA_INTERNAL_US, 4.33, 1271.0),
    "Alamode external": (ALAMODE_EXTERNAL_US, 8.57, 118.92),
    "Alamode internal": (ALAMODE_INTERNAL_US, 2.68, 1046.3),
}

# Tables 3.5 to 3.10: round trips of 8 MiB in ms and total MB/s by number of pairs; rows 2 and 3 of
# Alamode external as the round trips have them (printed the other way round).
MULTI = {
    "Alamode external": ([136.9, 203.3, 257.1, 334.2], [122.53, 165.05, 195.73, 200.82]),
    "Alamode internal": ([13.702, 19.074], [1224.4, 1759.2]),
    "RA external": (
        [13.024, 14.091, 16.515, 16.236, 21.842, 24.909, 31.290, 38.273],
        [1288.1, 2381.3, 3047.6, 4133.4, 3840.5, 4041.3, 3753.3, 3506.9],
    ),
    "RA internal": ([12.536, 22.324, 29.360, 41.863], [1338.3, 1503.1, 1714.3, 1603.1]),
    "Jaguar external": (
        [
            *(9.7116, 10.475, 17.780, 24.346, 32.112, 34.533),
            *(41.201, 41.650, 43.057, 46.910, 48.103, 55.741),
        ],
        [
            *(1727.5, 3203.4, 2830.8, 2756.5, 2612.3, 2914.9),
            *(2850.4, 3222.5, 3506.9, 3576.5, 3836.6, 3611.8),
        ],
    ),
    "Jaguar internal": (
        [7.5703, 12.853, 13.816, 14.883, 18.028, 17.098],
        [2216.2, 2610.6, 3642.9, 4509.2, 4653.0, 5887.4],
    ),
}

# Table 3.3: two nodes of four ranks, 16 KiB, ms.
ALAMODE_MATRIX_MS = [
    [0.000, 0.021, 0.021, 0.026, 0.328, 0.315, 0.291, 0.284],
    [0.030, 0.000, 0.032, 0.029, 0.305, 0.287, 0.291, 0.317],
    [0.022, 0.038, 0.000, 0.034, 0.338, 0.292, 0.287, 0.301],
    [0.028, 0.029, 0.030, 0.000, 0.339, 0.303, 0.282, 0.296],
    [0.265, 0.224, 0.265, 0.254, 0.000, 0.032, 0.033, 0.032],
    [0.258, 0.222, 0.264, 0.224, 0.041, 0.000, 0.031, 0.029],
    [0.263, 0.225, 0.265, 0.224, 0.030, 0.034, 0.000, 0.027],
    [0.263, 0.225, 0.265, 0.225, 0.038, 0.036, 0.026, 0.000],
]
# Table 3.12: one node of four chips, 512 KiB, ms, the first ranks.
BLUEDROP_MATRIX_MS = [
    [0, 0.528, 0.299, 0.306, 0.283, 0.455],
    [0.529, 0, 0.505, 0.558, 0.500, 0.365],
    [0.238, 0.497, 0, 0.439, 0.297, 0.455],
    [0.335, 0.543, 0.351, 0, 0.333, 0.513],
    [0.220, 0.494, 0.311, 0.308, 0, 0.458],
    [0.455, 0.416, 0.461, 0.544, 0.455, 0],
]
# Table 4.1: one node of two chips, 16 KiB, us.
RA_MATRIX_US = [
    [0.00, 32.74, 30.69, 30.62, 32.42, 30.63, 32.25, 32.79],
    [32.37, 0.00, 32.97, 32.90, 30.35, 32.56, 30.59, 30.41],
    [30.60, 33.50, 0.00, 30.67, 32.68, 30.58, 32.52, 32.81],
    [30.34, 33.37, 30.75, 0.00, 32.73, 30.46, 32.78, 33.01],
    [32.67, 30.56, 32.81, 32.62, 0.00, 32.91, 30.53, 30.50],
    [30.61, 33.24, 30.97, 30.67, 32.87, 0.00, 32.76, 32.83],
    [32.70, 30.51, 32.65, 32.86, 30.62, 32.85, 0.00, 30.49],
    [32.91, 30.63, 32.87, 32.72, 30.50, 32.97, 30.67, 0.00],
]
# Table 4.2: 16 KiB, us, the first 7 of 32 ranks.
POWER7_MATRIX_US = [
    [0, 17.88, 9.42, 9.89, 9.57, 18.48, 9.64],
    [17.84, 0, 18.48, 18.52, 17.90, 9.76, 18.08],
    [9.91, 18.95, 0, 9.53, 9.78, 18.42, 9.43],
    [9.46, 17.87, 9.62, 0, 9.74, 17.88, 9.63],
    [9.91, 18.32, 9.56, 9.51, 0, 17.93, 9.66],
    [18.03, 9.63, 18.11, 17.84, 18.32, 0, 18.21],
    [9.67, 18.06, 9.71, 9.43, 9.58, 18.12, 0],
]
# Table 4.7: mean us, standard deviation and number of t11, t12, t22, t21.
GROUP_TIMES = {
    "RA": [(30.63, 0.152, 12), (32.77, 0.167, 16), (30.53, 0.092, 12), (32.83, 0.326, 16)],
    "Kraken": [(41.75, 0.846, 30), (45.61, 0.802, 36), (41.38, 0.833, 30), (45.04, 0.815, 36)],
    "BlueDrop": [
        *((35.15, 0.347, 240), (59.88, 0.711, 256)),
        *((34.25, 0.352, 240), (56.72, 0.541, 256)),
    ],
}
# Table 4.8: MB/s of the slowest message across groups, by number of messages.
SLOWEST_ACROSS = {
    "RA": [1228, 716, 544, 382],
    "Kraken": [2113, 1104, 987, 909, 878, 880],
    "BlueDrop": [2220, 2153, 1212, 1187, 1123, 1098],
}


@dataclass(frozen=True)
class FakeLevel:
    """What messages between objects of a level cost: us, and 10^6 bytes/s."""

    name: str
    object_of_rank: tuple[int, ...]
    alpha_us: float
    bandwidth: float
    channels: float = float("inf")
    shared_channels: float = float("inf")
    duplex: float = 2.0
    overhead_us: float = 0.2
    gap_us: float = 0.5
    eager_bytes: int = 1 << 62
    rendezvous_us: float = 0.0


@dataclass
class FakeMachine:
    """Levels outermost first, the last with one object a rank, and how disturbed it is.

    `noise` is the standard deviation of the logarithms of medians, `outliers` the share of them
    that is 2 to 10 times too long.
    """

    levels: Sequence[FakeLevel]
    seed: int = 0
    noise: float = 0.0
    outliers: float = 0.0
    spread: float = 0.02
    facts: dict[str, Any] = field(default_factory=dict)
    is_simulated: bool = False

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.num_ranks = len(self.levels[0].object_of_rank)

    def crossing(self, a: int, b: int) -> FakeLevel:
        return next(x for x in self.levels if x.object_of_rank[a] != x.object_of_rank[b])

    def header(self) -> Header:
        """Every rank bound to a core of its own, on the hosts and nodes of the level node."""
        nodes = {x.name: x.object_of_rank for x in self.levels}["node"]
        facts = [
            {
                "rank": rank,
                "host": f"n{nodes[rank]}",
                "node": nodes[rank],
                "cpus": str(nodes[:rank].count(nodes[rank])),
                "bound": True,
                "online": 64,
            }
            for rank in range(self.num_ranks)
        ]
        for name, values in self.facts.items():
            for rank, one in enumerate(facts):
                one[name] = values[rank]
        return Header(
            self.num_ranks,
            "openmpi",
            "Open MPI 4.1.4",
            0.0 if self.is_simulated else 0.02,
            self.is_simulated,
            tuple(RankFacts(**one) for one in facts),
        )

    def one_way_us(self, pair: tuple[int, int], size: int) -> float:
        link = self.crossing(*pair)
        waiting = link.rendezvous_us if size > link.eager_bytes else 0.0
        return link.alpha_us + waiting + size / link.bandwidth

    def time_us(self, test: str, pairs: Sequence[tuple[int, int]], size: int, count: int) -> float:
        """What the first pair takes while all are active."""
        link = self.crossing(*pairs[0])
        one_way = self.one_way_us(pairs[0], size)
        data = size / link.bandwidth * self.crowding(pairs)
        if test == "latency":
            return 2 * (one_way - size / link.bandwidth + data)
        if test == "bandwidth":
            return 2 * link.alpha_us + count * data
        if test == "bidirectional":
            return 2 * link.alpha_us + count * data * 2 / link.duplex
        if test == "message_rate":
            return 2 * link.alpha_us + (count - 1) * link.gap_us
        return link.overhead_us

    def crowding(self, pairs: Sequence[tuple[int, int]]) -> float:
        link = self.crossing(*pairs[0])
        senders = [link.object_of_rank[a] for a, _ in pairs]
        most = max(senders.count(sender) for sender in senders)
        return max(1.0, most / link.channels, len(pairs) / link.shared_channels)

    def disturbed(self, time: float) -> float:
        time *= float(np.exp(self.random.normal(0.0, self.noise))) if self.noise else 1.0
        if self.outliers and self.random.random() < self.outliers:
            time *= float(self.random.uniform(2.0, 10.0))
        return time

    def result(
        self,
        test: Any,
        pairs: Sequence[tuple[int, int]],
        size: int,
        count: int = 1,
        label: str = "pair",
    ) -> Result:
        times = tuple(self.disturbed(self.time_us(test, pairs, size, count)) for _ in pairs)
        half = [0.02 * time for time in times]
        return Result(
            test=test,
            label=label,
            pairs=tuple(pairs),
            bytes=size,
            messages=count,
            repetitions=20,
            converged=True,
            mean_us=times,
            sd_us=tuple(self.spread * time for time in times),
            median_us=times,
            low_us=tuple(t - h for t, h in zip(times, half, strict=True)),
            high_us=tuple(t + h for t, h in zip(times, half, strict=True)),
            slowest_mean_us=max(times),
            slowest_sd_us=self.spread * max(times),
            slowest_median_us=max(times),
        )

    def scan(self, size: int = 16 * KIB) -> Samples:
        """All ordered pairs, one after another."""
        ranks = range(self.num_ranks)
        pairs = [(a, b) for a in ranks for b in ranks if a != b]
        return Samples(self.header(), tuple(self.result("latency", [pair], size) for pair in pairs))

    def details(self, growing: dict[str, Sequence[tuple[int, int]]]) -> Samples:
        """All tests; `growing` are the pairs of each label, of which 1, 2, .. are active."""
        results = []
        for pairs in growing.values():
            results += self.tests_of_pair(pairs[0])
        for label, pairs in growing.items():
            for number in range(1, len(pairs) + 1):
                results.append(self.result("bandwidth", pairs[:number], MIB, 16, label))
                results.append(self.result("latency", pairs[:number], MIB, 1, label))
        return Samples(self.header(), tuple(results))

    def tests_of_pair(self, pair: tuple[int, int]) -> list[Result]:
        results = [self.result("latency", [pair], 1 << power) for power in range(25)]
        for size in (64 * KIB, MIB, 8 * MIB):
            results.append(self.result("bandwidth", [pair], size, 16))
            results.append(self.result("bidirectional", [pair], size, 16))
        results.append(self.result("message_rate", [pair], 8, 100))
        results += [self.result(test, [pair], 8) for test in ("send_overhead", "receive_overhead")]
        return results


def shuffled_levels(
    nodes: int, packages: int, cores: int, seed: int
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Node, package and core of each rank, with ranks placed at random."""
    count = nodes * packages * cores
    order = np.random.default_rng(1000 + seed).permutation(count)
    place = (order // (packages * cores), order // cores, order)
    node, package, core = (tuple(map(int, of_rank)) for of_rank in place)
    return node, package, core


def partition(of_rank: Sequence[int]) -> set[frozenset[int]]:
    """The sets of ranks with equal labels."""
    return {
        frozenset(rank for rank, found in enumerate(of_rank) if found == label)
        for label in set(of_rank)
    }
