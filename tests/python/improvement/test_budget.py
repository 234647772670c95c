# SPDX-License-Identifier: Apache-2.0
"""Time goes to the calls on which a program spends most of its own."""

from __future__ import annotations

import pytest

from espalier.improvement import budget, points
from espalier.profiles.profiles import Shape

WORLD, ROWS = Shape(16, 4), Shape(4, 1)


def point(native_seconds, *candidates, at_stake=1.0, num_roots=1):
    names = {f"bcast/k_nomial[k={i + 2}]": seconds for i, seconds in enumerate(candidates)}
    size = int(1e9 * native_seconds)
    return points.Point("bcast", size, names, native_seconds, at_stake, num_roots)


def chosen(wanted, seconds):
    granted = budget.portions({WORLD: wanted}, seconds, 0.0)[WORLD].points
    return [one.point for one in granted]


class TestPoints:
    def test_what_fits_is_measured_with_all_candidates(self):
        wanted = [point(0.01, 0.01, 0.01), point(0.001, 0.001)]
        assert chosen(wanted, 100.0) == wanted

    def test_costly_points_that_do_not_fit_get_fewer_candidates(self):
        long = point(0.1, *[0.1] * 6)
        _, found = chosen([point(1e-6, 1e-6), long], long.needed_seconds + 1.0)
        assert len(found.seconds) == 3

    def test_what_does_not_fit_at_all_is_left_out(self):
        wanted = [point(0.01, 0.01), point(10.0, 10.0), point(0.01, 0.02)]
        assert chosen(wanted, 8.0) == [wanted[0], wanted[2]]

    def test_the_costliest_calls_of_a_program_are_measured_in_any_case(self):
        assert len(chosen([point(10.0, *[10.0] * 6)], 5.0)) == 1

    def test_proofs_from_all_roots_take_time_too(self):
        assert point(0.5, 0.1, num_roots=8).needed_seconds > 1.5 * point(0.5, 0.1).needed_seconds


class TestShapes:
    def test_calls_with_more_at_stake_come_first_on_whatever_communicators(self):
        rows = {WORLD: [point(0.1, 0.1, at_stake=1.0)], ROWS: [point(0.1, 0.1, at_stake=2.0)]}
        assert list(budget.portions(rows, 13.0, 0.0)) == [ROWS]

    def test_launches_for_a_shape_with_little_at_stake_do_not_take_the_time_of_the_others(self):
        long, short = point(0.2, 0.2, at_stake=5.0), point(1e-3, 1e-3, at_stake=0.1)
        rows = {WORLD: [long], ROWS: [short]}
        seconds = long.needed_seconds + 13.0
        assert list(budget.portions(rows, seconds, launch_seconds=1.0)) == [WORLD, ROWS]
        assert list(budget.portions(rows, seconds, launch_seconds=2.0)) == [WORLD]

    def test_all_of_the_time_is_used_and_what_is_left_goes_where_most_is_at_stake(self):
        first, second = point(0.2, 0.2, at_stake=3.0), point(0.1, 0.1, at_stake=1.0)
        found = budget.portions({WORLD: [first], ROWS: [second]}, 200.0, launch_seconds=2.0)
        assert sum(one.seconds for one in found.values()) == pytest.approx(200.0)
        more = [
            portion.points[0].seconds - portion.points[0].point.needed_seconds
            for portion in found.values()
        ]
        assert more[0] / more[1] == pytest.approx(3.0)

    def test_a_budget_that_is_too_small_still_measures_something(self):
        found = budget.portions({WORLD: [point(10.0, 10.0)]}, 5.0, launch_seconds=3.0)
        assert found[WORLD].seconds >= 10.0

    def test_without_points_nothing_is_tuned(self):
        assert budget.portions({}, 100.0, 1.0) == {}


def test_time_is_shared_as_it_is_granted_and_points_with_least_come_first():
    long, short = budget.Granted(point(0.5, 0.5), 30.0), budget.Granted(point(1e-3, 1e-3), 10.0)
    first, second = budget.requests_of([long, short])
    assert (first.bytes, second.bytes) == (short.point.bytes, long.point.bytes)
    assert (first.weight, second.weight) == (0.5, 1.5)
