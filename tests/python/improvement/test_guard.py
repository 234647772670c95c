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


_RATIO = {"value": 0.8, "low": 0.7, "high": 0.9, "confidence": 0.95, "count": 6}


def compared(low, high, verdict="slower", *, nodes=(), function="MPI_Bcast"):
    """Return a class of calls of a comparison; `nodes` are verdicts by number of nodes."""
    return {
        "function": function,
        "num_ranks": 4,
        "min_bytes": low,
        "max_bytes": high,
        "comparison": {"ratio": _RATIO, "verdict": verdict},
        "nodes": [
            {"num_nodes": number, "comparison": {"ratio": _RATIO, "verdict": one}}
            for number, one in nodes
        ],
    }


def comparison(*rows, whole="faster"):
    return {"collectives": rows, "wall": {"verdict": whole}}


def cut(rules, *rows, whole="faster"):
    return guard.kept(rules, comparison(*rows, whole=whole))


def ranges(rules):
    return [(one["min_bytes"], one["max_bytes"], one["algorithm"]) for one in rules]


class TestJudged:
    def test_calls_that_were_not_compared_say_nothing(self):
        rows = [compared(2, 3), {**compared(8, 15), "comparison": None}]
        (found,) = guard.judged(comparison(*rows))
        assert found == guard.Judged("bcast", 4, 0, 2, 3, _RATIO, "slower")

    def test_a_loss_is_seen_behind_a_gain_on_other_nodes(self):
        row = compared(0, 1, "faster", nodes=[(1, "slower"), (2, "faster")])
        found = guard.judged(comparison(row))
        assert [(one.num_nodes, one.verdict) for one in found] == [(1, "slower"), (2, "faster")]

    @pytest.mark.parametrize("call", ["neighbor_alltoallv", "ineighbor_allgather", "bcast_init"])
    def test_calls_that_are_not_tuned_are_not_judged(self, call):
        row = compared(0, 0, function=f"MPI_{call.capitalize()}")
        assert guard.judged(comparison(row)) == []


class TestEvidence:
    """What stays if the program as a whole is faster, and if it is not."""

    undecided = "no significant difference"

    def test_only_significant_losses_go_from_a_faster_program(self):
        rules = [rule(0, 9), rule(10, 19), rule(20, 29)]
        rows = compared(0, 9, self.undecided), compared(10, 19), compared(20, 29, "same call")
        found = [one["algorithm"] for one in cut(rules, *rows)]
        assert found == ["bcast/chain", "native", "bcast/chain"]

    def test_only_gains_stay_in_a_program_that_is_not_faster(self):
        rules = [rule(0, 9), rule(10, 19), rule(20, 29)]
        rows = compared(0, 9, self.undecided), compared(10, 19, "faster")
        found = cut(rules, *rows, whole=self.undecided)
        assert [one["algorithm"] for one in found] == ["native", "bcast/chain", "native"]
        assert found[0]["reason"].startswith("not faster in the program: native / ours 0.80")
        assert found[2]["reason"] == "not called by the program; was bcast/chain"

    def test_a_rule_that_stays_is_cut_where_its_calls_did_not_gain(self):
        rows = compared(0, 9, "faster"), compared(10, 19, self.undecided)
        assert ranges(cut([rule(0, 99)], *rows, whole=self.undecided)) == [
            (0, 9, "bcast/chain"),
            (10, 19, "native"),
            (20, 99, "bcast/chain"),
        ]

    def test_too_few_runs_prove_nothing_and_change_nothing(self):
        rules = [rule(0, 9)]
        row = compared(0, 9, "too few repetitions")
        assert cut(rules, row, whole="too few repetitions") == rules


def _whole(value, high, verdict="no significant difference"):
    """Return a comparison of a program of 2 s, of which calls of 0.2 s take half as long."""
    ratio = {"value": 2.2, "low": 2.0, "high": 2.4, "confidence": 0.95, "count": 6}
    faster = {"native_seconds": 0.2, "comparison": {"ratio": ratio, "verdict": "faster"}}
    slower = {"native_seconds": 0.3, "comparison": {"ratio": _RATIO, "verdict": "slower"}}
    return {
        "wall": {"ratio": {**ratio, "value": value, "high": high}, "verdict": verdict},
        "program": {"before_seconds": {"value": 2.0}},
        "collectives": [faster, slower, {"native_seconds": 1.0, "comparison": None}],
    }


