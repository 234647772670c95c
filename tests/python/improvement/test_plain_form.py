# SPDX-License-Identifier: Apache-2.0
"""A rule for a program's own manner goes where it would cost others time."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from espalier.improvement import plain_form
from espalier.sampling.manner import Manner
from espalier.sampling.samples import Point, Request

UNEVEN = Manner(pair_bytes=((0, 9), (0, 0)))


def rule(algorithm="alltoall/linear", *, call="alltoallv", low=0, high=None):
    return {
        "collective": call,
        "min_bytes": low,
        "max_bytes": high,
        "algorithm": algorithm,
        "reason": "1.5x faster than native",
    }


class FakeMeasurer:
    """Measures the native call in 10 us, and all candidates in this time."""

    def __init__(self, us):
        self.us = us
        self.requests = []

    def run(self, requests, effort, on_result):  # noqa: ARG002 - as Measurer has them
        self.requests += requests
        points = [
            Point(
                one.collective,
                one.bytes,
                one.bytes,
                1,
                {"native": (10.0,) * 20, **dict.fromkeys(one.algorithms, (self.us,) * 20)},
            )
            for one in requests
        ]
        return SimpleNamespace(points=points)


class TestChecks:
    def test_what_was_measured_in_the_plain_form_is_not_measured_again(self):
        wanted = [Request("alltoallv", 9, ("alltoall/linear",))]
        assert plain_form.checks([rule()], wanted, 2) == []

    def test_native_calls_are_not_measured_again(self):
        wanted = [Request("alltoallv", 9, ("alltoall/linear",), manner=UNEVEN)]
        assert plain_form.checks([rule("native")], wanted, 2) == []

    def test_a_choice_is_measured_at_its_size_in_the_plain_form(self):
        manner = Manner(root=1, part_bytes=(0, 9))
        wanted = [Request("allgatherv", size, ("a", "b"), manner=manner) for size in (9, 900)]
        rules = [
            rule("allgather/ring", call="allgatherv", high=99),
            rule("allgather/bruck", call="allgatherv", low=100),
        ]
        found = plain_form.checks(rules, wanted, 2)
        assert [(one.bytes, one.algorithms) for one in found] == [
            (9, ("allgather/ring",)),
            (900, ("allgather/bruck",)),
        ]
        assert all(one.manner.is_plain and one.has_native for one in found)


class TestLosses:
    def lost(self, us):
        wanted = plain_form.checks([rule()], [Request("alltoallv", 9, (), manner=UNEVEN)], 2)
        return plain_form.losses(FakeMeasurer(us), wanted, 100.0, 0.95)

    def test_without_anything_to_measure_nothing_is_started(self):
        measurer = FakeMeasurer(10.0)
        assert plain_form.losses(measurer, [], 100.0, 0.95) == []
        assert measurer.requests == []

    @pytest.mark.parametrize("us", [5.0, 10.0])
    def test_what_is_not_slower_stays(self, us):
        assert self.lost(us) == []

    def test_what_is_slower_becomes_native_and_says_why(self):
        lost = self.lost(20.0)
        others = [rule("alltoall/pairwise"), rule("alltoall/linear", call="alltoallw")]
        changed = plain_form.without([rule(), *others], lost)
        assert changed[0]["algorithm"] == "native"
        assert changed[0]["reason"].startswith("slower with equal parts")
        assert "native / ours 0.50" in changed[0]["reason"]
        assert changed[0]["reason"].endswith("was alltoall/linear")
        assert changed[1:] == others
