# SPDX-License-Identifier: Apache-2.0
"""Plans: every pair that should be measured is, no rank is in two pairs at once, time is kept."""

from __future__ import annotations

import itertools
import json
from collections import Counter

import numpy as np
import pytest

from espalier.io import documents
from espalier.probing import pairings
from espalier.probing.detail_plan import LARGE_BYTES, detail_plan
from espalier.probing.matrix import Matrix
from espalier.probing.plan import header_plan
from espalier.probing.samples import Header, RankFacts, Result
from espalier.probing.scan import Scan, ScanLevel
from espalier.probing.scan_plan import ALONE, MATRIX, ScanWish, compare, scan_plan


def make_header(sizes, *, is_simulated=False):
    nodes = [node for node, size in enumerate(sizes) for _ in range(size)]
    ranks = tuple(
        RankFacts(rank, f"n{node}", node, "0", bound=True, online=8)
        for rank, node in enumerate(nodes)
    )
    return Header(len(nodes), "openmpi", "4.1.4", 0.03, is_simulated, ranks)


def make_scan(names, objects, rtts, *, hole=None):
    """A job whose levels hold the ranks as `objects` says, with one round trip a level."""
    levels = tuple(ScanLevel(*one) for one in zip(names, map(tuple, objects), strict=True))
    count = len(objects[0])
    scan = Scan(make_header([count]), Matrix(16384, np.zeros((1, 1))), levels, (), (), (), True)
    rtt_us = np.full((count, count), np.nan)
    for i, j in itertools.permutations(range(count), 2):
        rtt_us[i, j] = rtts[scan.crossing(i, j)]
    if hole:
        rtt_us[hole] = np.nan
    header = make_header(list(Counter(objects[names.index("node")]).values()))
    return Scan(header, Matrix(16384, rtt_us), levels, (), (), (), True)


def two_nodes_of_two_packages():
    ranks = range(16)
    return make_scan(
        ("node", "package", "core"),
        ([rank // 8 for rank in ranks], [rank // 4 for rank in ranks], list(ranks)),
        (100.0, 20.0, 10.0),
    )


def sets_of(plan, test, label):
    return [
        pairs for one in plan.tests if (one.test, one.label) == (test, label) for pairs in one.sets
    ]


def check(plan, num_ranks):
    text = json.dumps(plan.document())
    documents.parse(text, "plan", "espalier-probe-plan", 1)
    for test in plan.tests:
        for pairs in test.sets:
            ranks = [rank for pair in pairs for rank in pair]
            assert len(set(ranks)) == len(ranks)
            assert max(ranks) < num_ranks


class TestPairings:
    @pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 13, 64])
    def test_everybody_meets_everybody_once(self, count):
        rounds = pairings.tournament(count)
        assert len(rounds) == (0 if count == 1 else count - 1 + count % 2)
        met = [pair for meeting in rounds for pair in meeting]
        assert sorted(met) == list(itertools.combinations(range(count), 2))
        for meeting in rounds:
            assert len({one for pair in meeting for one in pair}) == 2 * len(meeting)

    def test_numbers_of_pairs(self):
        assert pairings.counts(5, dense=True) == [1, 2, 3, 4, 5]
        assert pairings.counts(13, dense=False) == [1, 2, 3, 4, 6, 8, 12, 13]
        assert pairings.counts(64, dense=True)[14:] == [15, 16, 24, 32, 48, 64]

    def test_halves_leave_the_odd_one_out(self):
        assert pairings.halves([5, 6, 7, 8, 9]) == [(5, 7), (6, 8)]


