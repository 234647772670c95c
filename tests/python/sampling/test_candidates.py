# SPDX-License-Identifier: Apache-2.0
"""What is measured of each call: candidates, sizes, and their order."""

from __future__ import annotations

import pytest

from espalier import _core
from espalier.errors import ArgumentError
from espalier.sampling.candidates import candidates_for, memory_variants, real_size, requests_for
from espalier.sampling.goal import Goal
from espalier.sampling.setting import Setting


class TestCandidates:
    def test_all_variants_are_candidates(self):
        found = candidates_for("bcast", 4, ())
        assert "bcast/binomial" in found
        assert all(choice.startswith("bcast/") for choice in found)

    def test_calls_with_other_block_sizes_share_algorithms(self):
        assert candidates_for("allgatherv", 4, ()) == candidates_for("allgather", 4, ())

    def test_have_the_shape_of_a_machine_that_is_known(self) -> None:
        dealt = Setting("2n x 4c", "cyclic", 8)
        found = candidates_for("bcast", 8, (), dealt)
        assert set(candidates_for("bcast", 8, ())) < set(found)
        assert any("rows=2" in name and "dealt=2" in name for name in found)
        filled = candidates_for("bcast", 8, (), Setting("2n x 4c", "block", 8))
        assert not any("dealt" in name for name in filled)
        trees = candidates_for("bcast", 8, ["bcast/orthogonal"], dealt)
        assert trees == [name for name in found if name.startswith("bcast/orthogonal")]

    def test_each_algorithm_comes_once_before_any_comes_again(self):
        (request,) = requests_for(Goal(("bcast",), (64,)), 16)
        names = [choice.partition("[")[0] for choice in request.algorithms]
        assert len(names) > len(set(names))
        assert len(set(names[: len(set(names))])) == len(set(names))

    def test_a_real_job_has_some_for_its_nodes(self):
        goal = Goal(("bcast", "gatherv"), (64,))
        (plain, _), (shaped, rooted) = (
            requests_for(goal, 8, nodes) for nodes in ((), (0, 0, 2, 2, 4, 4, 6, 6))
        )
        assert set(plain.algorithms) < set(shaped.algorithms)
        more = set(shaped.algorithms) - set(plain.algorithms)
        assert "bcast/multi_lane[rows=4,split=binomial,lane=chain,join=bruck]" in more
        # Two algorithms have groups, and their phases six choices, beside those of the MPI library.
        own = [name for name in more if "native" not in name and "shared_memory" not in name]
        assert len(own) == 2 * 6
        assert "bcast/orthogonal[rows=4,inner=native,across=binomial]" in more
        assert not any(_core.call_refuses("gatherv", name, 8) for name in rooted.algorithms)
        trees = requests_for(Goal(("bcast",), (64,), ("orthogonal",)), 8, (0, 0, 2, 2, 4, 4, 6, 6))
        assert trees[0].algorithms == tuple(
            name for name in shaped.algorithms if name.startswith("bcast/orthogonal")
        )

    @pytest.mark.parametrize("nodes", [(), (0,) * 8, tuple(range(8))])
    def test_one_node_and_ranks_alone_on_theirs_change_nothing(self, nodes, monkeypatch):
        monkeypatch.setenv("ESPALIER_NODE", "off")
        for call in ("bcast", "allreduce"):
            (request,) = requests_for(Goal((call,), (64,)), 8, nodes)
            assert sorted(request.algorithms) == sorted(candidates_for(call, 8, ()))

    def test_ranks_of_a_node_may_share_memory(self, monkeypatch):
        monkeypatch.delenv("ESPALIER_NODE", raising=False)
        (request,) = requests_for(Goal(("barrier",), (64,)), 2, (0, 0))
        plain = candidates_for("barrier", 2, ())
        assert sorted(request.algorithms[: len(plain)]) == sorted(plain)
        shared = request.algorithms[len(plain) :]
        assert len(shared) == len(plain)
        assert "barrier/recursive_doubling[shared_memory=1]" in shared
        assert all("shared_memory=1" in name for name in shared)

    def test_only_calls_that_wait_can_use_memory(self, monkeypatch):
        monkeypatch.delenv("ESPALIER_NODE", raising=False)
        choices = candidates_for("barrier", 2, ())
        assert len(memory_variants("barrier", choices, (0, 0))) == len(choices)
        assert memory_variants("ibarrier", choices, (0, 0)) == []

    def test_candidates_can_serve_the_call(self):
        assert "alltoall/bruck" in candidates_for("alltoall", 8, ())
        assert "alltoall/bruck" not in candidates_for("alltoallv", 8, ())
        assert candidates_for("gatherv", 8, ["alltoall/bruck[k=2]", "gather/flat"]) == [
            "gather/flat"
        ]

    def test_patterns_select(self):
        assert candidates_for("allgather", 4, ["ring"]) == ["allgather/ring"]
        assert candidates_for("bcast", 4, ["allgather/ring"]) == []
        exact = "bcast/k_nomial[k=3,segments=2]"
        assert candidates_for("bcast", 4, [exact]) == [exact]
        with pytest.raises(ArgumentError, match="nope"):
            candidates_for("bcast", 4, ["nope"])

    def test_algorithms_that_do_not_accept_the_ranks_are_left_out(self):
        assert "allgather/neighbor_exchange" not in candidates_for("allgather", 5, ())
        goal = Goal(("allgather",), (64,), ("neighbor_exchange",))
        with pytest.raises(ArgumentError, match="expected algorithms for 5 ranks"):
            requests_for(goal, 5)

    @pytest.mark.parametrize(
        ("call", "size", "real"),
        [
            ("allgather", 64, 65),
            ("allgatherv", 64, 64),
            ("allreduce", 9, 16),
            ("barrier", 64, 0),
            ("reduce_scatter", 9, 16),
            ("reduce_scatter_block", 9, 40),
            ("scatter", 64, 65),
        ],
    )
    def test_sizes_are_multiples_of_what_is_moved(self, call, size, real):
        assert real_size(call, size, 5) == real

    def test_sizes_become_what_the_call_can_have(self):
        goal = Goal(("allgather", "bcast"), (1, 2, 64), ("ring", "flat"))
        sizes = [(one.collective, one.bytes) for one in requests_for(goal, 5)]
        assert sizes == [
            ("allgather", 5),
            ("allgather", 65),
            ("bcast", 1),
            ("bcast", 2),
            ("bcast", 64),
        ]

    @pytest.mark.parametrize(
        ("change", "text"),
        [
            ({"collectives": ("ialltoall",)}, "ialltoall"),
            ({"sizes": (0,)}, "from 1 B to 1 GiB"),
            ({"sizes": (2**31,)}, "from 1 B to 1 GiB"),
            ({"seconds": 0.0}, "time budget above 0"),
            ({"confidence": 1.0}, "confidence in 0.5 .. 1"),
            ({"min_gain": -0.1}, "least gain"),
        ],
    )
    def test_goals_that_cannot_be_reached_are_refused(self, change, text):
        with pytest.raises(ArgumentError, match=text):
            Goal(**{"collectives": ("bcast",), "sizes": (64,), **change}).check()
