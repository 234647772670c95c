# SPDX-License-Identifier: Apache-2.0
"""What a program spends time on, and which points follow from it."""

from __future__ import annotations

from collections import Counter

import pytest

from espalier.improvement import points, stakes
from espalier.profiles.profiles import Shape
from espalier.sampling.setting import Setting


def row(  # noqa: PLR0913 - a row has them
    function,
    seconds,
    *,
    num_bytes=1000,
    num_ranks=4,
    count=100,
    reason="forced",
    ranks="0-3",
    num_nodes=2,
):
    """Return a class of calls of four ranks; `seconds` is the time of each of them."""
    size_class = num_bytes.bit_length()
    return {
        "function": f"MPI_{function}",
        "num_ranks": num_ranks,
        "min_bytes": 0 if size_class == 0 else 1 << (size_class - 1),
        "max_bytes": (1 << size_class) - 1,
        "algorithm": "native",
        "reason": reason,
        "count": 4 * count,
        "bytes": 4 * count * num_bytes,
        "seconds": 4 * seconds,
        "communicators": [
            {
                "num_nodes": num_nodes,
                "ranks": ranks,
                "count": 4 * count,
                "bytes": 4 * count * num_bytes,
                "seconds": 4 * seconds,
            }
        ],
    }


def run(*rows, seconds=10.0):
    return {"num_ranks": 4, "num_files": 4, "seconds": seconds, "calls": list(rows)}


class TestStakes:
    def test_the_costliest_calls_come_first_with_their_share(self):
        found = stakes.all_stakes(run(row("Bcast", 1.0), row("Reduce_scatter_block", 3.0)))
        assert [one.call for one in found] == ["reduce_scatter_block", "bcast"]
        assert [one.share for one in found] == pytest.approx([0.3, 0.1])
        assert found[1].num_calls == 100
        assert found[1].bytes == 1000

    def test_rows_that_differ_in_their_reason_only_are_one_stake(self):
        found = stakes.all_stakes(run(row("Bcast", 1.0), row("Bcast", 2.0, reason="no rule")))
        assert [one.seconds for one in found] == [3.0]

    @pytest.mark.parametrize(
        "reason", ["intercommunicator", "ranks outside MPI_COMM_WORLD", "no data", "one rank"]
    )
    def test_calls_that_no_profile_can_change_are_none(self, reason):
        assert stakes.all_stakes(run(row("Bcast", 1.0, reason=reason))) == []

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
        return points.requests_of(points.affordable(wanted, 1000.0))

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


class TestTime:
    def point(self, native_seconds, *candidates):
        names = {f"bcast/k_nomial[k={i + 2}]": seconds for i, seconds in enumerate(candidates)}
        return points.Point("bcast", int(1e9 * native_seconds), names, native_seconds)

    def test_what_fits_is_measured_with_all_candidates(self):
        wanted = [self.point(0.01, 0.01, 0.01), self.point(0.001, 0.001)]
        assert points.affordable(wanted, 100.0) == wanted

    def test_costly_points_that_do_not_fit_get_fewer_candidates(self):
        point = self.point(0.1, *[0.1] * 6)
        (found,) = points.affordable([self.point(1e-6, 1e-6), point], point.needed_seconds)[1:]
        assert len(found.seconds) == 3

    def test_what_does_not_fit_at_all_is_left_out(self):
        wanted = [self.point(0.01, 0.01), self.point(10.0, 10.0), self.point(0.01, 0.02)]
        assert points.affordable(wanted, 5.0) == [wanted[0], wanted[2]]

    def test_the_costliest_calls_of_a_program_are_measured_in_any_case(self):
        wanted = [self.point(10.0, *[10.0] * 6)]
        assert len(points.affordable(wanted, 5.0)) == 1

    def test_time_is_shared_as_it_is_needed_and_cheap_points_come_first(self):
        cheap, dear = self.point(0.001, 0.001), self.point(0.5, 0.5)
        first, second = points.requests_of([dear, cheap])
        assert (first.bytes, second.bytes) == (cheap.bytes, dear.bytes)
        assert second.weight / first.weight == pytest.approx(
            dear.needed_seconds / cheap.needed_seconds, rel=1e-2
        )
        assert first.weight + second.weight == pytest.approx(2.0, rel=1e-3)