class TestScan:
    @pytest.mark.parametrize("sizes", [[2], [4], [24], [4, 4], [7, 1, 3], [1] * 9])
    def test_up_to_24_ranks_all_pairs_run_one_by_one(self, sizes):
        header = make_header(sizes)
        plan = scan_plan(header, ScanWish(), 10.0)
        check(plan, header.num_ranks)
        pairs = [pairs for test in plan.tests for pairs in test.sets]
        assert sorted(pairs) == [
            (pair,) for pair in sorted(itertools.permutations(range(header.num_ranks), 2))
        ]
        assert not plan.cuts

    @pytest.mark.parametrize("sizes", [[30], [8] * 8, [5, 7, 9, 11], [1] * 27, [3] * 11])
    def test_all_pairs_are_measured_once_if_asked_for(self, sizes):
        header = make_header(sizes)
        plan = scan_plan(header, ScanWish(all_pairs=True), 10.0)
        check(plan, header.num_ranks)
        found = Counter(pair for pairs in sets_of(plan, "latency", MATRIX) for pair in pairs)
        assert set(found) == set(itertools.permutations(range(header.num_ranks), 2))
        assert set(found.values()) == {1}
        assert not plan.cuts

    def test_a_sample_meets_every_two_nodes_and_is_said(self):
        header = make_header([8] * 64)
        plan = scan_plan(header, ScanWish(sample=2), 10.0)
        check(plan, 512)
        found = [pair for pairs in sets_of(plan, "latency", MATRIX) for pair in pairs]
        between = Counter((i // 8, j // 8) for i, j in found if i // 8 != j // 8)
        assert set(between) == set(itertools.permutations(range(64), 2))
        assert set(between.values()) == {2}
        assert len(set(found)) == len(found)
        inside = [(i, j) for i, j in found if i // 8 == j // 8]
        assert len(inside) == 64 * 8 * 7
        assert plan.cuts == (
            "of each two nodes 2 pair(s) of ranks were measured in both directions, not all",
        )
        # 64 nodes take 63 rounds, not 2016 turns.
        assert len(sets_of(plan, "latency", MATRIX)) == 56 + 63 * 4

    def test_some_pairs_are_repeated_alone(self):
        plan = scan_plan(make_header([8] * 8), ScanWish(), 10.0)
        alone = sets_of(plan, "latency", ALONE)
        assert 4 <= len(alone) <= 8
        together = {pair for pairs in sets_of(plan, "latency", MATRIX) for pair in pairs}
        assert all(len(pairs) == 1 and pairs[0] in together for pairs in alone)

    def test_one_after_another_has_the_same_pairs(self):
        header = make_header([8] * 4)
        together = scan_plan(header, ScanWish(), 10.0)
        alone = scan_plan(header, ScanWish(), 10.0, is_concurrent=False)
        pairs = sorted(pair for one in sets_of(together, "latency", MATRIX) for pair in one)
        assert sorted(sets_of(alone, "latency", MATRIX)) == [(pair,) for pair in pairs]
        assert not sets_of(alone, "latency", ALONE)

    def test_large_nodes_are_measured_in_one_direction(self):
        plan = scan_plan(make_header([65]), ScanWish(), 10.0)
        assert len(sets_of(plan, "latency", MATRIX)) == 65 * 64 / 2
        assert "one direction" in plan.cuts[0]

    def test_the_time_is_shared_by_the_sets(self):
        few = scan_plan(make_header([4]), ScanWish(), 10.0).effort
        many = scan_plan(make_header([64]), ScanWish(all_pairs=True), 10.0).effort
        assert few.seconds == many.seconds == 10.0
        assert few.seconds_per_set == 0.25
        assert many.seconds_per_set == pytest.approx(0.005)

    def test_a_plan_without_tests_fits_the_schema(self):
        check(header_plan(), 1)


def result(label, pairs, times):
    return Result(
        "latency",
        label,
        pairs,
        16384,
        1,
        10,
        True,
        times,
        times,
        times,
        times,
        times,
        1.0,
        0.0,
        1.0,
    )


class TestConcurrency:
    def test_equal_times_are_not_disturbed(self):
        results = [
            result(MATRIX, ((0, 8), (1, 9)), (10.0, 11.0)),
            result(ALONE, ((0, 8),), (10.5,)),
            result(ALONE, ((1, 9),), (10.5,)),
        ]
        found = compare(results)
        assert found is not None
        assert found.ratio == pytest.approx(1.0, abs=0.01)
        assert found.num_pairs == 2
        assert not found.is_disturbed

    def test_slower_together_is_disturbed(self):
        results = [
            result(MATRIX, ((0, 8), (1, 9)), (20.0, 21.0)),
            result(ALONE, ((0, 8),), (10.0,)),
        ]
        found = compare(results)
        assert found is not None
        assert found.is_disturbed

    def test_without_pairs_alone_nothing_is_known(self):
        assert compare([result(MATRIX, ((0, 1),), (1.0,))]) is None


class TestDetails:
    def test_levels_are_measured_alone_and_in_all_configurations(self):
        plan = detail_plan(two_nodes_of_two_packages(), 1e6, scan_bytes=16384)
        check(plan, 16)
        assert not plan.cuts
        across = sets_of(plan, "bandwidth", "node/across")
        assert across[-1] == tuple((i, i + 8) for i in range(8))
        assert [len(pairs) for pairs in across] == list(range(1, 9))
        assert sets_of(plan, "bandwidth", "package/across")[-1] == ((0, 4), (1, 5), (2, 6), (3, 7))
        assert sets_of(plan, "bandwidth", "core/disjoint")[-1] == ((0, 2), (1, 3))
        assert sets_of(plan, "latency", "core/disjoint 2")[-1] == ((4, 6), (5, 7))
        assert sets_of(plan, "bandwidth", "core/everywhere")[0] == ((0, 2), (4, 6))
        # Packages in rank order: halves of the node are the pairs across packages.
        assert not sets_of(plan, "latency", "package/halves")
        for test in ("send_overhead", "receive_overhead", "message_rate", "bidirectional"):
            for level in ("node", "package", "core"):
                assert sets_of(plan, test, f"{level}/pair"), (test, level)

    def test_sizes_reach_from_a_byte_to_16_mib(self):
        plan = detail_plan(two_nodes_of_two_packages(), 1e6, scan_bytes=16384)
        sizes = [
            size
            for test in plan.tests
            if (test.test, test.label) == ("latency", "node/pair")
            for size in test.bytes
        ]
        assert sizes == [1 << power for power in range(25)]

    def test_little_time_leaves_out_large_messages_and_says_so(self):
        scan = two_nodes_of_two_packages()
        plan = detail_plan(scan, 0.5, scan_bytes=16384)
        check(plan, 16)
        largest = max(size for test in plan.tests for size in test.bytes)
        assert largest < LARGE_BYTES[-1]
        assert any("messages above" in cut and "500 ms" in cut for cut in plan.cuts)
        assert plan.effort.seconds == 0.5
        # Enough for a line through large messages is always left.
        assert largest >= 512 * 1024

    def test_a_scan_of_small_messages_plans_for_as_large_ones(self):
        """2 us and 12.5 GB/s between two nodes, 300 ns and 6 GB/s in them."""
        largest = {}
        for num_bytes in (8, 1024):
            rtts = (2 * (2.0 + num_bytes / 12500), 2 * (0.3 + num_bytes / 6000))
            scan = make_scan(("node", "core"), ([0] * 4 + [1] * 4, list(range(8))), rtts)
            plan = detail_plan(scan, 42.0, scan_bytes=num_bytes)
            check(plan, 8)
            largest[num_bytes] = max(size for test in plan.tests for size in test.bytes)
        assert largest[8] == largest[1024] == LARGE_BYTES[-1]

    def test_halves_of_a_node_with_interleaved_packages(self):
        ranks = range(8)
        scan = make_scan(
            ("node", "package", "core"),
            ([0] * 8, [rank % 2 for rank in ranks], list(ranks)),
            (0.0, 20.0, 10.0),
        )
        plan = detail_plan(scan, 1e6, scan_bytes=16384)
        assert sets_of(plan, "latency", "package/halves")[-1] == ((0, 4), (1, 5), (2, 6), (3, 7))
        assert not [test for test in plan.tests if test.label.startswith("node/")]

    def test_the_typical_pair_is_not_the_slow_one(self):
        scan = make_scan(("node", "core"), ([0] * 4, [0, 1, 2, 3]), (0.0, 10.0))
        scan.matrix.rtt_us[0, 1] = 500.0
        plan = detail_plan(scan, 1e6, scan_bytes=16384)
        assert sets_of(plan, "send_overhead", "core/pair") != [((0, 1),)]

    def test_two_ranks_have_one_pair(self):
        scan = make_scan(("node", "core"), ([0, 0], [0, 1]), (0.0, 10.0), hole=(1, 0))
        plan = detail_plan(scan, 1e6, scan_bytes=16384)
        check(plan, 2)
        assert {test.label for test in plan.tests} == {"core/pair"}

    def test_uneven_nodes_use_the_smaller_number(self):
        objects = ([0, 0, 0, 1], [0, 1, 2, 3])
        plan = detail_plan(make_scan(("node", "core"), objects, (9.0, 1.0)), 1e6, scan_bytes=16384)
        check(plan, 4)
        assert not sets_of(plan, "latency", "node/across")

    def test_several_nodes_at_once(self):
        objects = ([0, 1, 2, 3], [0, 1, 2, 3])
        plan = detail_plan(make_scan(("node", "core"), objects, (9.0, 1.0)), 1e6, scan_bytes=16384)
        assert sets_of(plan, "bandwidth", "node/disjoint") == [((0, 2),), ((0, 2), (1, 3))]
        assert not [test for test in plan.tests if test.label.startswith("core/")]
