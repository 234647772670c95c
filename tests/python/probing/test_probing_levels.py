# SPDX-License-Identifier: Apache-2.0
"""Levels are found in round trips where names say nothing, and never where there are none."""

from __future__ import annotations

import dataclasses

import numpy as np
import probe_data as data
import pytest

from espalier.errors import ArgumentError
from espalier.probing import groups, matrix
from espalier.probing.advice import with_cautions
from espalier.probing.nodes import members_of
from espalier.probing.scan import scan


def _machine(
    nodes: int = 4,
    packages: int = 2,
    cores: int = 4,
    seed: int = 0,
    noise: float = 0.05,
    outliers: float = 0.02,
) -> data.FakeMachine:
    node, package, core = data.shuffled_levels(nodes, packages, cores, seed)
    return data.FakeMachine(
        [
            data.FakeLevel("node", node, 15.0, 1000.0),
            data.FakeLevel("package", package, 1.0, 5000.0),
            data.FakeLevel("core", core, 0.5, 8000.0),
        ],
        seed=seed,
        noise=noise,
        outliers=outliers if noise else 0.0,
    )


def _nameless(machine: data.FakeMachine, **facts: list[object]) -> data.FakeMachine:
    ranks = range(machine.num_ranks)
    machine.facts = {"host": ["" for _ in ranks], "node": list(ranks), **facts}
    return machine


def _names(found: object) -> list[str]:
    return [level.name for level in found.levels]  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(50))
def test_three_levels_are_exact_in_noise_with_accidents(seed: int) -> None:
    machine = _nameless(_machine(seed=seed))
    found = scan(machine.scan())
    assert _names(found) == ["node", "package", "core"]
    for level, true in zip(found.levels, machine.levels, strict=True):
        assert data.partition(level.object_of_rank) == data.partition(true.object_of_rank)


@pytest.mark.parametrize(("nodes", "packages", "cores"), [(3, 2, 3), (2, 4, 4), (6, 2, 2)])
def test_other_shapes_are_exact_as_well(nodes: int, packages: int, cores: int) -> None:
    for seed in range(5):
        # The only pair of two cores may be disturbed both ways: then nothing tells it from others.
        machine = _nameless(_machine(nodes, packages, cores, seed, outliers=0.01 * (cores > 2)))
        found = scan(machine.scan())
        assert [data.partition(level.object_of_rank) for level in found.levels] == [
            data.partition(level.object_of_rank) for level in machine.levels
        ]


def test_a_node_that_parts_otherwise_is_told() -> None:
    machine = _machine(noise=0.0)
    node, package, _ = (level.object_of_rank for level in machine.levels)
    merged = tuple(0 if on == 0 else 1 + group for on, group in zip(node, package, strict=True))
    machine.levels = [
        machine.levels[0],
        dataclasses.replace(machine.levels[1], object_of_rank=merged),
        machine.levels[2],
    ]
    found = scan(machine.scan())
    assert [caution.name for caution in found.cautions] == ["node-differs"]
    assert f"the first is node {found.level('node').object_of_rank[node.index(0)]}" in (
        found.cautions[0].text
    )


def test_uneven_nodes_are_found() -> None:
    sizes = [7, 4, 2, 5]
    node = tuple(number for number, size in enumerate(sizes) for _ in range(size))
    levels = [
        data.FakeLevel("node", node, 15.0, 1000.0),
        data.FakeLevel("core", tuple(range(len(node))), 0.5, 8000.0),
    ]
    for seed in range(10):
        found = scan(_nameless(data.FakeMachine(levels, seed, 0.05, 0.02)).scan())
        assert _names(found) == ["node", "core"]
        assert found.level("node").object_of_rank == node


