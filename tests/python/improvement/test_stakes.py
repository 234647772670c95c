# SPDX-License-Identifier: Apache-2.0
"""What a program spends time on, and which points follow from it."""

from __future__ import annotations

from collections import Counter

import pytest
from fake_runs import row, run

from espalier import _core
from espalier.improvement import budget, points, stakes
from espalier.profiles.profiles import Shape
from espalier.sampling.manner import Manner
from espalier.sampling.setting import Setting
from espalier.sampling.work import Work


class TestStakes:
    def test_the_costliest_calls_come_first_with_their_share(self):
        found = stakes.all_stakes(run(row("Bcast", 1.0), row("Reduce_scatter_block", 3.0)))
        assert [one.call for one in found] == ["reduce_scatter_block", "bcast"]
        assert [one.share for one in found] == pytest.approx([0.3, 0.1])
        assert found[1].num_calls == 100
        assert found[1].bytes == 1000

    def test_nonblocking_calls_are_among_them_and_persistent_ones_are_not(self):
        started = run(row("Iallreduce", 2.0), row("Allreduce_init", 3.0), row("Ineighbor_x", 1.0))
        (found,) = stakes.all_stakes(started)
        assert (found.call, found.seconds, found.point) == ("iallreduce", 2.0, ("iallreduce", 1000))

    def test_rows_that_differ_in_their_reason_only_are_one_stake(self):
        found = stakes.all_stakes(run(row("Bcast", 1.0), row("Bcast", 2.0, reason="no rule")))
        assert [one.seconds for one in found] == [3.0]

    @pytest.mark.parametrize(
        "reason", ["intercommunicator", "ranks outside MPI_COMM_WORLD", "no data", "one rank"]
    )
    def test_calls_that_no_profile_can_change_are_none(self, reason):
        assert stakes.all_stakes(run(row("Bcast", 1.0, reason=reason))) == []

    def test_calls_that_are_too_large_to_measure_are_left_out(self):
        rows = row("Alltoall", 1.0, num_bytes=2**31), row("Bcast", 1.0, num_bytes=2**30)
        found = stakes.all_stakes(run(*rows))
        assert [stake.call for stake in found if stakes.is_too_large(stake)] == ["alltoall"]
        assert [stake.call for stake in stakes.worth_tuning(found, 4)] == ["bcast"]

    def test_communicators_that_nobody_knows_are_not_worth_tuning(self):
        rows = row("Bcast", 1.0, ranks=""), row("Bcast", 2.0, num_ranks=2, ranks="")
        found = stakes.worth_tuning(stakes.all_stakes(run(*rows)), 4)
        assert [one.shape.num_ranks for one in found] == [4]

    def test_shapes_are_told_apart_by_their_nodes(self):
        rows = [
            row("Bcast", 1.0, num_ranks=2, ranks="0-1", num_nodes=1),
            row("Bcast", 2.0, num_ranks=2, ranks="0,2", num_nodes=2),
            row("Bcast", 0.5, num_ranks=2, ranks="2-3", num_nodes=1),
        ]
        found = stakes.by_shape(stakes.all_stakes(run(*rows)))
        assert [(shape.num_nodes, len(part)) for shape, part in found.items()] == [(2, 1), (1, 1)]
        (inside,) = found[Shape(2, 1)]
        assert inside.communicators == ("0-1", "2-3")
        assert inside.seconds == pytest.approx(1.5)
        assert inside.num_calls == 200

    def test_communicators_with_a_common_rank_are_not_timed_together(self):
        rows = [
            row("Bcast", 1.0, num_ranks=2, ranks="0,2", num_nodes=2),
            row("Reduce", 3.0, num_ranks=2, ranks="1,2", num_nodes=2),
            row("Reduce", 2.0, num_ranks=2, ranks="0,3", num_nodes=2),
        ]
        assert stakes.groups_of(stakes.all_stakes(run(*rows))) == [[1, 2], [0, 3]]

    @pytest.mark.parametrize(
        ("text", "ranks"),
        [
            ("", []),
            ("5", [5]),
            ("0-3,8", [0, 1, 2, 3, 8]),
            ("0-12:4", [0, 4, 8, 12]),
            ("2-3,0-1", [2, 3, 0, 1]),
        ],
    )
    def test_ranks_are_read_as_statistics_write_them(self, text, ranks):
        assert stakes.parse_ranks(text) == ranks

    def test_what_takes_no_time_is_not_worth_tuning(self):
        found = stakes.all_stakes(run(row("Bcast", 0.001), row("Reduce", 1.0)))
        assert [one.call for one in stakes.worth_tuning(found, 4)] == ["reduce"]

    def test_sizes_that_a_call_rounds_to_the_same_are_one_stake(self):
        found = stakes.all_stakes(
            run(row("Allgather", 2.0, num_bytes=7), row("Allgather", 1.0, num_bytes=8))
        )
        assert len(found) == 2
        assert [one.bytes for one in stakes.worth_tuning(found, 4)] == [7]


