# SPDX-License-Identifier: Apache-2.0
"""`espalier map`: grids and graphs, the choice of a grid, files for launchers, what is printed."""

from __future__ import annotations

import itertools
import json
import math
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from espalier import _core
from espalier.machines import machines
from espalier.maps import factors, hosts, problem

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL = ("--grid", "8x6", "--machine", "4n x 2s x 6c")
NAMES = ("--hosts", "n[1-4]")


def cut(extents: list[int], periodic: list[bool], nodes: list[int]) -> tuple[int, int]:
    """Count by hand the messages of nearest neighbours that leave nodes: all, of the worst."""
    positions = list(itertools.product(*map(range, extents)))
    leaving = dict.fromkeys(nodes, 0)
    for place, axis, step in itertools.product(positions, range(len(extents)), (-1, 1)):
        other = list(place)
        other[axis] += step
        if periodic[axis]:
            other[axis] %= extents[axis]
        if tuple(other) != place and 0 <= other[axis] < extents[axis]:
            first, second = (nodes[positions.index(tuple(at))] for at in (place, other))
            leaving[first] += first != second
    return sum(leaving.values()), max(leaving.values())


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_the_published_grid_of_levels_is_chosen(cli: Callable) -> None:
    machine = ("--machine", "625n x 2s x 12c", "--no-search", "--algorithm", "identity")
    found = cli("map", "--cells", "1000x1100x950", *machine, "--json").document()
    assert found["dims"] == [30, 25, 20]
    assert found["dims_ml"] == [[5, 2, 3], [25, 1, 1], [5, 1, 4]]
    assert found["dims_ml_levels"] == ["node", "package", "core"]
    assert found["unit"] == "cells"


