# SPDX-License-Identifier: Apache-2.0
"""Calls are tuned as the program makes them: root, operator, in place, sizes of parts."""

from __future__ import annotations

import pytest
from fake_runs import row, run

from espalier.improvement import budget, points, stakes
from espalier.improvement.manners import common_manner
from espalier.sampling.manner import Manner
from espalier.sampling.measurement import Effort, plan_document
from espalier.sampling.setting import Setting
from espalier.sampling.work import Work

RING = [[0, 5, 0, 0], [0, 0, 5, 0], [0, 0, 0, 5], [5, 0, 0, 0]]
MACHINE = "2n[latency=20us,bandwidth=100MB/s] x 2c[latency=1us,bandwidth=5GB/s]"


def roots(*counts):
    return {"roots": [{"root": root, "count": count} for root, count in counts]}


class TestCommonManner:
    def test_nothing_is_known_of_older_runs(self):
        assert common_manner("bcast", 100, [{}]).is_plain

    def test_one_root_is_kept_and_several_take_turns(self):
        assert common_manner("bcast", 100, [roots((3, 95), (0, 5))]) == Manner(root=3)
        assert common_manner("bcast", 100, [roots((3, 60), (0, 40))]).is_plain
        assert common_manner("bcast", 100, [roots((3, 10)), roots((0, 90))]) == Manner(root=0)

    def test_the_operator_is_that_of_most_calls(self):
        operators = [{"operator": "max", "count": 9}, {"operator": "sum", "count": 1}]
        assert common_manner("reduce", 8, [{"operators": operators}]).operator == "max"

    def test_calls_are_in_place_if_most_are(self):
        assert common_manner("allreduce", 8, [{"in_place": 0.9}]).in_place
        assert not common_manner("allreduce", 8, [{"in_place": 0.4}]).in_place

    def test_parts_of_one_call_are_brought_to_the_mean_size(self):
        found = common_manner("allgatherv", 200, [{}, {"part_bytes": [0, 10, 30, 60]}])
        assert found.part_bytes == (0, 20, 60, 120)
        assert found.bytes == 200

    def test_parts_of_reductions_are_whole_elements(self):
        found = common_manner("reduce_scatter", 400, [{"part_bytes": [2, 0, 38, 360]}])
        assert found.part_bytes == (8, 0, 40, 360)
        assert found.bytes == 408

    def test_nonblocking_calls_are_made_beside_the_work_of_the_program(self):
        beside = {"work": {"seconds": 0.004126, "tests": 2.4}}
        found = common_manner("iallreduce", 8, [{}, beside])
        assert found == Manner(work=Work(seconds=0.0041, num_tests=2))
        assert found.is_plain
        assert common_manner("ibcast", 8, [{**roots((1, 9)), **beside}]).plain == found
        assert common_manner("iallreduce", 8, [{}]).work == Work()
        assert common_manner("allreduce", 8, [beside]).work is None

    def test_parts_of_nonblocking_calls_keep_the_work_beside_them(self):
        beside = {"work": {"seconds": 0.001, "tests": 0}}
        found = common_manner("ialltoallv", 1000, [{"pair_bytes": RING, **beside}])
        assert found.pair_bytes[0] == (0, 1000, 0, 0)
        assert found.work == Work(seconds=0.001)

    def test_even_parts_are_the_plain_form(self):
        assert common_manner("allgatherv", 200, [{"part_bytes": [50, 51, 50, 49]}]).is_plain
        even = [[0, 50, 50], [50, 0, 50], [51, 50, 0]]
        assert common_manner("alltoallv", 150, [{"pair_bytes": even}]).is_plain

    def test_pairs_are_brought_to_what_a_rank_sends_in_the_mean(self):
        found = common_manner("alltoallv", 1000, [{"pair_bytes": RING}])
        assert found.pair_bytes[0] == (0, 1000, 0, 0)
        assert found.bytes == 1000
        assert found.text() == "uneven, 1 of 3 peers"

    def test_pairs_that_are_not_symmetric_cannot_be_in_place(self):
        found = common_manner("alltoallv", 5, [{"in_place": 1.0, "pair_bytes": RING}])
        assert found.pair_bytes
        assert not found.in_place

    @pytest.mark.parametrize("size", [0, 2**40])
    def test_what_cannot_be_measured_is_measured_in_the_plain_form(self, size):
        assert common_manner("alltoallv", size, [{"pair_bytes": RING}]).is_plain
        assert common_manner("gatherv", size, [{"part_bytes": [0, 9]}]).is_plain


class TestPoints:
    def point(self, call, manner, **facts):
        one = row(call, 5.0, **facts)
        one["communicators"][0]["manner"] = manner
        found = stakes.worth_tuning(stakes.all_stakes(run(one)), 4)
        (point,) = points.points_of(found, Setting(MACHINE, "block", 4))
        return point

    def test_the_measurement_plan_has_what_the_program_does(self):
        point = self.point("Alltoallv", {"pair_bytes": RING}, num_bytes=1000)
        requests = budget.requests_of([budget.Granted(point, 5.0)])
        (planned,) = plan_document(requests, Effort(1.0, 1.0, 1, 1, 0.1))["points"]
        assert planned["bytes"] == 1000
        assert planned["pair_bytes"] == [[1000 * (part > 0) for part in sent] for sent in RING]
        assert not {"root", "operator", "in_place", "part_bytes"} & set(planned)

    def test_parts_of_calls_that_count_their_own_are_the_whole(self):
        point = self.point("Gatherv", {"part_bytes": [0, 0, 10, 30]}, num_bytes=1000)
        assert point.bytes == 4000
        assert point.manner.part_bytes == (0, 0, 1000, 3000)

    def test_one_root_needs_one_proof(self):
        assert self.point("Bcast", roots((2, 400))).num_roots == 1
        assert self.point("Bcast", roots((2, 200), (1, 200))).num_roots == 4

    def test_operators_that_do_not_commute_have_candidates_that_keep_the_order(self):
        ordered = {"operators": [{"operator": "user_ordered", "count": 400}]}
        names = set(self.point("Allreduce", ordered).seconds)
        assert names
        assert not any(name.startswith(("allreduce/ring", "allreduce/circulant")) for name in names)