class TestPoints:
    machine = "2n[latency=20us,bandwidth=100MB/s] x 2c[latency=1us,bandwidth=5GB/s]"

    def requests(self, *rows):
        found = stakes.worth_tuning(stakes.all_stakes(run(*rows)), 4)
        wanted = points.points_of(found, Setting(self.machine, "block", 4))
        return budget.requests_of([budget.Granted(one, 10.0) for one in wanted])

    def test_points_are_the_program_s_own(self):
        found = self.requests(row("Bcast", 1.0), row("Allgather", 2.0, num_bytes=4096))
        assert {(one.collective, one.bytes) for one in found} == {
            ("allgather", 4096),
            ("bcast", 1000),
        }
        assert all(one.has_native and one.algorithms for one in found)

    def test_a_barrier_has_no_size(self):
        found = self.requests(row("Barrier", 1.0, num_bytes=0))
        assert [(one.collective, one.bytes) for one in found] == [("barrier", 0)]

    def test_a_size_that_only_some_ranks_know_is_tried_at_several(self):
        found = self.requests(row("Alltoallv", 1.0, num_bytes=0))
        assert len({one.bytes for one in found}) == 3

    def test_large_messages_have_fewer_candidates(self):
        small, large = self.requests(
            row("Allreduce", 2.0, num_bytes=512), row("Allreduce", 1.0, num_bytes=1 << 20)
        )
        assert len(small.algorithms) > len(large.algorithms) > 2

    def test_no_algorithm_fills_a_shortlist_alone(self):
        (point,) = self.requests(row("Allreduce", 2.0, num_bytes=1 << 20))
        counts = Counter(name.partition("[")[0] for name in point.algorithms)
        assert len(counts) > 1
        assert max(counts.values()) <= 3

    @pytest.mark.parametrize("size", [8, 1 << 20])
    def test_on_one_node_each_candidate_may_also_use_memory(self, size, monkeypatch):
        monkeypatch.setattr(self, "machine", "1n x 4c[latency=1us,bandwidth=5GB/s]")
        monkeypatch.delenv("ESPALIER_NODE", raising=False)
        (shared,) = self.requests(row("Allreduce", 1.0, num_bytes=size))
        monkeypatch.setenv("ESPALIER_NODE", "off")
        (plain,) = self.requests(row("Allreduce", 1.0, num_bytes=size))
        assert not any("shared_memory" in name for name in plain.algorithms)
        more = _core.memory_variants(plain.algorithms, (0,) * 4)
        assert len(more) > 1
        assert set(shared.algorithms) == {*plain.algorithms, *more}

    def test_on_several_nodes_only_groups_may_use_memory(self, monkeypatch):
        monkeypatch.delenv("ESPALIER_NODE", raising=False)
        rows = row("Allreduce", 1.0, num_bytes=8, num_ranks=16, ranks="0-15", num_nodes=4)
        found = stakes.worth_tuning(stakes.all_stakes(run(rows)), 16)
        machine = "4n[latency=20us,bandwidth=100MB/s] x 4c[latency=1us,bandwidth=5GB/s]"
        (point,) = points.points_of(found, Setting(machine, "block", 16))
        shared = [name for name in point.seconds if "shared_memory=1" in name]
        assert 0 < len(shared) < len(point.seconds) / 2
        assert all("rows=" in name or "sizes=" in name for name in shared)

    def test_few_candidates_are_the_fastest_in_both_forms(self, monkeypatch):
        monkeypatch.delenv("ESPALIER_NODE", raising=False)
        found = stakes.worth_tuning(stakes.all_stakes(run(row("Allgather", 1.0, num_bytes=8))), 4)
        setting = Setting("1n x 4c[latency=1us,bandwidth=5GB/s]", "block", 4)
        (point,) = points.points_of(found, setting)
        first, second, third = point.shortened().seconds
        assert second == _core.memory_variants([first], (0,) * 4)[0]
        assert "shared_memory" not in third

    def test_waiting_for_late_ranks_does_not_make_a_call_too_long_to_tune(self):
        waiting = row("Barrier", 9.0, num_bytes=0, count=1)
        found = stakes.worth_tuning(stakes.all_stakes(run(waiting)), 4)
        (point,) = points.points_of(found, Setting(self.machine, "block", 4))
        assert point.needed_seconds < 3.0
        assert point.seconds_at_stake == 9.0

    def test_work_beside_a_call_takes_time_to_repeat(self):
        alone, beside = (
            points.Point("iallreduce", 8, {"allreduce/ring": 0.001}, 0.001, 1.0, manner=manner)
            for manner in (Manner(work=Work()), Manner(work=Work(seconds=0.01)))
        )
        num_calls = (beside.needed_seconds - alone.needed_seconds) / 0.01
        assert num_calls == pytest.approx(32 + 8 + 48)

    def test_results_of_rooted_calls_are_proved_from_several_roots(self):
        rows = row("Bcast", 5.0, count=10), row("Allgather", 5.0, count=10)
        found = stakes.worth_tuning(stakes.all_stakes(run(*rows)), 4)
        wanted = points.points_of(found, Setting(self.machine, "block", 4))
        assert {one.collective: one.num_roots for one in wanted} == {"bcast": 4, "allgather": 1}
