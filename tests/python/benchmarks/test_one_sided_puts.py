# SPDX-License-Identifier: Apache-2.0
"""The study of one-sided programs: its times, its tables, and what it says of published results."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomllib
from places import repository

from espalier import _core
from espalier.errors import ArgumentError, UnsupportedError

FOLDER = repository / "benchmarks" / "reproduce" / "one-sided-tuned-collectives"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import put_results as results  # noqa: E402
import put_statements as statements  # noqa: E402
import put_times as puts  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())
NETWORK = puts.network_of(DECLARED)
LOOSE = (puts.LOOSE, "single", "signaling_put")


def test_puts_without_synchronization_take_what_the_evaluator_says() -> None:
    for shape in ("k_ary", "k_nomial"):
        evaluated = _core.loggp_tree_time(shape, NETWORK.puts[:4], 256, 8, 4)
        replayed = puts.mean_us(f"bcast/{shape}[k=4]", 256, 8, LOOSE, NETWORK.puts, puts.Calls())
        assert replayed == pytest.approx(evaluated, abs=1e-9)


def test_a_barrier_is_before_or_behind_each_call() -> None:
    def ends(*, first: bool) -> list[float]:
        return _core.one_sided_call_times(
            *("bcast/binomial", 8, 8.0, LOOSE, NETWORK.puts),
            (2, False, "barrier/dissemination", first),
        )

    # Each of two calls, each of two barriers, and everything.
    assert len(ends(first=False)) == 5
    assert ends(first=False)[0] < ends(first=True)[1]
    assert ends(first=True)[-1] == ends(first=True)[3]


def test_calls_underway_together_are_faster() -> None:
    form = (puts.STRICT, "single", "signaling_put")
    blocking, together = (
        puts.mean_us("bcast/k_ary[k=2]", 64, 8, form, NETWORK.puts, puts.Calls(8, how))
        for how in (False, True)
    )
    assert together < blocking / 2


def test_messages_take_what_their_rules_say() -> None:
    latency, overhead, gap, per_byte = NETWORK.puts[:4]
    message = overhead + gap + latency
    n = 1000
    assert _core.one_sided_get(n, NETWORK.puts) == pytest.approx(
        message + gap + n * per_byte + latency
    )
    assert _core.one_sided_flood(2, 5, n, LOOSE, NETWORK.puts) == pytest.approx(
        message + 4 * gap + 5 * n * per_byte
    )
    matching = NETWORK.messages[4]
    form = (puts.OWN, "local", "eager")
    assert _core.one_sided_answered_message(0.0, form, NETWORK.messages) == pytest.approx(
        2 * (message + matching)
    )


def test_rankings_keep_limits_and_refuse_what_cannot_be() -> None:
    def mechanisms(limits: tuple[float, float, bool]) -> set[str]:
        mode = (puts.STRICT, "local")
        ranking = _core.one_sided_ranking("bcast", 8, 8192.0, mode, NETWORK.puts, limits)
        assert [entry[2] for entry in ranking] == sorted(entry[2] for entry in ranking)
        return {entry[1][2] for entry in ranking}

    assert "eager" in mechanisms((math.inf, math.inf, False))
    assert mechanisms((0.0, 0.0, True)) == {"rendezvous"}
    with pytest.raises(ArgumentError, match="single, local"):
        _core.one_sided_ranking(
            "bcast", 8, 8.0, (puts.LOOSE, "none"), NETWORK.puts, (1.0, 1.0, False)
        )
    with pytest.raises(UnsupportedError, match="serves reduce"):
        _core.one_sided_ranking(
            "reduce", 8, 8.0, (puts.LOOSE, "local"), NETWORK.puts, (0.0, 0.0, False)
        )


def test_tables_come_back_as_they_were_written(tmp_path: Path) -> None:
    times = [puts.PutTime("peers", "bcast", 4, 8, "strict", "bcast/flat", 1.5)]
    puts.write_times(times, tmp_path / "times.csv")
    assert puts.read_times(tmp_path / "times.csv") == times


def test_gains_are_percent_of_the_old_time() -> None:
    times = results.PutTimes(
        [
            puts.PutTime("peers", "bcast", 4, 8, "old", "bcast/flat", 4.0),
            puts.PutTime("peers", "bcast", 4, 8, "new", "bcast/flat", 3.0),
        ]
    )
    assert times.gains("peers", "bcast", "old", "new") == {8: pytest.approx(25)}


def test_statements_agree_in_whole_or_in_part() -> None:
    kept = repository / "docs" / "benchmarks" / "data" / "one-sided-puts.csv"
    found = statements.statements(results.PutTimes(puts.read_times(kept)))
    assert {one.agrees for one in found} == {"yes", "in part"}
    assert all(one.reason for one in found if one.agrees != "yes")


@pytest.mark.parametrize(
    ("whole", "part", "expected"),
    [(True, False, "yes"), (False, True, "in part"), (False, False, "no")],
)
def test_verdicts(whole: bool, part: bool, expected: str) -> None:
    assert statements.verdict(whole=whole, part=part) == expected