def test_the_document_says_what_can_be_counted_by_hand(cli: Callable) -> None:
    found = cli("map", *SMALL, "--periodic", "x", "--json").document()
    assert found["dims"] == [8, 6]
    assert found["grid"]["periodic"] == [True, False]
    node = found["metrics"][0]
    before = cut([8, 6], [True, False], [position // 12 for position in range(48)])
    after = cut([8, 6], [True, False], found["seats"]["node"])
    assert (node["level"], node["groups"]) == ("node", 4)
    assert (node["before"]["total"], node["before"]["worst"]) == before
    assert (node["after"]["total"], node["after"]["worst"]) == after
    assert node["after"]["mean"] == after[0] / 4
    assert after < before


def test_permutation_positions_and_seats_agree(cli: Callable) -> None:
    found = cli("map", *SMALL, "--placement", "cyclic", "--json").document()
    ranks = found["permutation"]
    assert sorted(ranks) == list(range(48))
    assert [found["positions"][rank] for rank in ranks] == list(range(48))
    # Cyclic: rank r is on node r % 4, on its core r // 4; six cores make a package.
    assert found["seats"]["node"] == [rank % 4 for rank in ranks]
    assert found["seats"]["core"] == [rank // 4 for rank in ranks]
    assert found["seats"]["part"] == [rank // 4 // 6 for rank in ranks]
    assert found["placement"] == {"text": "cyclic", "is_assumed": False}


def test_trials_tell_all_algorithms_and_the_chosen_one_is_best(cli: Callable) -> None:
    found = cli("map", *SMALL, "--json").document()
    chosen = [trial for trial in found["trials"] if trial["is_chosen"]]
    assert [trial["algorithm"] for trial in chosen] == [found["algorithm"]]
    scored = [trial for trial in found["trials"] if trial["score"] is not None]
    assert len(scored) > 3
    assert found["objective"]["after"] == chosen[0]["score"]["objective"]
    assert found["objective"]["after"] < found["objective"]["before"]
    assert all(trial["refusal"] for trial in found["trials"] if trial["score"] is None)


def test_only_named_algorithms_are_tried(cli: Callable) -> None:
    name = _core.mapping_algorithms()[0]["name"]
    found = cli("map", *SMALL, "--algorithm", name, "--no-search", "--json").document()
    assert {trial["algorithm"] for trial in found["trials"]} <= {"identity", name}


@pytest.mark.parametrize(
    ("grid", "cells", "machine", "dims"),
    [
        ("0x6", None, "4n x 12c", [8, 6]),
        ("0x0", "1800x580", "12c", [6, 2]),
        ("0x0", "3000x3000", "25n x 24c", [30, 20]),
        (None, "3000x3000", "25n x 24c", [30, 20]),
        ("0x0x2", None, "2n x 4c", [2, 2, 2]),
    ],
)
def test_open_extents_are_chosen(
    grid: str | None, cells: str | None, machine: str, dims: list[int], cli: Callable
) -> None:
    words = [*(("--grid", grid) if grid else ()), *(("--cells", cells) if cells else ())]
    found = cli("map", *words, "--machine", machine, "--no-search", "--json").document()
    assert found["dims"] == dims


def test_jointly_chosen_grids_are_never_worse(cli: Callable) -> None:
    words = ("--cells", "100x90x110", "--machine", "6n x 10c", "--no-search", "--json")
    alone = cli("map", *words).document()
    joint = cli("map", *words, "--joint").document()
    assert len(alone["grids"]) == 1
    assert len(joint["grids"]) > 2
    assert alone["dims"] in [grid["extents"] for grid in joint["grids"]]
    objectives = [grid["score"]["objective"] for grid in joint["grids"]]
    chosen = next(grid for grid in joint["grids"] if grid["is_chosen"])
    assert chosen["score"]["objective"] == min(objectives)
    assert joint["objective"]["after"] <= alone["objective"]["after"]


def test_groups_of_different_size_have_no_levels_of_dims(cli: Callable) -> None:
    found = cli("map", "--cells", "100x100", "--machine", "node:2 core:4,8", "--json").document()
    assert math.prod(found["dims"]) == 12
    assert found["dims_ml"] is None


def test_a_graph_is_mapped(cli: Callable, tmp_path: Path) -> None:
    file = tmp_path / "edges"
    # Partners are four ranks apart; node after node, all of them are on other nodes.
    pairs = [(rank, (rank + 4) % 8) for rank in range(8)]
    file.write_text("# from to bytes\n" + "".join(f"{one} {two} 10\n" for one, two in pairs))
    found = cli("map", "--edges", file, "--machine", "2n x 4c", "--json").document()
    assert found["graph"] == {"file": str(file), "num_edges": 8}
    assert (found["dims"], found["dims_ml"], found["grid"]) == (None, None, None)
    assert found["metrics"][0]["before"]["total"] == 80
    assert found["metrics"][0]["after"]["total"] == 0
    nodes = found["seats"]["node"]
    assert all(nodes[one] == nodes[two] for one, two in pairs)


@pytest.mark.parametrize(
    ("num_ranks", "dims"), [(60, (0, 0, 0)), (96, (0, 4, 0)), (7, (0, 0, 0)), (48, (0, 0, 1))]
)
def test_near_factorisations_are_all_there_are(num_ranks: int, dims: tuple[int, ...]) -> None:
    weights = (0.9, 1.0, 0.97)
    costs = {
        extents: sum(extent * weight for extent, weight in zip(extents, weights, strict=True))
        for extents in itertools.product(range(1, num_ranks + 1), repeat=3)
        if math.prod(extents) == num_ranks
        and all(given in (0, extent) for given, extent in zip(dims, extents, strict=True))
    }
    limit = 1.1 * min(costs.values())
    expected = sorted((cost, list(one)) for one, cost in costs.items() if cost <= limit)
    found = factors.near(num_ranks, weights, dims, 1000)
    assert found == [one for _, one in expected]
    assert factors.near(num_ranks, weights, dims, 2) == found[:2]


def test_messages_weigh_as_many_cells_as_they_have() -> None:
    nearest = problem.grid_problem("2x5", "100x50", "1x2", "", "nearest")
    # A process has 50x10 cells: one layer of 10 along x, two layers of 50 along y.
    assert sorted(nearest.weighted_stencil((2, 5)).split()) == sorted(
        ["(-1,0):10", "(1,0):10", "(0,-1):100", "(0,1):100"]
    )
    full = problem.grid_problem("2x5", "100x50", "1x2", "", "full")
    assert "(1,-1):2" in full.weighted_stencil((2, 5)).split()
    own = problem.grid_problem("2x5", "100x50", None, "", "(1,0):3 (-1,0)")
    assert own.weighted_stencil((2, 5)) == "(1,0):3 (-1,0)"


@pytest.mark.parametrize(
    ("text", "periodic"),
    [("x,z", (True, False, True)), ("0,1,0", (False, True, False)), ("all", (True,) * 3)],
)
def test_periodic_dimensions_are_letters_or_flags(text: str, periodic: tuple[bool, ...]) -> None:
    assert problem.parse_periodic(text, 3) == periodic


def seats_text(found: dict[str, Any], form: str) -> list[str]:
    """Return lines of a file from the document, by a way of its own."""
    seats = zip(found["seats"]["node"], found["seats"]["core"], strict=True)
    return [
        form.format(rank=rank, host=f"n{node + 1}", core=core)
        for rank, (node, core) in enumerate(seats)
    ]


@pytest.mark.parametrize(
    ("words", "form", "command"),
    [
        (
            ("openmpi",),
            "rank {rank}={host} slot={core}",
            "mpirun --rankfile @ -n 48 ./program",
        ),
        (
            ("openmpi", "--no-bind"),
            "{host}",
            "mpirun --hostfile @ --map-by seq --bind-to none -n 48 ./program",
        ),
        (
            ("slurm",),
            "{host}",
            "SLURM_HOSTFILE=@ srun --distribution=arbitrary -n 48 ./program",
        ),
    ],
)
def test_files_name_the_seat_of_each_rank(
    words: tuple[str, ...], form: str, command: str, cli: Callable, tmp_path: Path
) -> None:
    file = tmp_path / "ranks"
    result = cli("map", *SMALL, *NAMES, "--for", *words, "-o", file, "--json")
    found = result.document()
    assert lines_of(file) == seats_text(found, form)
    assert found["launch"]["command"] == command.replace("@", str(file))
    assert found["launch"]["binds"] == (len(words) == 1 and words[0] != "slurm")


def test_machine_files_of_mpich_have_a_line_for_each_run_of_ranks(
    cli: Callable, tmp_path: Path
) -> None:
    file = tmp_path / "machinefile"
    found = cli("map", *SMALL, *NAMES, "--for", "mpich", "--bind", "-o", file, "--json")
    found = found.document()
    unfolded = []
    for line in lines_of(file):
        place, binding = line.split(" binding=user:")
        host, number = place.split(":")
        cores = binding.split(",")
        assert len(cores) == int(number)
        unfolded += [f"{host} {core}" for core in cores]
    assert unfolded == seats_text(found, "{host} {core}")
    hosts_of_lines = [line.partition(":")[0] for line in lines_of(file)]
    assert all(one != other for one, other in itertools.pairwise(hosts_of_lines))
    assert found["launch"]["command"] == f"mpiexec -machinefile {file} -n 48 ./program"


def test_a_machine_without_nodes_is_one_host(cli: Callable, tmp_path: Path) -> None:
    file = tmp_path / "ranks"
    words = ("--grid", "2x6", "--stencil", "(1,0) (-1,0)", "--machine", "2s x 6c")
    found = cli("map", *words, "--for", "openmpi", "--hosts", "here", "-o", file, "--json")
    found = found.document()
    assert (found["metrics"][0]["before"]["total"], found["metrics"][0]["after"]["total"]) == (
        12,
        0,
    )
    assert lines_of(file) == [
        f"rank {rank}=here slot={core}" for rank, core in enumerate(found["seats"]["core"])
    ]
    assert found["seats"]["part"] == [core // 6 for core in found["seats"]["core"]]
    picture = tmp_path / "x.svg"
    cli("map", *words, "--draw", picture)
    assert "before: 12 messages between packages" in picture.read_text()


def test_levels_above_nodes_count_too(cli: Callable, tmp_path: Path) -> None:
    picture = tmp_path / "x.svg"
    words = ("--grid", "4x12", "--machine", "2g x 4n x 6c", "--draw", picture, "--json")
    found = cli("map", *words).document()
    assert [level["level"] for level in found["metrics"]] == ["group", "node"]
    both = sum(level["after"]["total"] for level in found["metrics"])
    assert both == cut([4, 12], [False, False], found["seats"]["node"])[0]
    assert f": {both:.0f}<" in picture.read_text()


def test_what_a_file_cannot_say_is_told(cli: Callable, tmp_path: Path) -> None:
    words = (*SMALL, *NAMES, "-o", tmp_path / "file", "--json")
    told = {
        launcher: {
            one["name"] for one in cli("map", *words, "--for", *launcher).document()["warnings"]
        }
        for launcher in (("openmpi",), ("openmpi", "--no-bind"), ("slurm",), ("mpich",))
    }
    assert [("unbound" in names) for names in told.values()] == [False, True, True, True]
    assert ["torn_nodes" in names for names in told.values()] == [False, False, False, True]
    # Rows of the grid as they are: every node has one line.
    rows = cli("map", *words, "--for", "mpich", "--bind", "--algorithm", "identity", "--no-search")
    names = {one["name"] for one in rows.document()["warnings"]}
    assert not names & {"unbound", "torn_nodes"}
    assert "numbers" in names
    assert lines_of(tmp_path / "file")[1] == "n2:12 binding=user:0,1,2,3,4,5,6,7,8,9,10,11"


def test_without_a_name_the_file_is_called_as_the_launcher_calls_it(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words, name in (
        (("openmpi",), "rankfile"),
        (("openmpi", "--no-bind"), "hostfile"),
        (("mpich",), "machinefile"),
    ):
        result = cli("map", *SMALL, *NAMES, "--for", *words)
        assert len(lines_of(tmp_path / name)) > 4
        assert f"wrote {name}\n" in result.out


def test_names_of_hosts_come_from_where_they_are_known(tmp_path: Path, cli: Callable) -> None:
    file = tmp_path / "nodes"
    file.write_text("# slots\na slots=12\nb:12\nc\nc\nd\n")
    words = ("--for", "slurm", "-o", tmp_path / "out")
    cli("map", *SMALL, *words, "--hosts", file)
    assert set(lines_of(tmp_path / "out")) == {"a", "b", "c", "d"}
    found = cli("machine", "4n x 2s x 6c", "--json")
    machine = found.document()
    machine["object_names"] = {"node": ["w", "x", "y", "z"]}
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(machine))
    cli("map", "--grid", "8x6", "--machine", path, *words)
    assert set(lines_of(tmp_path / "out")) == {"w", "x", "y", "z"}
    loaded = machines.load("4n x 12c")
    listed = {"SLURM_JOB_NODELIST": "node[07-10]"}
    assert hosts.names_of(loaded, 4, None, listed) == ["node07", "node08", "node09", "node10"]


@pytest.mark.parametrize("length", [7, 40])
def test_many_long_names_of_hosts_are_no_file(
    cli: Callable, tmp_path: Path, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"{'n' * length}{number:03d}" for number in range(40)]
    words = (
        "--grid",
        "8x5",
        "--machine",
        "40n x 1c",
        "--for",
        "openmpi",
        "--hosts",
        ",".join(names),
    )
    result = cli("map", *words, "-o", "file")
    assert result.code == 0, result.err
    lines = Path("file").read_text(encoding="utf-8").splitlines()
    assert {line.partition("=")[2].partition(" ")[0] for line in lines} == set(names)


def test_names_that_were_given_are_not_asked_for(cli: Callable) -> None:
    words = ("--grid", "4x2", "--machine", "4n x 2c")
    assert "--hosts NAMES" in " ".join(cli("map", *words).out.split())
    given = " ".join(cli("map", *words, "--hosts", "a,b,c,d").out.split())
    assert given.count("--hosts") == 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "expected --grid, --cells, --edges or --traffic, got none"),
        (("--grid", "8by6"), "expected --grid as in 50x48, got '8by6'"),
        (("--grid", "8x7"), "at most 48 processes, as many as '4n x 12c' has cores, got 56"),
        (("--grid", "8x6", "-p", "40"), "expected -p 48, the product of --grid, got 40"),
        (("--grid", "0x7"), "given extents divide the 48 processes, got 0x7"),
        (("--grid", "8x6", "--periodic", "z"), "expected --periodic as 1,1"),
        (("--grid", "8x6", "--cells", "9x9x9"), "expected --cells with 2 dimensions"),
        (("--grid", "8x6", "--cells", "7x9"), "no more processes than cells"),
        (("--cells", "3x3"), "expected cells for all 48 processes"),
        (("--grid", "8x6", "--halo", "1x1"), "expected --cells with --halo"),
        (("--grid", "8x6", "--stencil", "6pt"), "6pt"),
        (("--grid", "8x6", "--algorithm", "magic"), "magic"),
        (("--grid", "8x6", "--for", "lsf"), "expected --for openmpi, mpich, slurm, got 'lsf'"),
        (("--grid", "8x6", "--for", "slurm"), "expected the names of the 4 nodes"),
        (
            ("--grid", "8x6", "--for", "slurm", "--hosts", "a,b"),
            "expected the names of the 4 nodes of '4n x 12c', got 2",
        ),
        (
            ("--grid", "8x6", "--for", "slurm", "--hosts", "a,b,a,c"),
            "expected a name for each node, got 'a' twice",
        ),
        (
            ("--grid", "8x6", "--for", "slurm", "--bind"),
            "expected --bind with --for openmpi or mpich, got slurm",
        ),
        (("--grid", "8x6", "-o", "x"), "expected --for with -o"),
        (("--grid", "8x6", "--draw", "x.pdf"), "expected --draw FILE with .svg or .png"),
        (("--grid", "8x6", "--placement", "random"), "random"),
        (("--edges", "nothing", "--grid", "8x6"), "expected --edges alone, got --grid too"),
        (("--edges", "nothing", "--stencil", "full"), "expected --edges alone, got --stencil too"),
        (("--edges", "nothing", "--joint"), "expected --joint with a grid, got a graph"),
        (("--grid", "8x6", "--hosts", "a,b"), "expected the names of the 4 nodes"),
    ],
)
def test_wrong_input_is_one_line(
    words: tuple[str, ...],
    text: str,
    cli: Callable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nothing").write_text("0 1 1\n", encoding="utf-8")
    result = cli("map", "--machine", "4n x 12c", *words)
    assert (result.code, result.out) == (2, "")
    assert text in result.err
    assert result.err.count("\n") == 1


def test_without_a_machine_it_is_that_of_the_slurm_job(
    cli: Callable, told: Callable, tmp_path: Path
) -> None:
    alone = cli("map", "--grid", "4x4")
    assert (alone.code, alone.out) == (2, "")
    assert "expected --machine outside a SLURM job, got none" in alone.err
    told(
        SLURM_JOB_ID="7",
        SLURM_JOB_NODELIST="c[1-2,9,11]",
        SLURM_JOB_CPUS_PER_NODE="4(x4)",
        SLURM_TASKS_PER_NODE="4(x4)",
        SLURM_DISTRIBUTION="cyclic",
    )
    file = tmp_path / "hosts"
    found = cli("map", "--grid", "4x4", "--for", "slurm", "-o", file, "--json").document()
    names = ["c1", "c2", "c9", "c11"]
    assert lines_of(file) == [names[node] for node in found["seats"]["node"]]
    # Dealt in turn, all neighbours along y are on other nodes; those along x on the same.
    assert found["metrics"][0]["before"]["total"] == 2 * 4 * 3
    assert not found["placement"]["is_assumed"]


@pytest.mark.parametrize(
    ("contents", "text"),
    [
        ("0 1\n1\n", "line 2: expected two ranks and a weight of at least 0, got '1'"),
        ("0 1 -2\n", "line 1: expected two ranks"),
        ("0 1 2 3\n", "line 1: expected two ranks"),
        ("0 1 nan\n", "line 1: expected two ranks"),
        ("# none\n", "expected lines 'from to weight', got none"),
        ("0 8\n", "at most 8 processes"),
    ],
)
def test_wrong_edges_are_told_by_line(
    contents: str, text: str, cli: Callable, tmp_path: Path
) -> None:
    file = tmp_path / "edges"
    file.write_text(contents)
    result = cli("map", "--machine", "2n x 4c", "--edges", file)
    assert result.code == 2
    assert text in result.err


def test_nothing_to_gain_and_free_cores_are_told(cli: Callable) -> None:
    alone = cli("map", "--grid", "2x2", "--machine", "1n x 8c", "--json").document()
    assert alone["is_identity"]
    assert alone["permutation"] == [0, 1, 2, 3]
    assert {one["name"] for one in alone["warnings"]} >= {"nothing_to_gain", "cores_left"}
    text = cli("map", "--grid", "2x2", "--machine", "1n x 8c").out
    assert "no message leaves a node" in text
    assert "4 of 8 cores take no process" in text


def test_uneven_nodes_and_awkward_grids_are_mapped(cli: Callable) -> None:
    generator = random.Random(5)  # noqa: S311 - no secret
    for _ in range(5):
        extents = [generator.randint(1, 7) for _ in range(generator.randint(1, 3))]
        counts = ",".join(str(generator.randint(60, 200) // 3) for _ in range(6))
        grid = "x".join(map(str, extents))
        result = cli("map", "--grid", grid, "--machine", f"node:6 core:{counts}", "--json")
        found = result.document()
        assert sorted(found["permutation"]) == list(range(math.prod(extents)))
        assert found["objective"]["after"] <= found["objective"]["before"]


def test_the_command_can_be_repeated(cli: Callable) -> None:
    assert cli("map", *SMALL, "--json").document()["command"] == (
        "espalier map --grid 8x6 --machine '4n x 2s x 6c'"
    )
