# SPDX-License-Identifier: Apache-2.0
"""Choosing from exact times, sizes between, and what is measured next."""

from __future__ import annotations

import itertools

import pytest

from espalier import _core
from espalier.profiles.profiles import Shape
from espalier.sampling.samples import NATIVE, Point, Problem, Request
from espalier.sampling.setting import Setting
from espalier.sampling.simulation import SimulatedJob
from espalier.tuning import exact
from espalier.tuning.call_tuning import CallTuning, Policy, Shortlist
from espalier.tuning.exact import Times
from espalier.tuning.rules import make_rules
from espalier.tuning.simulated_goal import SimulatedGoal

_MACHINE = "4n[latency=2us,bandwidth=1GB/s] x 2c[latency=300ns,bandwidth=6GB/s]"
_SETTING = Setting(_MACHINE, "block", 8)


def choose(*rows, call="bcast", min_gain=0.0, keeps_native=True):
    return [
        one.algorithm
        for one in exact.choose(call, rows, min_gain=min_gain, keeps_native=keeps_native)
    ]


def times(size, **us):
    return Times(size, {name.replace("_", "/", 1): time for name, time in us.items()})


class TestChoosing:
    def test_the_fastest_is_chosen(self):
        assert choose(times(8, native=2.0, bcast_flat=1.9, bcast_binomial=1.8)) == [
            "bcast/binomial"
        ]

    def test_equal_times_make_fewer_rules(self):
        first = times(8, native=9.0, bcast_flat=1.0, bcast_binomial=1.0005)
        second = times(64, native=9.0, bcast_flat=2.0, bcast_binomial=1.0)
        assert choose(first, second) == ["bcast/binomial", "bcast/binomial"]
        assert choose(times(8, native=9.0, bcast_flat=1.0, bcast_binomial=1.002), second) == [
            "bcast/flat",
            "bcast/binomial",
        ]

    def test_native_is_left_for_a_gain_only(self):
        row = times(8, native=1.0, bcast_flat=1.0), times(64, native=1.0, bcast_flat=0.97)
        assert choose(*row) == [NATIVE, "bcast/flat"]
        assert choose(*row, min_gain=0.05) == [NATIVE, NATIVE]
        assert choose(*row, keeps_native=False) == ["bcast/flat", "bcast/flat"]

    def test_without_native_the_best_is_chosen(self):
        assert choose(times(8, bcast_flat=3.0, bcast_binomial=2.0)) == ["bcast/binomial"]

    def test_a_call_of_unknown_size_has_one_choice_that_is_nowhere_slower(self):
        assert not _core.has_known_size("alltoallv")
        small = times(8, native=2.0, alltoall_linear=1.0, alltoall_pairwise=1.5)
        large = times(64, native=2.0, alltoall_linear=2.1, alltoall_pairwise=1.9)
        assert choose(small, large, call="alltoallv") == ["alltoall/pairwise"] * 2
        slower = times(512, native=2.0, alltoall_linear=2.1, alltoall_pairwise=2.1)
        assert choose(small, large, slower, call="alltoallv") == [NATIVE] * 3
        mean = choose(small, large, slower, call="alltoallv", keeps_native=False)
        assert mean == ["alltoall/linear"] * 3

    def test_sizes_between_different_choices_are_wanted_down_to_a_factor_of_two(self):
        row = [
            times(64, native=9.0, bcast_flat=1.0, bcast_binomial=2.0),
            times(512, native=9.0, bcast_flat=2.0, bcast_binomial=1.0),
            times(4096, native=9.0, bcast_flat=2.0, bcast_binomial=1.0),
        ]
        assert exact.sizes_between(exact.choose("bcast", row, min_gain=0.0, keeps_native=True)) == [
            181
        ]
        near = [row[0], times(128, native=9.0, bcast_flat=2.0, bcast_binomial=1.0)]
        chosen = exact.choose("bcast", near, min_gain=0.0, keeps_native=True)
        assert [one.algorithm for one in chosen] == ["bcast/flat", "bcast/binomial"]
        assert exact.sizes_between(chosen) == []

    def test_rules_say_that_times_are_exact_and_show_them(self):
        row = [times(64, native=3.0, bcast_flat=1.5), times(512, native=3.0, bcast_flat=1.0)]
        chosen = exact.choose("bcast", row, min_gain=0.0, keeps_native=True)
        first, last = make_rules(chosen, Shape(8, 4), exact.SIMULATED)
        assert first["algorithm"] == "bcast/flat"
        assert "2.00x to 3.00x the speed of native" in first["reason"]
        assert "exact" in first["reason"]
        assert first["evidence"][1]["candidates"]["bcast/flat"]["ratio"] == 3.0
        assert last["algorithm"] == NATIVE


class TestShortlist:
    def test_the_models_best_within_a_factor_are_on_it(self):
        everything = Shortlist(_SETTING, most=1000, factor=1e9).of("bcast", [65536])[65536]
        (ranked,) = _core.best_sharing(
            everything, 8, 0, _MACHINE, "block", [65536], len(everything)
        )
        best = ranked[0]["seconds"]
        near = [one["choice"] for one in ranked if one["seconds"] <= 1.5 * best]
        # The four fastest are one algorithm: the fastest of another one is on it as well.
        first = near[0].partition("[")[0]
        assert {choice.partition("[")[0] for choice in near[:4]} == {first}
        other = next(choice for choice in near if choice.partition("[")[0] != first)
        found = Shortlist(_SETTING, most=4, factor=1.5).of("bcast", [65536])
        assert found == {65536: [*near[:4], other]}
        assert len(near) < len(everything)

    def test_patterns_limit_it(self):
        found = Shortlist(_SETTING, patterns=("binomial",)).of("bcast", [8])
        assert {choice.partition("[")[0] for choice in found[8]} == {"bcast/binomial"}


