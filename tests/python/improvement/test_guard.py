# SPDX-License-Identifier: Apache-2.0
"""Rules by which a program lost time are taken back, and no others."""

from __future__ import annotations

import itertools

import pytest

from espalier.improvement import guard


def rule(low, high, algorithm="bcast/chain", *, call="bcast", num_ranks=4, num_nodes=2):
    return {
        "collective": call,
        "num_ranks": num_ranks,
        "num_nodes": num_nodes,
        "min_bytes": low,
        "max_bytes": high,
        "algorithm": algorithm,
        "reason": "2x faster",
        "evidence": [],
    }


def compared(low, high, verdict="slower", *, function="MPI_Bcast", num_ranks=4):
    ratio = {"value": 0.8, "low": 0.7, "high": 0.9, "confidence": 0.95, "count": 6}
    return {
        "function": function,
        "num_ranks": num_ranks,
        "min_bytes": low,
        "max_bytes": high,
        "comparison": {"ratio": ratio, "verdict": verdict},
    }


def cut(rules, *rows):
    return guard.without_losses(rules, rows)


def ranges(rules):
    return [(one["min_bytes"], one["max_bytes"], one["algorithm"]) for one in rules]


class TestSlowerCalls:
    def test_only_significant_losses_count(self):
        rows = [compared(0, 1, "faster"), compared(2, 3), compared(4, 7, "same call")]
        rows.append({**compared(8, 15), "comparison": None})
        assert guard.slower_calls({"collectives": rows}) == [rows[1]]


class TestWithoutLosses:
    def test_a_hole_is_cut_into_a_rule(self):
        found = cut([rule(0, 99999)], compared(1024, 2047))
        assert ranges(found) == [
            (0, 1023, "bcast/chain"),
            (1024, 2047, "native"),
            (2048, 99999, "bcast/chain"),
        ]
        assert found[1]["reason"] == (
            "slower in the program: native / ours 0.80 (95 % interval 0.70 .. 0.90);"
            " was bcast/chain"
        )

    @pytest.mark.parametrize(
        ("low", "high", "expected"),
        [
            (0, None, [(0, None, "native")]),
            (1500, 1600, [(1500, 1600, "native")]),
            (1500, None, [(1500, 2047, "native"), (2048, None, "bcast/chain")]),
            (0, 1500, [(0, 1023, "bcast/chain"), (1024, 1500, "native")]),
            (0, 1023, [(0, 1023, "bcast/chain")]),
            (2048, None, [(2048, None, "bcast/chain")]),
        ],
    )
    def test_edges(self, low, high, expected):
        row = compared(0, None) if (low, high) == (0, None) else compared(1024, 2047)
        assert ranges(cut([rule(low, high)], row)) == expected

    def test_sizes_stay_covered_exactly_once(self):
        found = cut([rule(0, 5000), rule(5001, None, "bcast/flat")], compared(4096, 8191))
        edges = [(one["min_bytes"], one["max_bytes"]) for one in found]
        assert edges[0][0] == 0
        assert edges[-1][1] is None
        assert all(high + 1 == low for (_, high), (low, _) in itertools.pairwise(edges))

    @pytest.mark.parametrize(
        "other",
        [
            rule(0, None, call="reduce"),
            rule(0, None, num_ranks=8),
            rule(0, None, "native"),
        ],
    )
    def test_other_rules_are_left_alone(self, other):
        assert cut([other], compared(0, None)) == [other]
