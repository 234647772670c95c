# SPDX-License-Identifier: Apache-2.0
"""Each caution is given when its reason is there, and not otherwise."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import probe_data as data
import pytest

from espalier.base.ranges import ranks_text
from espalier.probing.advice import of_results, with_cautions
from espalier.probing.findings import analyse
from espalier.probing.scan import Scan, scan

if TYPE_CHECKING:
    from espalier.probing.samples import Result, Samples


def _machine(**changes: Any) -> data.FakeMachine:
    """Four nodes of four ranks, a little noisy."""
    core = tuple(range(16))
    return data.FakeMachine(
        [
            data.FakeLevel("node", tuple(rank // 4 for rank in core), 15.0, 1000.0),
            data.FakeLevel("core", core, 0.5, 8000.0),
        ],
        **{"noise": 0.03, **changes},
    )


def _slower(samples: Samples, factor: float, is_slow: Any) -> Samples:
    """Multiply the times of the pairs that is_slow(a, b) is true for."""

    def changed(result: Result) -> Result:
        times = {
            name: tuple(
                time * (factor if is_slow(*pair) else 1.0)
                for time, pair in zip(getattr(result, name), result.pairs, strict=True)
            )
            for name in ("mean_us", "sd_us", "median_us", "low_us", "high_us")
        }
        return dataclasses.replace(result, **times)

    return dataclasses.replace(samples, results=tuple(map(changed, samples.results)))


def _advised(samples: Samples) -> Scan:
    return with_cautions(scan(samples))


def _kinds(found: Scan) -> list[str]:
    return [caution.name for caution in found.cautions]


def _text(found: Scan, kind: str) -> str:
    (caution,) = [caution for caution in found.cautions if caution.name == kind]
    assert caution.advice
    return caution.text


@pytest.mark.parametrize("seed", range(5))
def test_a_good_machine_gives_no_caution(seed: int) -> None:
    assert _kinds(_advised(_machine(seed=seed).scan())) == []


def test_one_slow_link_is_named() -> None:
    found = _advised(_slower(_machine().scan(), 3.0, lambda a, b: {a, b} == {2, 9}))
    assert _kinds(found) == ["slow-link"]
    assert "1 of 96 pairs between nodes are out of line, most of all ranks 2 and 9" in _text(
        found, "slow-link"
    )


def test_a_link_disturbed_one_way_is_asymmetry_not_slowness() -> None:
    found = _advised(_slower(_machine().scan(), 3.0, lambda a, b: (a, b) == (9, 2)))
    assert _kinds(found) == ["asymmetry"]
    assert "most of all ranks 9 and 2" in _text(found, "asymmetry")


def test_a_node_that_differs_is_named_and_its_links_are_not_slow_links() -> None:
    found = _advised(_slower(_machine().scan(), 1.8, lambda a, b: (a // 4 == 2) != (b // 4 == 2)))
    assert _kinds(found) == ["node-differs"]
    assert "node 2 (n2) with ranks 8-11 is farther from all others" in _text(found, "node-differs")


def test_a_node_with_one_slow_partner_does_not_differ() -> None:
    found = _advised(_slower(_machine().scan(), 1.8, lambda a, b: {a // 4, b // 4} == {1, 2}))
    assert "node-differs" not in _kinds(found)
    assert "slow-link" in _kinds(found)


def test_a_rank_that_differs_is_named() -> None:
    found = _advised(_slower(_machine().scan(), 2.0, lambda a, b: 5 in (a, b) and a // 4 == b // 4))
    assert "rank 5: farther from all neighbours" in _text(found, "rank-differs")
    assert "slow-link" not in _kinds(found)


def test_unbound_ranks_are_told() -> None:
    machine = _machine(facts={"bound": [rank > 2 for rank in range(16)]})
    assert "3 of 16 ranks may run on all processors" in _text(_advised(machine.scan()), "unbound")


def test_a_rank_with_the_only_processor_is_bound() -> None:
    facts = {"bound": [False] * 16, "online": [1] * 16, "cpus": [""] * 16}
    assert "unbound" not in _kinds(_advised(_machine(facts=facts).scan()))


def test_more_ranks_than_processors_are_told() -> None:
    machine = _machine(facts={"cpus": ["0-1"] * 16})
    assert "4 ranks of node 0 share 2 processors (4 such nodes)" in _text(
        _advised(machine.scan()), "oversubscribed"
    )


def test_processors_that_are_not_known_are_counted_by_those_online() -> None:
    few = _machine(facts={"cpus": [""] * 16, "online": [3] * 16})
    unknown = _machine(facts={"cpus": [""] * 16, "online": [0] * 16})
    assert "oversubscribed" in _kinds(_advised(few.scan()))
    assert "oversubscribed" not in _kinds(_advised(unknown.scan()))


def test_simulated_times_are_told_and_processors_do_not_matter() -> None:
    machine = _machine(is_simulated=True, facts={"bound": [False] * 16, "cpus": ["0"] * 16})
    assert _kinds(_advised(machine.scan())) == ["simulated"]


def test_a_sampled_matrix_is_told() -> None:
    samples = _machine().scan()
    kept = tuple(result for result in samples.results if result.pairs[0] not in {(0, 5), (5, 0)})
    found = _advised(dataclasses.replace(samples, results=kept))
    assert "1 of 120 pairs of ranks were not measured" in _text(found, "sampled")


def test_an_interrupted_scan_is_told() -> None:
    samples = dataclasses.replace(_machine().scan(), complete=False)
    assert "interrupted" in _kinds(_advised(samples))
    assert not analyse(scan(samples))["complete"]


def test_interrupted_details_are_told() -> None:
    machine = _machine()
    details = dataclasses.replace(machine.details({"node/across": [(0, 4)]}), complete=False)
    document = analyse(scan(machine.scan()), details)
    assert not document["complete"]
    assert [w["kind"] for w in document["warnings"]].count("interrupted") == 1


def test_noise_is_told_with_its_size() -> None:
    found = _advised(_machine(spread=0.5).scan())
    assert "240 of 240 results vary by more than 30%" in _text(found, "noise")
    assert "by 50%" in _text(found, "noise")


def test_results_that_did_not_converge_are_told() -> None:
    results = _machine().scan().results
    some = [dataclasses.replace(result, converged=False) for result in results[:20]]
    (caution,) = of_results([*some, *results[20:]])
    assert caution.name == "not-converged"
    assert caution.text.startswith("20 of 240 results did not become as sure")
    assert not list(of_results([*some[:10], *results[10:]]))
    assert not list(of_results([]))


def test_noise_of_details_and_scan_is_told_once() -> None:
    machine = _machine(spread=0.5)
    document = analyse(scan(machine.scan()), machine.details({"node/across": [(0, 4)]}))
    assert [warning["kind"] for warning in document["warnings"]].count("noise") == 1


def test_links_of_one_size_are_told() -> None:
    document = analyse(scan(_machine().scan()))
    (warning,) = [w for w in document["warnings"] if w["kind"] == "one-size"]
    assert "between nodes, between cores of a node were measured with one size" in warning["text"]


def test_ranks_are_written_as_ranges() -> None:
    assert ranks_text([3]) == "rank 3"
    assert ranks_text([0, 1, 2, 8]) == "ranks 0-2, 8"
    assert ranks_text(list(range(0, 40, 2)), most=3) == "ranks 0, 2, 4, ... (20)"
