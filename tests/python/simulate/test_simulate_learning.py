# SPDX-License-Identifier: Apache-2.0
"""`espalier simulate program --learn`: programs that learn on machines that are not there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from simulated_programs import AHEAD, EXCHANGE, MACHINE, PARTS, SHORT_LIVED, simulated

from espalier.launch.preload import Settings
from espalier.simulate import learning
from espalier.simulate.setting import make_setting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Fifteen rounds, where four are enough for blocks this small.
SLOW = ("--smpi", "smpi/allgather:ring")


def _gather(times: int, *options: object) -> list[object]:
    return [*options, "--", EXCHANGE, "gather", 8, times]


def _counts(document: dict[str, Any]) -> dict[str, int]:
    """Return how often each rank ran each algorithm."""
    counts: dict[str, int] = {}
    for call in document["calls"]:
        name = call["algorithm"]
        counts[name] = counts.get(name, 0) + call["count"] // document["num_ranks"]
    return counts


@simulated
def test_a_program_that_learns_prints_the_same_bytes_twice(cli: Callable) -> None:
    words = ["simulate", "program", "--json", "--learn", "--machine", MACHINE]
    first, second = (cli(*words, *_gather(60, *SLOW)) for _ in range(2))
    assert first.code == 0, first.err
    assert first.out == second.out
    assert first.document()["espalier"]["learns"]


@simulated
def test_what_is_clearly_faster_is_taken(simulate: Callable) -> None:
    found = simulate("--learn", "--compare", *_gather(300, *SLOW))
    assert found["learning"]["num_faster"] == 1
    counts = _counts(found)
    native = counts.pop("native")
    # The native call runs while nothing else is known, and in trials.
    assert 5 <= native < 60
    assert max(counts.values()) > 200
    assert found["native"]["ratio"] > 1.5
    lost, bound = (found["learning"][f"{name}_seconds"] for name in ("lost", "bound"))
    assert 0 < lost < bound == pytest.approx(0.05)


@simulated
def test_the_native_call_stays_where_nothing_is_faster(simulate: Callable) -> None:
    # Two ranks send each other their blocks: all algorithms do the same.
    found = simulate("--learn", "--compare", "-p", 2, *_gather(300))
    assert found["learning"]["num_faster"] == 0
    assert _counts(found)["native"] > 200
    # What trials cost in so short calls is more than the calls themselves, but it is bounded.
    ours, native = found["simulated_seconds"], found["native"]["simulated_seconds"]
    assert native < ours < native + found["learning"]["bound_seconds"]


@simulated
def test_later_runs_begin_with_what_is_remembered(
    simulate: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgetful = simulate("--learn", *_gather(300, *SLOW))
    memory = tmp_path / "memory.json"
    monkeypatch.setenv("ESPALIER_MEMORY", str(memory))
    first = simulate("--learn", *_gather(300, *SLOW))
    # To remember is no part of the program, but ranks that end early begin with it while others are
    # in their last call.
    assert first["simulated_seconds"] == pytest.approx(forgetful["simulated_seconds"], rel=1e-3)
    document = json.loads(memory.read_text())
    (rule,) = document["rules"]
    # The calls after the last check count, too.
    (run,) = document["programs"]
    native, ours = (candidate["seconds"] for candidate in document["trials"][0]["candidates"][:2])
    assert 0.5 * 250 * (native - ours) < run["saved_seconds"] < 300 * native
    assert 0 < run["cost_seconds"] < run["seconds"]
    assert (rule["collective"], rule["num_ranks"], rule["num_nodes"]) == ("allgather", 16, 4)
    second = simulate("--learn", *_gather(300, *SLOW))
    assert second["simulated_seconds"] < first["simulated_seconds"]
    assert _counts(second)[rule["algorithm"]] > 280


@simulated
def test_nothing_is_remembered_unless_a_file_is_named(
    simulate: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    simulate("--learn", *_gather(100, *SLOW))
    assert list(tmp_path.rglob("*")) == []


@simulated
def test_people_are_told_what_was_learned(cli: Callable) -> None:
    result = cli("simulate", "program", "--learn", "--machine", MACHINE, *_gather(100, *SLOW))
    assert result.code == 0, result.err
    assert "of 1 kinds of calls that it decided, 1 run faster now" in result.out


# A chain of 8 ranks takes long from end to end, but each of them sends a block only once.
CHAIN = ("--smpi", "smpi/bcast:ompi_pipeline")
SLOW_LINKS = (
    "4n[latency=50us,overhead=1us,bandwidth=12.5MB/s,channels=1,eager=64KiB]"
    " x 2c[latency=1us,overhead=1us,bandwidth=4GB/s,eager=64KiB]"
)


@simulated
def test_ranks_that_run_ahead_are_judged_by_the_loop(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "memory.json"
    monkeypatch.setenv("ESPALIER_MEMORY", str(memory))
    words = ["simulate", "program", "--json", "--learn", "--compare", "--machine", SLOW_LINKS]
    words += [*CHAIN, "--", AHEAD, "bcast", 256]
    found = cli(*words, 300).document()
    ours, native = found["simulated_seconds"], found["native"]["simulated_seconds"]
    assert ours < native + found["learning"]["bound_seconds"]
    # Single calls of all candidates are faster than the chain, only one of the loops is. What waits
    # to be received makes simulation slow, by the square of the calls.
    for _ in range(3):
        found = cli(*words, 100).document()
    (trials,) = (
        one for one in json.loads(memory.read_text())["trials"] if one["collective"] == "bcast"
    )
    assert trials["is_of_loop"]
    native_pace, *paces = (candidate["seconds"] for candidate in trials["candidates"])
    assert min(paces) < native_pace < max(paces)
    (rule,) = json.loads(memory.read_text())["rules"]
    assert rule["algorithm"] == trials["candidates"][1 + paces.index(min(paces))]["algorithm"]
    assert found["native"]["ratio"] > 1.05


@simulated
@pytest.mark.parametrize("num_idle", [0, 1])
def test_ranks_without_data_do_not_judge_calls(
    num_idle: int, simulate: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "memory.json"
    monkeypatch.setenv("ESPALIER_MEMORY", str(memory))
    times = 400
    words = ("--learn", "--smpi", "smpi/alltoallv:pair", "--", PARTS, num_idle, 4096, times)
    found = simulate("--compare", *words)
    assert found["learning"]["num_faster"] == 1
    assert found["native"]["ratio"] > 1.3
    (rule,) = json.loads(memory.read_text())["rules"]
    (run,) = json.loads(memory.read_text())["programs"]
    assert 0 < run["saved_seconds"] < run["seconds"]
    # An idle rank is done at once, and would say that this takes no time.
    of_call = simulate(*words)["simulated_seconds"] / times
    assert rule["learned"]["seconds"] == pytest.approx(of_call, rel=0.3)


@simulated
@pytest.mark.parametrize("num_calls", [4, 40])
def test_communicators_that_are_made_again_and_again_lose_little(
    num_calls: int, simulate: Callable
) -> None:
    words = ("-p", 4, "--", SHORT_LIVED, 8000 // num_calls, num_calls, 4096)
    found = simulate("--learn", "--compare", *words)
    ours, native = found["simulated_seconds"], found["native"]["simulated_seconds"]
    lost, bound = (found["learning"][f"{name}_seconds"] for name in ("lost", "bound"))
    assert 0 < lost < bound
    assert ours - native < lost + 1e-4


def test_programs_that_learn_are_told_of_the_simulated_machine() -> None:
    setting = make_setting(MACHINE, None, None, "mpich", [])
    told = learning.variables(setting, Settings(learns=True), {})
    assert told == {
        "ESPALIER_LEARN": "on",
        "ESPALIER_MACHINE": MACHINE,
        "ESPALIER_MEMORY": "off",
    }
    asked = {"ESPALIER_LEARN": "2%"}
    assert learning.variables(setting, Settings(), asked).keys() == {
        "ESPALIER_MACHINE",
        "ESPALIER_MEMORY",
    }
    assert learning.variables(setting, Settings(), {}) == {"ESPALIER_MEMORY": "off"}


def test_what_the_user_says_comes_first() -> None:
    setting = make_setting(MACHINE, None, None, "mpich", [])
    named = {"ESPALIER_MACHINE": "16c", "ESPALIER_MEMORY": "memory.json"}
    told = learning.variables(setting, Settings(learns=True), named)
    assert told == {"ESPALIER_LEARN": "on"}
    told = learning.variables(setting, Settings(learns=True, memory="mine.json"), {})
    assert told["ESPALIER_MEMORY"] == "mine.json"
