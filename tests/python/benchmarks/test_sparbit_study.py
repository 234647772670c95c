# SPDX-License-Identifier: Apache-2.0
"""The study of Sparbit: its distributions, its cells, the arithmetic of its tables."""

from __future__ import annotations

import dataclasses
import importlib
import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomllib
from places import repository

from espalier import _core, errors

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = repository / "benchmarks" / "reproduce" / "sparbit"


def _modules() -> dict[str, Any]:
    """Return the modules of the folder; modules of other studies have some of their names."""
    names = [path.stem for path in FOLDER.glob("*.py")]
    others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(FOLDER))
    try:
        return {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(str(FOLDER))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(others)


_STUDY = _modules()
agreement, contests, declared = (_STUDY[name] for name in ("agreement", "contests", "declared"))
distributions, page, replaying = (_STUDY[name] for name in ("distributions", "page", "replaying"))
results, simulating, tables = (_STUDY[name] for name in ("results", "simulating", "tables"))
PUBLISHED = tomllib.loads((FOLDER / "published.toml").read_text(encoding="utf-8"))
RANKS = [2, 3, 5, 8, 9, 16, 31, 32, 100, 249, 256]


def cell(num_ranks: int = 8, size: int = 1, mapping: str = "sequential") -> Any:
    return declared.Cell("yahoo", num_ranks, size, mapping)


def same(**times: float) -> dict[str, tuple[float, float, float]]:
    return {name: (value, value, value) for name, value in times.items()}


# Distributions


@pytest.mark.parametrize("num_ranks", RANKS)
@pytest.mark.parametrize("size", [1, 3, 1024, 1 << 20])
def test_distributions_have_their_totals(num_ranks: int, size: int) -> None:
    total = {
        name: sum(distributions.block_bytes(name, num_ranks, size))
        for name in distributions.DISTRIBUTIONS
    }
    whole = num_ranks * size
    assert total["regular"] == whole
    assert total["broadcast"] == size
    assert total["spike"] == 2 * whole - whole % (num_ranks - 1)
    assert total["half_full"] == 2 * -(-num_ranks // 2) * size
    assert whole - num_ranks < total["linear"] <= whole


def test_distributions_are_those_of_the_source() -> None:
    sixteen = {name: distributions.block_bytes(name, 16, 1024) for name in ("linear", "geometric")}
    assert sixteen["geometric"][:8] == [3939, 2363, 1688, 1313, 1074, 909, 787, 695]
    assert sixteen["geometric"][8:] == [622, 562, 513, 472, 437, 407, 381, 358]
    assert sixteen["linear"][:8] == [2048, 1911, 1774, 1638, 1501, 1365, 1228, 1092]
    assert sixteen["linear"][8:] == [955, 819, 682, 546, 409, 273, 136, 0]
    assert distributions.block_bytes("spike", 16, 1024) == [16384] + [1092] * 15
    assert distributions.block_bytes("half_full", 5, 7) == [14, 0, 14, 0, 14]
    assert distributions.block_bytes("broadcast", 3, 7) == [7, 0, 0]


def test_the_geometric_curve_is_above_its_total_for_few_ranks_only() -> None:
    share = {p: sum(distributions.geometric(p, 1 << 20)) / (p << 20) for p in range(2, 257)}
    assert all(share[p] > 1 for p in range(2, 27))
    assert all(share[p] < 1 for p in range(27, 257))
    assert share[16] == pytest.approx(1.0088, abs=1e-4)
    assert share[256] == pytest.approx(0.994, abs=1e-3)


@pytest.mark.parametrize("name", list(distributions.DISTRIBUTIONS))
def test_one_rank_has_the_nominal_size(name: str) -> None:
    assert distributions.block_bytes(name, 1, 64) == [64]


# What is declared


@pytest.mark.parametrize(
    ("name", "num_cells"),
    [("yahoo", 1344), ("cervino", 1680), ("broadcast", 672), ("geometric", 672)],
)
def test_there_are_as_many_cells_as_published(name: str, num_cells: int) -> None:
    battery = declared.batteries()[name]
    for mapping in declared.MAPPINGS:
        assert sum(one.mapping == mapping for one in battery.cells()) == num_cells
    assert set(battery.sampled_ranks) < set(battery.ranks)
    assert battery.sampled_sizes == [1, 16, 256, 4096, 65536, 1 << 20]


def test_the_first_number_of_ranks_above_the_cores_of_yahoo_is_odd() -> None:
    battery = declared.batteries()["yahoo"]
    cores = battery.system.nodes * battery.system.cores
    assert min(p for p in battery.ranks if p > cores) == 133


@pytest.mark.parametrize("name", ["yahoo", "cervino", "broadcast"])
def test_ranks_lie_on_nodes_as_mapped(name: str) -> None:
    system = declared.batteries()[name].system
    per_node = 2 * system.cores
    for num_ranks in (*range(1, system.num_slots, 9), system.num_slots):
        cyclic = system.slots("cyclic", num_ranks)
        sequential = system.slots("sequential", num_ranks)
        assert len(set(cyclic)) == len(set(sequential)) == num_ranks
        assert [slot // per_node for slot in cyclic] == [
            rank % system.nodes for rank in range(num_ranks)
        ]
        nodes = [slot // per_node for slot in sequential]
        assert nodes == sorted(nodes)
        if num_ranks <= system.nodes * system.cores:
            assert nodes == [rank // system.cores for rank in range(num_ranks)]
        else:
            counts = [nodes.count(node) for node in range(system.nodes)]
            assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("name", ["yahoo", "cervino", "broadcast"])
def test_machines_have_the_slots_of_their_system(name: str) -> None:
    system = declared.batteries()[name].system
    placed = _core.place(
        system.machine, system.placement("cyclic", system.num_slots), system.num_slots
    )
    nodes = placed["levels"][placed["node_level"]]
    assert nodes["num_objects"] == system.nodes
    assert nodes["object_of_rank"][: system.nodes + 1] == [*range(system.nodes), 0]
    with pytest.raises(errors.ArgumentError, match=str(system.num_slots)):
        _core.place(system.machine, "block", system.num_slots + 1)


# Arithmetic


def test_an_improvement_is_over_the_second() -> None:
    field = {"ring": 10.0, "bruck": 4.0, "sparbit": 3.0}
    assert contests.winner(field) == "sparbit"
    assert contests.improvement(field) == 0.25
    assert contests.improvement(field, "bruck") is None
    assert contests.improvement({"ring": 1.0, "sparbit": 2.0}) is None


def test_nobody_is_best_where_two_are_equal() -> None:
    assert contests.winner({"ring": 3.0, "sparbit": 3.0 * (1 + 1e-9)}) is None
    assert contests.improvement({"ring": 3.0, "sparbit": 3.0}) is None
    assert contests.winner({}) is None


def test_united_takes_the_better_mapping_of_each() -> None:
    times = {
        cell(): {"ring": (1.0, 4.0, 9.0), "sparbit": (1.0, 2.0, 9.0)},
        cell(mapping="cyclic"): {"ring": (1.0, 3.0, 7.0), "sparbit": (1.0, 8.0, 8.0)},
        cell(num_ranks=16): same(ring=1.0, sparbit=0.5),
    }
    assert contests.fields(times, "united", "avg") == {(8, 1): {"ring": 3.0, "sparbit": 2.0}}
    assert contests.fields(times, "cyclic", "max") == {(8, 1): {"ring": 7.0, "sparbit": 8.0}}
    assert len(contests.fields(times, "sequential", "min")) == 2


def test_a_row_is_of_the_cells_where_sparbit_is_best() -> None:
    cells = [
        {"ring": 10.0, "sparbit": 9.0},
        {"ring": 10.0, "sparbit": 8.0},
        {"ring": 10.0, "sparbit": 4.0},
        {"ring": 10.0, "sparbit": 11.0},
        {"ring": 10.0, "sparbit": 10.0},
    ]
    row = contests.tally(cells)
    assert row.num_cells == 5
    assert row.wins == 3
    assert row.percentages == pytest.approx((60, 30, 20, 60))
    assert contests.tally([]).percentages == (0, 0, 0, 0)
    assert contests.tally(cells, "ring").percentages[:2] == pytest.approx((20, 100 / 11))


def test_overlaps_count_cells_by_metric() -> None:
    slower, faster = 2.0, 0.5
    found = {}
    for size, best in enumerate([(1, 1, 1), (1, 1, 0), (0, 0, 1), (0, 0, 0), (1, 0, 0)]):
        ours = tuple(faster if one else slower for one in best)
        found[cell(size=size)] = {"ring": (1.0, 1.0, 1.0), "sparbit": ours}
    assert contests.overlap(found, "sequential") == contests.Overlap(
        any_metric=4, all_metrics=1, max_best=2, max_and_avg_best=1
    )


def test_areas_are_taken_from_their_holders() -> None:
    cells = [
        {"ring": 9.0, "bruck": 5.0, "sparbit": 6.0},  # Bruck's; Sparbit is faster than the ring
        {"ring": 9.0, "bruck": 5.0, "sparbit": 10.0},
        {"ring": 3.0, "bruck": 5.0, "sparbit": 4.0},  # the ring's; Sparbit is faster than Bruck
    ]
    assert contests.taken_from(cells, contests.LOGARITHMIC) == (2, 1)
    assert contests.taken_from(cells, contests.LINEAR) == (1, 1)


def test_agreement_is_of_the_cells_that_both_have() -> None:
    truth = {
        cell(): same(ring=4.0, bruck=2.0, sparbit=1.0),
        cell(size=2): same(ring=3.0, bruck=2.0),
    }
    model = {
        cell(): same(ring=4.0, bruck=2.0, sparbit=1.0),
        cell(size=2): same(ring=2.0, bruck=3.0),
        cell(size=4): same(ring=1.0, bruck=9.0),
    }
    found = agreement.agreement(model, truth, "avg")
    assert found.num_cells == 2
    assert found.same_best == 0.5
    assert found.correlation == 1
    assert found.regret_max == pytest.approx(0.5)
    assert found.regret_mean == pytest.approx(0.25)
    assert found.bias == pytest.approx(1)
    assert agreement.agreement({}, truth, "avg") is None


def test_published_percentages_are_those_of_published_counts() -> None:
    said = PUBLISHED["tables"]
    for name, mapping, wins, num_cells in (
        ("yahoo", "sequential", 624, 1344),
        ("yahoo", "cyclic", 257, 1344),
        ("yahoo", "united", 598, 1344),
        ("cervino", "sequential", 666, 1680),
        ("cervino", "cyclic", 518, 1680),
        ("cervino", "united", 639, 1680),
        ("broadcast", "united", 528, 672),
    ):
        assert said[name][mapping]["avg"][0] == pytest.approx(100 * wins / num_cells, abs=0.006)
    for name, num_cells in (("yahoo", 1344), ("cervino", 1680)):
        for mapping, numbers in PUBLISHED["overlaps"][name].items():
            best_in = said[name][mapping]["max"][0]
            assert best_in == pytest.approx(100 * numbers[2] / num_cells, abs=0.006)


# Results


def test_results_go_on_after_an_interruption(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "replay.jsonl"
    first = results.Results(path)
    first.add(cell(), same(ring=1.25), 0.5)
    first.add(cell(size=2), same(ring=2.5), 0.25, note="allgather/ring")
    with path.open("a", encoding="utf-8") as file:
        file.write('{"cell": {"batt')
    again = results.Results(path)
    assert again.times == first.times == {cell(): same(ring=1.25), cell(size=2): same(ring=2.5)}
    assert again.seconds == 0.75
    assert again.notes == {cell(size=2): "allgather/ring"}
    again.add(cell(size=4), same(ring=3.0), 0)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["cell"]["size"] for line in lines] == [1, 2, 4]


def small(name: str) -> Any:
    return dataclasses.replace(
        declared.batteries()[name],
        progressions=((4, 8, 4), (5, 5, 4)),
        largest_exponent=8,
        sample_first=1,
        sample_step=1,
    )


def test_a_battery_is_replayed_once(tmp_path: Path) -> None:
    battery = small("yahoo")
    found = results.Results(tmp_path / "replay.jsonl")
    replaying.replay_battery(battery, found)
    assert set(found.times) == set(battery.cells())
    assert set(found.times[cell(8)]) == set(battery.algorithms)
    assert set(found.times[cell(5)]) == {"ring", "bruck", "sparbit"}
    for times in found.times.values():
        assert all(low <= mean <= high for low, mean, high in times.values())
    size = (tmp_path / "replay.jsonl").stat().st_size
    replaying.replay_battery(battery, results.Results(tmp_path / "replay.jsonl"))
    assert (tmp_path / "replay.jsonl").stat().st_size == size


def test_only_the_block_of_rank_0_is_waited_for_in_a_broadcast() -> None:
    battery = small("broadcast")
    one = declared.Cell("broadcast", 8, 256, "sequential")
    times = replaying.replay_cell(battery, one, {"sparbit": "allgather/sparbit"})
    tree = _core.replay(
        "bcast/binomial",
        8,
        0,
        battery.system.machine,
        battery.system.placement("sequential", 8),
        256,
    )
    assert times["sparbit"][2] == pytest.approx(1e6 * tree["seconds"])


def test_the_catalog_is_what_is_not_in_the_study(tmp_path: Path) -> None:
    battery = small("yahoo")
    names = replaying.rivals(battery, cell(8))
    assert not {f"allgather/{name}" for name in battery.algorithms} & set(names)
    found = results.Results(tmp_path / "catalog.jsonl")
    replaying.best_of_catalog(battery, found)
    assert set(found.times) == set(battery.catalog_cells())
    assert all(found.notes[one] in replaying.rivals(battery, one) for one in found.times)


def test_the_page_has_what_is_published_and_what_is_found(tmp_path: Path) -> None:
    findings = []
    for name, battery in declared.batteries().items():
        found = [results.Results(tmp_path / f"{step}-{name}.jsonl") for step in "rsc"]
        for one in [declared.Cell(name, 8, 1, mapping) for mapping in declared.MAPPINGS]:
            found[0].add(one, same(ring=4.0, bruck=5.0, sparbit=1.0), 1)
            found[1].add(one, same(ring=4.0, bruck=5.0, sparbit=2.0), 2)
            found[2].add(one, same(catalog=0.5), 3, note="allgather/flat")
        findings.append(tables.Findings(battery, *found))
    rows = json.loads(json.dumps(_STUDY["summary"].summary(findings)))
    lines = page.page(rows, "2026-01-02").splitlines()
    assert (
        "| Allgather, Yahoo | sequential | min | 53.65 / 36.18 / 29.98 / 85.87"
        " | 100 / 75 / 75 / 75 (1) | 100 / 75 / 75 / 75 (1) | 100 / 50 / 50 / 50 (1) |"
    ) in lines
    assert (
        "| Allgather, Yahoo | sequential | 1 | 1 | 0 | 50 / 50 / 50 | 100 / 50 / 50 / 50 (1) |"
        in lines
    )
    assert "* Allgather, Yahoo: `flat` 2" in lines
    assert "* Allgather, Yahoo, 221 ranks, cyclic, blocks of 1 B, 16 B, 256 B, 4 KiB" in lines
    assert "2026-01-02" in lines[1]


def test_outcomes_are_read_as_written(tmp_path: Path) -> None:
    battery = declared.batteries()["yahoo"]
    found = results.Results(tmp_path / "replay.jsonl")
    for mapping in declared.MAPPINGS:
        found.add(cell(size=1, mapping=mapping), same(ring=4.0, sparbit=1.0), 1)
        found.add(cell(size=2, mapping=mapping), same(recursive_doubling=3.0, sparbit=4.0), 1)
        found.add(cell(size=4, mapping=mapping), same(bruck=3.0, sparbit=3.0), 1)
    outcomes = _STUDY["outcomes"]
    nothing = results.Results(tmp_path / "nothing.jsonl")
    findings = tables.Findings(battery, found, nothing, nothing)
    outcomes.write_outcomes([findings], tmp_path / "outcomes.csv")
    read = outcomes.read_outcomes(tmp_path / "outcomes.csv")
    assert set(read) == set(outcomes.series_of(findings))
    for cells in read.values():
        assert [cells[8, size] for size in (1, 2, 4, 8)] == [75, "recursive_doubling", None, None]


@pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")
def test_simgrid_and_the_replay_agree_on_unequal_blocks(tmp_path: Path) -> None:
    battery = dataclasses.replace(small("linear"), progressions=((5, 5, 1),))
    found = results.Results(tmp_path / "simulate.jsonl")
    assert simulating.simulate_battery(battery, found, 60) == []
    assert len(found.times) == 2 * len(battery.sampled_sizes)
    for one, times in found.times.items():
        choices = {name: f"allgather/{name}" for name in times}
        assert set(times) == {"ring", "bruck", "sparbit"}
        for name, replayed in replaying.replay_cell(battery, one, choices).items():
            low, mean, high = times[name]
            assert low <= mean <= high
            assert high == pytest.approx(replayed[2], rel=0.35)