@pytest.mark.parametrize("num_ranks", [3, 4, 5, 8, 16, 33])
def test_noise_has_no_groups(num_ranks: int) -> None:
    wrong = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        times = np.exp(random.normal(0.0, 0.05, (num_ranks, num_ranks)))
        accidents = random.random(times.shape) < 0.02
        times[accidents] *= random.uniform(2.0, 10.0, accidents.sum())
        whole = matrix.completed(matrix.of_values(times).fastest_us)
        wrong += groups.find(whole, allow_single=bool(seed % 2)).depth > 0
    # The tests are made at levels of 5 % and 0.1 %.
    assert wrong <= 1


def test_noise_in_many_nodes_has_no_groups() -> None:
    node = tuple(rank // 4 for rank in range(64))
    levels = [
        data.FakeLevel("node", node, 15.0, 1000.0),
        data.FakeLevel("core", tuple(range(64)), 0.5, 8000.0),
    ]
    for seed in range(5):
        found = scan(data.FakeMachine(levels, seed, 0.05, 0.02).scan())
        assert _names(found) == ["node", "core"]


def test_groups_too_small_for_a_test_alone_are_accepted_if_nodes_agree() -> None:
    times = np.full((4, 4), 2.0)
    times[:2, :2] = times[2:, 2:] = 1.3
    noisy = [
        times * np.exp(np.random.default_rng(seed).normal(0.0, 0.05, (4, 4))) for seed in range(8)
    ]
    whole = np.zeros((32, 32))
    for number, one in enumerate(noisy):
        part = slice(4 * number, 4 * number + 4)
        whole[part, part] = np.fmin(one, one.T)
    members = [tuple(range(4 * i, 4 * i + 4)) for i in range(8)]
    together = groups.find_within(whole, members)
    alone = [groups.find(whole[4 * i : 4 * i + 4, 4 * i : 4 * i + 4]) for i in range(8)]
    assert all(tree.depth == 1 for tree in together)
    assert any(tree.depth == 0 for tree in alone)


def test_switches_above_named_nodes_are_found() -> None:
    core = tuple(range(24))
    node = tuple(rank // 3 for rank in core)
    switch = tuple(rank // 12 for rank in core)
    levels = [
        data.FakeLevel("switch", switch, 25.0, 1000.0),
        data.FakeLevel("node", node, 10.0, 1000.0),
        data.FakeLevel("core", core, 0.5, 8000.0),
    ]
    found = scan(data.FakeMachine(levels, 3, 0.03).scan())
    assert _names(found) == ["switch", "node", "core"]
    assert found.level("switch").object_of_rank == switch
    assert [split.level for split in found.splits] == ["switch"]
    assert [found.between(i) for i in range(3)] == [
        "between switches",
        "between nodes of a switch",
        "between cores of a node",
    ]


def test_512_ranks_are_grouped_in_seconds() -> None:
    rank = np.arange(512)
    times = np.where(np.equal.outer(rank // 16, rank // 16), 2.0, 20.0)
    times[np.equal.outer(rank // 8, rank // 8)] = 1.3
    times *= np.exp(np.random.default_rng(1).normal(0.0, 0.05, times.shape))
    tree = groups.find(matrix.completed(np.fmin(times, times.T)))
    assert {group.members for group in tree.at_depth(1)} == set(
        members_of(tuple((rank // 16).tolist()))
    )
    assert {group.members for group in tree.at_depth(2)} == set(
        members_of(tuple((rank // 8).tolist()))
    )


def test_names_that_tell_ranks_apart_are_trusted() -> None:
    found = scan(_machine(noise=0.0).scan())
    assert "4 nodes: groups of ranks that can share memory" in found.evidence[0]
    assert [caution.name for caution in found.cautions] == []


@pytest.mark.parametrize(
    "facts",
    [
        {"host": ["same"] * 32, "node": [0] * 32},
        {"host": ["same"] * 32, "node": [0] * 32, "kernel": [f"k{i // 8}" for i in range(32)]},
        {"host": [""] * 32, "node": [0] * 32},
        {"host": [f"h{i}" for i in range(32)], "node": list(range(32))},
    ],
    ids=["one name", "one name, several kernels", "no name", "each its own"],
)
def test_nodes_come_from_round_trips_when_names_say_nothing(facts: dict[str, list[object]]) -> None:
    machine = _nameless(_machine(), **facts)
    found = scan(machine.scan())
    assert data.partition(found.level("node").object_of_rank) == data.partition(
        machine.levels[0].object_of_rank
    )
    assert "nameless" in [caution.name for caution in found.cautions]


def test_ranks_of_one_kernel_with_one_name_and_one_memory_are_one_node() -> None:
    """Waiting for a processor takes longer than any network, so that crowded ranks seem apart."""
    machine = _machine(outliers=0.0)
    machine.facts = {"host": ["same"] * 32, "node": [0] * 32, "kernel": ["4f1e"] * 32}
    found = scan(machine.scan())
    assert found.level("node").num_objects == 1
    assert "nameless" not in [caution.name for caution in found.cautions]
    assert "one operating system" in found.evidence[0]


def test_packages_of_one_machine_are_not_taken_for_nodes() -> None:
    machine = _machine(nodes=1, cores=6, outliers=0.0)
    machine.facts = {"host": ["a"] * 12, "node": [0] * 12}
    found = scan(machine.scan())
    assert _names(found) == ["node", "package", "core"]
    assert found.level("node").num_objects == 1
    assert [caution.name for caution in found.cautions] == []


def test_hosts_count_where_no_memory_is_shared() -> None:
    machine = _machine(nodes=2, noise=0.0)
    node = machine.levels[0].object_of_rank
    machine.facts = {"host": [f"h{number}" for number in node], "node": list(range(16))}
    found = scan(machine.scan())
    assert data.partition(found.level("node").object_of_rank) == data.partition(node)
    assert "no-shared-memory" in [caution.name for caution in found.cautions]


def test_names_that_round_trips_deny_are_told() -> None:
    machine = _machine(nodes=2, noise=0.0)
    node = list(machine.levels[0].object_of_rank)
    first, second = node.index(0), node.index(1)
    node[first], node[second] = 1, 0
    machine.facts = {"node": node}
    swapped = [caution.name for caution in with_cautions(scan(machine.scan())).cautions]
    machine.facts = {"node": [rank % 2 for rank in range(16)]}
    random = scan(machine.scan()).cautions
    assert "slow-link" in swapped or "rank-differs" in swapped
    assert any("said to be on node" in caution.text for caution in random)


def test_one_machine_under_two_names_is_told() -> None:
    machine = _machine(nodes=1, noise=0.0)
    machine.facts = {"node": [rank % 4 for rank in range(8)], "host": list("abcdabcd")}
    kinds = [caution.name for caution in scan(machine.scan()).cautions]
    assert "names-contradict" in kinds


def test_shared_memory_against_host_names_is_told() -> None:
    machine = _machine(nodes=2, noise=0.0)
    machine.facts = {"host": ["same"] * 16}
    found = scan(machine.scan())
    assert found.level("node").num_objects == 2
    assert [caution.name for caution in found.cautions] == ["names-contradict"]


def test_containers_with_names_of_their_own_on_one_node_are_no_contradiction() -> None:
    machine = _machine(nodes=2, noise=0.0)
    machine.facts = {"host": [f"container{rank}" for rank in range(16)]}
    found = scan(machine.scan())
    assert found.level("node").num_objects == 2
    assert [caution.name for caution in found.cautions] == []


def test_too_few_pairs_to_look_for_nodes_is_said() -> None:
    machine = _nameless(_machine(noise=0.0))
    samples = machine.scan()
    found = scan(dataclasses.replace(samples, results=samples.results[:40], complete=False))
    assert found.level("node").num_objects == 32
    assert "too few pairs were measured" in found.evidence[1]
    assert "interrupted" in [caution.name for caution in with_cautions(found).cautions]


def test_one_rank_has_levels_and_says_so() -> None:
    machine = data.FakeMachine([data.FakeLevel("node", (0,), 1.0, 1.0)])
    found = scan(machine.scan())
    assert [(level.name, level.object_of_rank) for level in found.levels] == [
        ("node", (0,)),
        ("core", (0,)),
    ]
    assert found.evidence == ("one rank only: there is nobody to exchange messages with",)


def test_a_header_alone_gives_the_levels_that_names_tell() -> None:
    machine = _machine(noise=0.0)
    samples = dataclasses.replace(machine.scan(), results=())
    found = scan(samples)
    assert _names(found) == ["node", "core"]
    assert found.matrix.is_empty


def test_unmeasured_nodes_are_like_measured_ones() -> None:
    machine = _machine(nodes=4, noise=0.0)
    order = sorted(range(32), key=lambda rank: machine.levels[2].object_of_rank[rank])
    in_order = data.FakeMachine(
        [
            dataclasses.replace(level, object_of_rank=tuple(level.object_of_rank[r] for r in order))
            for level in machine.levels
        ]
    )
    samples = in_order.scan()
    kept = tuple(
        result
        for result in samples.results
        for a, b in result.pairs
        if max(a, b) < 8 or (a % 8 == b % 8 == 0)
    )
    found = scan(dataclasses.replace(samples, results=kept))
    assert found.level("package").object_of_rank == tuple(rank // 4 for rank in range(32))
    assert any("3 of 4 nodes were not measured inside" in text for text in found.evidence)
    assert "sampled" in [caution.name for caution in with_cautions(found).cautions]


def test_holes_are_filled_with_the_way_round() -> None:
    times = np.array([[np.nan, 1.0, 5.0], [1.0, np.nan, np.nan], [5.0, np.nan, np.nan]])
    filled = matrix.completed(matrix.of_values(times).fastest_us)
    assert filled[1, 2] == filled[2, 1] == 5.0


def test_an_accident_does_not_survive_the_way_round() -> None:
    times = np.full((4, 4), 1.0)
    times[0, 1] = times[1, 0] = 9.0
    assert matrix.completed(matrix.of_values(times).fastest_us)[0, 1] == 1.0


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([[0, 1, 2], [1, 0, 2]], "expected a square matrix of round trips, got 2 rows of 3 times"),
        ([[0, 0], [1, 0]], "expected round trips above 0 us, got 0 from rank 0 to rank 1"),
        ([[0, 1], [-2, 0]], "expected round trips above 0 us, got -2 from rank 1 to rank 0"),
        ([[0, float("inf")], [1, 0]], "got inf from rank 0 to rank 1"),
        ([[0, 1], [1]], "got 2 rows of 1, 2 times"),
    ],
)
def test_wrong_matrices_are_refused(rows: list[list[float]], text: str) -> None:
    with pytest.raises(ArgumentError, match=text):
        matrix.of_values(rows)


def test_round_trips_that_do_not_connect_all_are_refused() -> None:
    rows = [[None, 1.0, None], [1.0, None, None], [None, None, None]]
    with pytest.raises(ArgumentError, match="none between rank 0 and rank 2, direct or over"):
        matrix.completed(matrix.of_values(rows).fastest_us)


def test_alone_counts_before_together() -> None:
    machine = _machine(nodes=2, noise=0.0)
    together = machine.result("latency", [(0, 1), (2, 3)], 16 * data.KIB)
    slow = dataclasses.replace(together, median_us=(900.0, 901.0))
    alone = machine.result("latency", [(0, 1)], 16 * data.KIB)
    found = matrix.of_samples(
        dataclasses.replace(machine.scan(), results=(slow, alone, slow))
    ).rtt_us
    assert found[0, 1] == alone.median_us[0]
    assert found[2, 3] == 901.0


def test_the_size_of_most_pairs_makes_the_matrix() -> None:
    machine = _machine(nodes=2, noise=0.0)
    samples = machine.scan()
    more = (machine.result("latency", [(0, 1)], 8), *samples.results)
    assert matrix.of_samples(dataclasses.replace(samples, results=more)).bytes == 16 * data.KIB
