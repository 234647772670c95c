# SPDX-License-Identifier: Apache-2.0
"""Predicted times: replays of schedules on machines whose links are shared."""

from __future__ import annotations

import pytest

from espalier import _core, errors

LINKS = "[latency=10us,bandwidth=1GB/s,channels=2]"
INSIDE = "[latency=1us,bandwidth=4GB/s]"
MACHINE = f"2n{LINKS} x 4c{INSIDE}"


def test_a_message_takes_its_link() -> None:
    one = MACHINE.replace("channels=2", "channels=1")
    replayed = _core.replay("bcast/binomial", 2, 0, one, "cyclic", 1_000_000)
    assert replayed["seconds"] == pytest.approx(10e-6 + 1e-3)
    assert replayed["levels"][0] == {
        "name": "node",
        "messages": 1,
        "bytes": 1e6,
        "busiest_seconds": pytest.approx(1e-3),
        "waiting_seconds": 0,
    }
    inside = _core.replay("bcast/binomial", 2, 0, MACHINE, "block", 1_000_000)
    assert inside["seconds"] == pytest.approx(1e-6 + 0.25e-3)
    assert inside["finished_seconds"][1] == inside["seconds"]


def test_channels_are_shared() -> None:
    """Half of the vector crosses from each of 4 ranks at the same time."""
    shared = _core.replay("allreduce/recursive_doubling", 8, 0, MACHINE, "block", 1_000_000)
    alone = _core.replay(
        "allreduce/recursive_doubling",
        8,
        0,
        MACHINE.replace("channels=2", "channels=4"),
        "block",
        1_000_000,
    )
    assert shared["seconds"] - alone["seconds"] == pytest.approx(1e-3)
    # Two of the four wait for the other two, on each node.
    assert shared["levels"][0]["waiting_seconds"] == pytest.approx(4e-3)
    assert alone["levels"][0]["waiting_seconds"] == 0


def test_combining_takes_time() -> None:
    free = _core.replay("reduce/binomial", 2, 0, MACHINE, "block", 1000)
    slow = MACHINE.replace("bandwidth=4GB/s", "bandwidth=4GB/s,combine=1GB/s")
    paid = _core.replay("reduce/binomial", 2, 0, slow, "block", 1000)
    assert paid["seconds"] - free["seconds"] == pytest.approx(1e-6)


def test_ranks_may_be_on_any_cores() -> None:
    by_core = _core.replay("bcast/chain", 4, 0, MACHINE, "list:0,4,1,5", 1000)
    assert by_core == _core.replay("bcast/chain", 4, 0, MACHINE, "cyclic", 1000)
    with pytest.raises(errors.ArgumentError, match="a core for each of 4 ranks"):
        _core.replay("bcast/chain", 4, 0, MACHINE, "list:0", 1000)


def test_models_without_sharing() -> None:
    arguments = ("allgather/recursive_doubling", 8, 0, MACHINE, "block", 8000)
    # Distances 1 and 2 stay inside a node, distance 4 leaves it.
    inside = 2 * 1e-6 + 3000 / 4e9
    assert _core.levels_time(*arguments) == pytest.approx(inside + 10e-6 + 4000 / 1e9)
    assert _core.hockney_time(*arguments) == pytest.approx(30e-6 + 7000 / 1e9)


def test_the_best_is_first() -> None:
    candidates = _core.variants("allgather", 8)
    ranked = _core.best(candidates, 8, 0, MACHINE, "block", 64, num_best=2)
    assert sorted(entry["choice"] for entry in ranked) == sorted(candidates)
    times = [_core.replay(choice, 8, 0, MACHINE, "block", 64)["seconds"] for choice in candidates]
    assert [entry["seconds"] for entry in ranked[:2]] == sorted(times)[:2]
    assert ranked[0]["is_exact"]
    assert not ranked[-1]["is_exact"]


def test_errors_say_what_to_do() -> None:
    with pytest.raises(errors.ArgumentError, match="at least 1 choice"):
        _core.best(["bcast/flat"], 2, 0, MACHINE, "block", 8, num_best=0)
    with pytest.raises(errors.UnsupportedError):
        _core.replay("allgather/recursive_doubling", 3, 0, MACHINE, "block", 8)