def tuning(sizes=(64, 4096), **options):
    return CallTuning("bcast", sizes, Shortlist(_SETTING, most=3), Policy(**options))


def measured(request, time_of):
    """A point with all that a request asks for, by a function of choice and size."""
    names = ((NATIVE,) if request.has_native else ()) + request.algorithms
    samples = {name: (time_of(name, request.bytes),) for name in names}
    return Point("bcast", request.bytes, request.bytes, 1, samples)


def answer(one, time_of):
    """Measure all that is asked for; return the sizes of candidates, each once."""
    asked = []
    while requests := one.next_task():
        for request in requests:
            one.take(measured(request, time_of))
            asked += [] if request.has_native else [request.bytes]
    return list(dict.fromkeys(asked))


class TestCallTuning:
    def test_it_refines_until_the_change_is_known_within_a_factor_of_two(self):
        one = tuning()
        cheap, *_ = one.shortlist.of("bcast", [64])[64]

        def time_of(name, size):
            if name == NATIVE:
                return 1000.0
            return 1.0 + size / 100 if name == cheap else 10.0

        sizes = sorted(answer(one, time_of))
        assert sizes[0] == 64
        assert sizes[-1] == 4096
        changes = [
            (low.bytes, high.bytes)
            for low, high in itertools.pairwise(one.chosen())
            if low.algorithm != high.algorithm
        ]
        ((low, high),) = changes
        assert low <= 900 < high <= 2 * low
        assert len(sizes) <= 7

    def test_sizes_are_refined_as_far_as_wanted(self):
        coarse = tuning(widest_step=64.0)
        cheap, *_ = coarse.shortlist.of("bcast", [64])[64]

        def time_of(name, size):
            return 1.0 + size / 100 if name == cheap else 10.0

        assert sorted(answer(coarse, time_of)) == [64, 4096]

    def test_each_candidate_and_the_native_call_are_asked_for_alone(self):
        one = tuning(sizes=(64,))
        candidates = one.next_task()
        assert [request.algorithms for request in candidates] == [
            (name,) for name in one.shortlist.of("bcast", [64])[64]
        ]
        assert not any(request.has_native for request in candidates)
        for request in candidates:
            one.take(measured(request, lambda *_: 2.0))
        (native,) = one.next_task()
        assert native == Request("bcast", 64, ())
        assert one.chosen() == []
        one.take(measured(native, lambda *_: 1.0))
        assert one.next_task() == []
        assert [chosen.algorithm for chosen in one.chosen()] == [NATIVE]

    def test_the_native_call_is_not_asked_for_where_it_is_never_chosen(self):
        one = tuning(sizes=(64,), keeps_native=False)
        assert answer(one, lambda *_: 2.0) == [64]
        assert one.chosen()[0].algorithm in one.shortlist.of("bcast", [64])[64]

    def test_a_size_whose_native_call_fails_is_tuned_without_it(self):
        one = tuning(sizes=(64,))
        for request in one.next_task():
            one.take(measured(request, lambda *_: 2.0))
        one.fail(one.next_task()[0], "ended")
        assert one.next_task() == []
        assert list(one.failures()) == [(64, NATIVE, "ended")]
        (chosen,) = one.chosen()
        assert chosen.ratio is None
        assert chosen.algorithm != NATIVE

    def test_what_fails_or_is_wrong_takes_nothing_else_along(self):
        one = tuning(sizes=(64, 128), keeps_native=False)
        first, second, *_ = requests = one.next_task()
        one.fail(first, "ended")
        one.exclude(Problem("bcast", 64, second.algorithms[0], "wrong", "expected byte 7"))
        assert one.next_task() == requests[2:]
        answer(one, lambda *_: 2.0)
        assert list(one.failures()) == [
            (64, first.algorithms[0], "ended"),
            (64, second.algorithms[0], "wrong result: expected byte 7"),
        ]
        assert [chosen.bytes for chosen in one.chosen()] == [64, 128]

    def test_a_size_at_which_everything_fails_is_left_out(self):
        one = tuning(sizes=(64, 128), keeps_native=False)
        while failing := [request for request in one.next_task() if request.bytes == 64]:
            one.fail(failing[0], "ended")
        answer(one, lambda *_: 1.0)
        assert [chosen.bytes for chosen in one.chosen()] == [128]

    @pytest.mark.parametrize(("call", "sizes"), [("allgather", [8, 4096]), ("barrier", [0])])
    def test_sizes_are_those_that_the_call_can_have(self, call, sizes):
        one = CallTuning(call, (1, 8, 4096), Shortlist(_SETTING))
        assert list(one.sizes) == sizes


def test_calls_of_a_goal_may_have_sizes_of_their_own_and_go_without_native():
    goal = SimulatedGoal(
        SimulatedJob(_MACHINE, "block", 8),
        {},
        _SETTING,
        ("bcast", "alltoall"),
        (64, 4096),
        sizes_of={"alltoall": (8,)},
        ours_only=frozenset({"alltoall"}),
    )
    alltoall, bcast = goal.tunings()
    assert (list(alltoall.sizes), alltoall.policy.keeps_native) == ([8], False)
    assert (list(bcast.sizes), bcast.policy.keeps_native) == ([64, 4096], True)