class TestShare:
    """Of a program of 2 s, in which rows were compared."""

    def share(self, rules, *rows):
        times = {"native_seconds": 0.1, "espalier_seconds": 0.2}
        found = comparison(*[{**row, **times} for row in rows])
        found["program"] = {"before_seconds": {"value": 2.0}}
        return guard.share_of(rules, found)

    def test_calls_count_once_and_with_what_they_lose(self):
        rules = [rule(0, 5), rule(0, 5, num_nodes=1), rule(6, 9)]
        assert self.share(rules, compared(4, 7), compared(8, 15)) == pytest.approx(0.2)

    @pytest.mark.parametrize(
        "other",
        [rule(0, 3), rule(8, None), rule(0, None, num_ranks=8), rule(0, None, call="reduce")],
        ids=["below", "above", "ranks", "call"],
    )
    def test_other_calls_do_not(self, other):
        assert self.share([other], compared(4, 7)) == 0

    def test_rules_for_all_sizes_are_about_calls_of_any(self):
        row = compared(4096, 8191, function="MPI_Alltoallv")
        assert self.share([rule(0, None, call="alltoallv")], row) == pytest.approx(0.1)


class TestWholeRuns:
    @pytest.mark.parametrize(
        ("value", "verdict", "is_slower"),
        [
            (0.90, "slower", True),
            (0.96, "no significant difference", True),
            (1.01, "no significant difference", False),
            (1.20, "faster", False),
            (0.96, "too few repetitions", False),
        ],
    )
    def test_no_rule_stays_in_a_program_that_takes_longer(self, value, verdict, *, is_slower):
        assert guard.is_slower({"verdict": verdict, "ratio": {"value": value}}) == is_slower

    def test_calls_that_are_significantly_faster_save_time(self):
        assert guard.saved_share(_whole(0.98, 1.05)) == pytest.approx(0.05)

    @pytest.mark.parametrize(
        ("value", "high", "verdict", "expected"),
        [
            (0.98, 1.06, "no significant difference", True),
            (0.98, 1.04, "no significant difference", False),
            (1.01, 1.09, "no significant difference", False),
            (0.98, 0.99, "slower", False),
            (0.98, 1.06, "too few repetitions", False),
        ],
    )
    def test_a_loss_may_be_chance_if_runs_are_uneven(self, value, high, verdict, *, expected):
        assert guard.may_be_chance(_whole(value, high, verdict)) == expected

    def test_nothing_is_chance_if_calls_save_nothing(self):
        found = {**_whole(0.98, 1.2), "collectives": []}
        assert not guard.may_be_chance(found)


class TestCuts:
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

    @pytest.mark.parametrize("call", ["alltoallv", "ialltoallv", "gatherv"])
    def test_a_rule_for_all_sizes_is_not_cut(self, call):
        # Such calls are counted as calls of 0 bytes, as no size is known to all ranks.
        row = compared(0, 0, function=f"MPI_{call.capitalize()}")
        assert ranges(cut([rule(0, None, call=call)], row)) == [(0, None, "native")]

    def test_rules_for_other_numbers_of_nodes_are_left_alone(self):
        rules = [rule(0, 9, num_nodes=1), rule(0, 9, num_nodes=2)]
        found = cut(rules, compared(0, None, nodes=[(1, "slower"), (2, "faster")]))
        assert [one["algorithm"] for one in found] == ["native", "bcast/chain"]

    def test_without_known_nodes_all_rules_for_as_many_ranks_are_taken_back(self):
        rules = [rule(0, 9, num_nodes=1), rule(0, 9, num_nodes=2)]
        assert ranges(cut(rules, compared(0, None))) == [(0, 9, "native")] * 2

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
