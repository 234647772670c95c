# SPDX-License-Identifier: Apache-2.0
"""The parts of a tuning that are pure: reading samples, selecting, deciding, making rules."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from typing import ClassVar

import pytest

from espalier import _core
from espalier.base.intervals import Interval
from espalier.errors import FormatError
from espalier.io import documents
from espalier.profiles.profiles import Shape
from espalier.sampling.samples import NATIVE, Point, Problem, Request, SampleReader
from espalier.tuning import rules, selection
from espalier.tuning.selection import Estimate, Selection


def point(num_bytes=64, *, collective="allgather", count=60, noise=0.03, seed=1, **ratios):
    """A point whose true ratios native / candidate are known; `ring=1.2`."""
    generator = random.Random(f"{seed} {num_bytes} {collective}")  # noqa: S311
    samples = {NATIVE: []} | {f"{collective}/{name}": [] for name in ratios}
    for _ in range(count):
        drift = generator.uniform(8, 12)
        for name, times in samples.items():
            ratio = ratios.get(name.partition("/")[2], 1.0)
            times.append(drift / ratio * generator.lognormvariate(0, noise))
    return Point(
        collective, num_bytes, num_bytes, 1, {name: tuple(times) for name, times in samples.items()}
    )


class TestReader:
    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / "samples.jsonl"

    @pytest.fixture
    def reader(self, path):
        return SampleReader(path, [Request("bcast", 7, ("bcast/flat",))])

    header = (
        '{"kind": "header", "schema": "espalier-samples", "version": 1, "num_ranks": 4,'
        ' "num_nodes": 1, "mpi": {"vendor": "openmpi", "version": "x"}}\n'
    )
    line = (
        '{"kind": "point", "index": 0, "collective": "bcast", "bytes": 8, "calls_per_sample": 2,'
        ' "samples_us": {"native": [1.5, 2], "bcast/flat": [1, 2]}}\n'
    )

    def test_a_file_that_is_not_there_yet_has_nothing(self, reader):
        assert list(reader.read_new()) == []

    def test_points_are_read_once_while_the_file_grows(self, reader, path):
        with path.open("w") as file:
            file.write(self.header + self.line[:40])
            file.flush()
            assert list(reader.read_new()) == []
            assert reader.header["num_ranks"] == 4
            file.write(self.line[40:])
            file.flush()
            (found,) = reader.read_new()
            assert found == Point(
                "bcast", 7, 8, 2, {"native": (1.5, 2.0), "bcast/flat": (1.0, 2.0)}
            )
            assert list(reader.read_new()) == []
            assert not reader.is_complete
            file.write('{"kind": "end", "points_left": 3}\n')
        assert list(reader.read_new()) == []
        assert reader.is_complete
        assert reader.num_points_left == 3

    def test_a_problem_is_read(self, reader, path):
        path.write_text(
            '{"kind": "error", "index": 0, "collective": "bcast", "bytes": 8,'
            ' "algorithm": "bcast/flat", "reason": "wrong", "text": "t"}\n'
        )
        assert list(reader.read_new()) == [Problem("bcast", 7, "bcast/flat", "wrong", "t")]

    @pytest.mark.parametrize(
        "text",
        [
            "not json\n",
            "[]\n",
            '{"kind": "point"}\n',
            '{"kind": "header", "schema": "espalier-samples", "version": 2}\n',
            line.replace('"index": 0', '"index": 5'),
            line.replace("[1, 2]", "[1]"),
            line.replace('"native"', '"other"'),
            line.replace("[1, 2]", '["a", "b"]'),
        ],
    )
    def test_other_lines_are_one_clear_error(self, reader, path, text):
        path.write_text(text)
        with pytest.raises(FormatError) as error:
            list(reader.read_new())
        assert str(path) in str(error.value)
        assert "\n" not in str(error.value)

    def test_times_of_zero_become_the_smallest_time(self, reader, path):
        path.write_text(self.line.replace("[1, 2]", "[0, 2]"))
        (found,) = reader.read_new()
        assert found.samples_us["bcast/flat"] == (0.001, 2.0)


class TestSelection:
    def test_estimates_come_best_first(self):
        found = selection.estimate(point(ring=0.7, bruck=1.3, sparbit=1.1), 0.95)
        assert list(found) == ["allgather/bruck", "allgather/sparbit", "allgather/ring"]
        assert found["allgather/bruck"].ratio.contains(1.3)

    def test_only_what_may_win_stays_in_the_race(self):
        assert selection.best_third(point(ring=0.5, bruck=0.9), 0.95, 0) == []
        found = selection.best_third(point(ring=1.5, bruck=1.1, flat=0.9), 0.95, 0)
        assert found == ["allgather/ring"]

    def test_few_noisy_repetitions_throw_nobody_out_too_early(self):
        noisy = point(count=5, noise=0.4, ring=1.2, bruck=1.0)
        assert set(selection.best_third(noisy, 0.95, 0.05)) == set(noisy.candidates)

    def test_a_third_stays_and_four_of_few(self):
        few = point(count=3, **{f"a{i}": 1.2 for i in range(10)})
        assert len(selection.best_third(few, 0.95, 0.05)) == 4
        many = point(count=3, **{f"a{i}": 1 + i / 100 for i in range(31)})
        found = selection.best_third(many, 0.95, 0.05)
        assert len(found) == 11
        assert "allgather/a30" in found

    def test_what_could_be_better_by_little_is_not_looked_for(self):
        nearly = point(count=200, noise=0.01, ring=1.30, bruck=1.32, sparbit=1.6, flat=1.6)
        assert len(selection.best_third(nearly, 0.95, 0.0)) == 2
        assert len(selection.best_third(nearly, 0.95, 0.05)) == 1
        hardly = point(count=200, noise=0.01, ring=1.0, bruck=0.99)
        assert selection.best_third(hardly, 0.95, 0.05) == []

    def test_what_is_nearly_as_fast_as_the_best_is_as_good(self):
        names = selection.as_good_as_best(point(ring=1.30, bruck=1.301, sparbit=1.1), 0.95)
        assert set(names) == {"allgather/ring", "allgather/bruck"}
        assert selection.as_good_as_best(point(ring=0.9), 0.95) == []

    @pytest.mark.parametrize(
        ("allowed", "chosen"),
        [
            ([], []),
            ([["a"], ["b"]], ["a", "b"]),
            ([["a", "b"], ["b"], ["b", "c"], ["c"]], ["b", "b", "b", "c"]),
            ([["a"], [], ["a"]], ["a", None, "a"]),
            ([["a", "b"], ["a", "b"]], ["a", "a"]),
        ],
    )
    def test_neighbours_get_the_same_one_where_possible(self, allowed, chosen):
        assert selection.longest_runs(allowed) == chosen

    def test_nominees_are_chosen_along_the_sizes_of_each_collective(self):
        points = [
            point(64, ring=1.30, bruck=1.31),
            point(512, ring=1.4, bruck=1.1),
            point(64, collective="bcast", flat=0.8),
        ]
        assert selection.nominate(points, 0.95) == {
            ("allgather", 64): "allgather/ring",
            ("allgather", 512): "allgather/ring",
        }

    def test_launches_are_joined(self):
        joined = selection.join([point(count=3, ring=1.0), point(count=4, ring=1.0, bruck=1.0)])
        assert list(joined.samples_us) == [NATIVE, "allgather/ring"]
        assert len(joined.native_us) == 7


def decide(raced, launches, nominees, min_gain=0.02):
    return selection.decide(
        {selection.key_of(one): one for one in raced},
        launches,
        nominees,
        confidence=0.95,
        min_gain=min_gain,
    )


class TestDecision:
    key = ("allgather", 64)
    nominees: ClassVar = {key: "allgather/ring"}

    def launches(self, *ratios, **options):
        return {
            self.key: [point(seed=10 + i, ring=ratio, **options) for i, ratio in enumerate(ratios)]
        }

    def test_a_confirmed_gain_is_used(self):
        raced = [point(ring=1.3, bruck=1.1)]
        (chosen,) = decide(raced, self.launches(1.3, 1.3), self.nominees)
        assert chosen.algorithm == "allgather/ring"
        assert chosen.is_confirmed
        assert "faster than native (95 % interval 1." in chosen.reason
        assert chosen.estimates["allgather/ring"].ratio.count == 120

    def test_a_winner_of_the_race_that_is_not_confirmed_is_not_used(self):
        raced = [point(ring=1.3)]
        (chosen,) = decide(raced, self.launches(1.0, 1.0), self.nominees)
        assert chosen.is_native
        assert "nothing is significantly faster" in chosen.reason

    def test_both_launches_have_to_agree(self):
        raced = [point(ring=1.3)]
        (chosen,) = decide(raced, self.launches(1.5, 0.97), self.nominees)
        assert chosen.is_native
        assert "launches disagree: allgather/ring 1." in chosen.reason
        assert re.search(r"but 0.9\dx in one of 2 launches, and 1.\d\dx in another", chosen.reason)

    def test_launches_may_gain_differently_among_many_decisions(self):
        sizes = [2**i for i in range(3, 20)]
        launches = {
            ("allgather", size): [
                point(size, seed=seed, count=300, ring=ratio)
                for seed, ratio in ((10, 1.5), (11, 1.75))
            ]
            for size in sizes
        }
        raced = [point(size, ring=1.6) for size in sizes]
        chosen = decide(raced, launches, dict.fromkeys(launches, "allgather/ring"))
        assert {one.algorithm for one in chosen} == {"allgather/ring"}

    def test_a_launch_with_hardly_any_gain_disagrees_with_one_that_gains_much(self):
        raced = [point(ring=1.3)]
        (chosen,) = decide(raced, self.launches(1.06, 1.5), self.nominees)
        assert chosen.is_native
        assert "launches disagree" in chosen.reason

    def test_a_small_gain_is_left_alone(self):
        raced = [point(ring=1.05)]
        launches = self.launches(1.05, 1.05, noise=0.005)
        assert decide(raced, launches, self.nominees)[0].algorithm == "allgather/ring"
        (chosen,) = decide(raced, launches, self.nominees, min_gain=0.1)
        assert chosen.is_native
        assert "below 10 %" in chosen.reason

    def test_an_interrupted_tuning_confirms_nothing(self):
        (chosen,) = decide([point(ring=1.3)], {}, self.nominees)
        assert chosen.is_native
        assert "not confirmed in fresh launches" in chosen.reason

    def test_native_is_kept_where_all_are_slower(self):
        (chosen,) = decide([point(ring=0.5, bruck=0.8)], {}, {})
        assert chosen.is_native
        assert "native is fastest; the next is allgather/bruck" in chosen.reason

    def test_without_candidates_native_is_kept(self):
        (chosen,) = decide([point()], {}, {})
        assert chosen.is_native
        assert chosen.best is None

    def test_many_decisions_without_any_difference_make_no_false_choice(self):
        """Sixty sizes, fifteen candidates each, nobody faster: the worst case of selection."""
        raced, launches, nominees = [], {}, {}
        for i in range(60):
            size = 64 + i
            one = point(size, count=15, noise=0.1, **{f"a{j}": 1.0 for j in range(15)})
            raced.append(one)
            name = next(iter(selection.estimate(one, 0.95)))
            nominees[selection.key_of(one)] = name
            short = name.partition("/")[2]
            launches[selection.key_of(one)] = [
                point(size, seed=seed, count=60, noise=0.1, **{short: 1.0}) for seed in (20, 21)
            ]
        all_chosen = decide(raced, launches, nominees, min_gain=0.0)
        assert all(chosen.is_native for chosen in all_chosen)
        # Without confirmation the best of the race would have looked like a gain nearly everywhere.
        apparent = [
            next(iter(selection.estimate(one, 0.95).values())).ratio.value > 1.02 for one in raced
        ]
        assert sum(apparent) > 45


class TestTooFewWins:
    """Nominees that won every pair are worth more pairs if there are too few for significance."""

    def asked(self, count, **ratios):
        points = [point(size, count=count, noise=0.001, **ratios) for size in (64, 128, 256, 512)]
        launches = {selection.key_of(one): [one, one] for one in points}
        nominees = dict.fromkeys(launches, "allgather/ring")
        return [size for _, size in selection.too_few_wins(launches, nominees, 0.95)]

    def test_six_pairs_at_four_points_are_too_few(self):
        assert self.asked(3, ring=5.0) == [64, 128, 256, 512]

    def test_eight_pairs_are_enough(self):
        assert self.asked(4, ring=5.0) == []

    def test_more_pairs_are_not_asked_for_after_a_defeat(self):
        assert self.asked(3, ring=0.9) == []


def selected(num_bytes, algorithm, ratio=1.3, collective="allgather"):
    interval = Interval(ratio, 0.9 * ratio, 1.1 * ratio, 0.95, 60)
    estimates = {} if algorithm == NATIVE else {algorithm: Estimate(interval, interval)}
    best = None if algorithm == NATIVE else algorithm
    return Selection(
        collective, num_bytes, algorithm, "why", interval, best, estimates, is_confirmed=True
    )


class TestRules:
    def test_neighbours_share_a_rule_and_boundaries_lie_between_sizes(self):
        made = rules.make_rules(
            [
                selected(64, "allgather/bruck"),
                selected(1024, "allgather/bruck", 1.4),
                selected(4096, NATIVE),
                selected(65536, "allgather/ring"),
            ],
            Shape(4, 1),
            rules.MEASURED,
        )
        spans = [(rule["min_bytes"], rule["max_bytes"], rule["algorithm"]) for rule in made]
        assert spans == [
            (0, 2048, "allgather/bruck"),
            (2049, 16384, NATIVE),
            (16385, 262144, "allgather/ring"),
            (262145, None, NATIVE),
        ]
        assert "1.30x to 1.40x faster than native at 2 sizes" in made[0]["reason"]
        assert [entry["bytes"] for entry in made[0]["evidence"]] == [64, 1024]

    def test_sizes_below_the_first_are_native_unless_it_is_small(self):
        made = rules.make_rules([selected(65536, "allgather/ring")], Shape(4, 1), rules.MEASURED)
        assert (made[0]["min_bytes"], made[0]["algorithm"]) == (0, NATIVE)
        assert made[1]["min_bytes"] == made[0]["max_bytes"] + 1

    def test_calls_of_unknown_size_have_one_rule(self):
        won = [selected(size, "gather/flat", collective="gatherv") for size in (64, 4096)]
        (rule,) = rules.make_rules(won, Shape(4, 1), rules.MEASURED)
        assert (rule["min_bytes"], rule["max_bytes"]) == (0, None)
        assert rule["algorithm"] == "gather/flat"
        won.append(selected(65536, NATIVE, collective="gatherv"))
        (rule,) = rules.make_rules(won, Shape(4, 1), rules.MEASURED)
        assert rule["algorithm"] == NATIVE
        assert "at all 3 sizes" in rule["reason"]
        assert len(rule["evidence"]) == 3

    @pytest.mark.parametrize("sizes", [[1], [8, 9], [64], [3, 1000, 1001, 10**9]])
    def test_every_size_has_exactly_one_rule(self, sizes):
        names = ["allgather/ring", "allgather/bruck"]
        made = rules.make_rules(
            [selected(s, names[i % 2]) for i, s in enumerate(sizes)], Shape(4, 1), rules.MEASURED
        )
        assert made[0]["min_bytes"] == 0
        assert made[-1]["max_bytes"] is None
        for before, after in pairwise(made):
            assert after["min_bytes"] == before["max_bytes"] + 1
            assert before["min_bytes"] <= before["max_bytes"]
        for i, size in enumerate(sizes):
            (rule,) = [
                rule for rule in made if rule["min_bytes"] <= size <= (rule["max_bytes"] or 10**18)
            ]
            assert rule["algorithm"] == names[i % 2]

    def test_the_library_reads_the_rules(self):
        made = rules.make_rules(
            [selected(64, "allgather/bruck"), selected(64, "bcast/flat", collective="bcast")],
            Shape(4, 1),
            rules.MEASURED,
        )
        text = json.dumps(
            {
                "schema": "espalier-profile",
                "version": 1,
                "mpi": {"vendor": "openmpi", "version": "4.1.4"},
                "rules": made,
            }
        )
        documents.parse(text, "profile", "espalier-profile", 1)
        decisions = _core.decide(text, "allgather", 4, 1, [8, 90, 10000])
        assert [one["algorithm"] for one in decisions] == ["allgather/bruck"] * 2 + [NATIVE]
