# SPDX-License-Identifier: Apache-2.0
"""Ours beside other MPIs: what counts as a win, experiments, resuming, peers that fail."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import fake_simulation
import pytest

from espalier import _core, installation
from espalier.base.interruption import Interrupted
from espalier.errors import ArgumentError, FormatError
from espalier.io import documents
from espalier.io.console import document
from espalier.peers import experiment, launches, outcome, statistics
from espalier.peers.bounds import bound_us
from espalier.peers.cells import Cell, Outcome, PlatformCell
from espalier.peers.contenders import Ours, model_shortlist
from espalier.peers.experiment import Run
from espalier.profiles.profiles import Shape
from espalier.report.content import to_markdown
from espalier.report.peers import peers_report
from espalier.sampling import pool, processor_time
from espalier.sampling.pool import Failure, Task
from espalier.sampling.samples import Point, Problem, Request
from espalier.sampling.simulation import SimulatedJob
from espalier.tuning import simulated_tuner

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MACHINE = (
    "2n[latency=1us,overhead=200ns,bandwidth=10GB/s,channels=1,eager=16KiB]"
    " x 2c[latency=300ns,overhead=200ns,bandwidth=8GB/s,eager=16KiB]"
)
_SMPI = {"vendor": "smpi", "version": "made up"}
PLACE = PlatformCell("tiny", "block", 4)

needs_simulator = pytest.mark.skipif(
    shutil.which("smpirun") is None or installation.measurement_program("smpi") is None,
    reason="needs SimGrid and espalier-measure-smpi",
)


def cell(ours: float | None, peers: dict[str, float | None], **more: Any) -> Cell:
    return Cell(
        PLACE,
        more.get("collective", "bcast"),
        8,
        8,
        {"profile": Outcome(ours, "bcast/binomial")},
        {name: Outcome(us, note="" if us else "deadlock") for name, us in peers.items()},
        more.get("bound_us", 1.0),
    )


def run_of(**more: Any) -> Run:
    return Run(PLACE, MACHINE, more.pop("sizes", {"bcast": (8,), "barrier": (8, 64)}), **more)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(1.5, "win"), (1.0201, "win"), (1.02, "tie"), (1.0, "tie"), (1 / 1.02, "tie"), (0.98, "loss")],
)
def test_verdicts_allow_two_percent_either_way(ratio: float, expected: str) -> None:
    assert statistics.verdict(ratio) == expected


def test_the_best_peer_counts() -> None:
    found = cell(2.0, {"ompi": 6.0, "mpich": 3.0})
    assert found.best_peer() == ("mpich", 3.0)
    assert found.ratio("profile") == 1.5
    assert found.ratio("model") is None
    assert cell(2.0, {"ompi": None}).ratio("profile") is None


def test_a_tally_counts_means_and_the_worst() -> None:
    cells = [cell(1.0, {"a": 4.0}), cell(2.0, {"a": 2.0}), cell(4.0, {"a": 1.0})]
    found = statistics.tally("all", cells, "profile")
    assert (found.num_cells, found.wins, found.ties, found.losses) == (3, 1, 1, 1)
    assert found.mean == pytest.approx(1.0)
    assert found.worst == 0.25
    assert statistics.tally("none", [], "profile").mean is None


def test_a_peer_without_a_time_never_makes_a_win() -> None:
    faster = cell(1.0, {"a": 4.0, "b": None})
    slower = cell(4.0, {"a": 1.0, "b": None})
    alone = cell(1.0, {"b": None})
    found = statistics.tally("all", [faster, slower, alone], "profile")
    assert (found.wins, found.losses, found.unproved) == (0, 1, 1)
    assert found.mean == 0.25
    assert statistics.losses([faster, slower, alone], "profile") == [slower]


def test_each_peer_alone_is_counted_where_it_has_a_time() -> None:
    cells = [cell(1.0, {"a": 4.0, "b": None}), cell(1.0, {"a": 1.0, "b": 0.5})]
    found = statistics.tallies_by_peer(cells, "profile")
    assert [(one.name, one.num_cells, one.wins, one.losses) for one in found] == [
        ("a", 2, 1, 0),
        ("b", 1, 0, 1),
    ]


def test_losses_are_sorted_and_groups_keep_their_order() -> None:
    cells = [
        cell(2.0, {"a": 1.0}, collective="scan"),
        cell(4.0, {"a": 1.0}, collective="bcast"),
        cell(1.0, {"a": 1.0}, collective="scan"),
    ]
    assert [one.ratio("profile") for one in statistics.losses(cells, "profile")] == [0.25, 0.5]
    groups = statistics.tallies(cells, "profile", lambda one: one.collective)
    assert [(group.name, group.num_cells) for group in groups] == [("scan", 2), ("bcast", 1)]


def test_targets() -> None:
    target = statistics.Target("profile", 1.5, 0.02)
    good = [cell(1.0, {"a": 2.0}), cell(1.0, {"a": 1.2})]
    assert target.is_mean_reached(statistics.tally("all", good, "profile"))
    assert target.misses(good) == []
    bad = cell(1.03, {"a": 1.0})
    assert target.misses([*good, bad]) == [bad]
    assert not target.is_mean_reached(statistics.tally("all", [*good, bad], "profile"))


def test_whoever_is_below_the_bound_is_shown() -> None:
    found = statistics.below_bound([cell(0.9, {"a": 1.0}), cell(1.0, {"a": 0.9995})])
    assert [(name, us) for _, name, us in found] == [("profile", 0.9)]


def ours_of(folder: Path, **choices: str) -> Ours:
    """Profiles by name that always choose this for bcast."""
    files = {}
    for name, choice in choices.items():
        rule = {
            "collective": "bcast",
            "num_ranks": 4,
            "num_nodes": 2,
            "min_bytes": 0,
            "max_bytes": None,
            "algorithm": choice,
            "reason": "told so",
        }
        files[name] = folder / f"{name}.json"
        found = document("espalier-profile", 1, espalier="0.1", mpi=_SMPI, rules=[rule])
        files[name].write_text(json.dumps(found))
    return Ours(files, Shape(4, 2))


def test_ours_are_profiles_and_the_best(tmp_path: Path) -> None:
    ours = ours_of(tmp_path, profile="bcast/binomial", model="bcast/flat")
    ours.candidates = {("bcast", 8): ("bcast/flat", "bcast/chain")}
    ours.tuned = {("bcast", 8): {"bcast/fork": 3.0}}
    algorithms = ours.algorithms("bcast", 8)
    assert algorithms == ["profile/profile", "profile/model", "bcast/flat", "bcast/chain"]
    found = ours.outcomes("bcast", 8, dict(zip(algorithms, (5.0, 7.0, 7.0, 4.0), strict=True)), {})
    assert found["profile"] == Outcome(5.0, "bcast/binomial")
    assert found["model"] == Outcome(7.0, "bcast/flat")
    assert found["best"] == Outcome(3.0, "bcast/fork")


def test_profiles_that_choose_the_same_are_measured_once(tmp_path: Path) -> None:
    ours = ours_of(tmp_path, profile="bcast/binomial", model="bcast/binomial")
    assert ours.algorithms("bcast", 8) == ["profile/profile"]
    found = ours.outcomes("bcast", 8, {"profile/profile": 5.0}, {})
    assert found["model"] == found["profile"] == Outcome(5.0, "bcast/binomial")


def test_a_choice_that_fails_takes_no_other_along(tmp_path: Path) -> None:
    ours = ours_of(tmp_path, profile="bcast/binomial", model="bcast/flat")
    found = ours.outcomes("bcast", 8, {"profile/profile": 5.0}, {"profile/model": "deadlock"})
    assert found["profile"].us == 5.0
    assert found["model"] == Outcome(None, "bcast/flat", "deadlock")


def test_sizes_that_a_call_cannot_have_come_once() -> None:
    run = run_of(sizes={"barrier": (8, 64), "allgather": (1, 4, 6)})
    assert run.points("barrier") == [(8, 0)]
    assert run.points("allgather") == [(1, 4), (6, 8)]


def test_what_is_too_much_is_left_out() -> None:
    run = Run(PlatformCell("x", "block", 1536), "64n x 24c", {"alltoall": (8,), "barrier": (8,)})
    assert run.simulated() == ["barrier"]


def test_calls_with_fewer_sizes_are_tuned_at_these() -> None:
    sizes = {"bcast": (8, 64, 512), "reduce": (8, 64, 4096), "scan": (8,)}
    run = run_of(sizes=sizes, tuned_sizes=(8, 128, 512))
    assert (run.tuned_at("bcast"), run.tuned_at("scan")) == ((8, 128, 512), (8,))
    assert run.tuned_at("reduce") == (8, 128, 512, 4096)


def test_the_bound_is_that_of_the_smallest_parts() -> None:
    run = run_of()
    even = bound_us(run, "allgather", 4000)
    assert even is not None
    assert bound_us(run, "allgatherv", 4003) == even
    assert bound_us(run, "allgatherv", 3) is None
    assert bound_us(run, "barrier", 0) == pytest.approx(1.4)


def test_the_model_has_a_shortlist() -> None:
    found = model_shortlist(run_of(), "bcast", 3)[8]
    assert len(found) == 3
    assert all(not _core.call_refuses("bcast", choice, 4) for choice in found)


def write_experiment(folder: Path, text: str) -> Path:
    (folder / "platforms.toml").write_text(
        f'[[platform]]\nname = "tiny"\nmachine = "{MACHINE}"\nranks = [4, 3]\n'
        'placements = ["block", "cyclic"]\n'
    )
    path = folder / "experiment.toml"
    path.write_text(f'name = "x"\nplatforms = "platforms.toml"\nsizes = "8,1KiB"\n{text}')
    return path


def test_an_experiment_has_a_run_for_each_place(tmp_path: Path) -> None:
    path = write_experiment(
        tmp_path,
        'sizes_of = { bcast = "8,1KiB,4KiB" }\n[[run]]\nplatform = "tiny"\n'
        'collectives = ["bcast", "scan"]\n',
    )
    found = experiment.read(path)
    labels = [run.place.label for run in found.runs]
    assert labels == [f"tiny {way} p={count}" for count in (4, 3) for way in ("block", "cyclic")]
    assert found.runs[0].sizes == {"bcast": (8, 1024, 4096), "scan": (8, 1024)}
    assert list(found.only([], ["scan"]).runs[0].sizes) == ["scan"]
    with pytest.raises(ArgumentError, match="expected a platform of tiny"):
        found.only(["other"], [])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected an entry 'run'"),
        ('[[run]]\nplatform = "huge"\n', "expected an entry 'huge'"),
        ('peers = ["lam"]\n[[run]]\nplatform = "tiny"\n', "expected a peer of ompi"),
        ('[[run]]\nplatform = "tiny"\ncollectives = ["shout"]\n', "expected a collective of"),
        ("[[run]\n", "expected TOML"),
    ],
)
def test_an_experiment_that_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        experiment.read(write_experiment(tmp_path, text))


def test_the_declared_experiment_fits_its_platforms() -> None:
    found = experiment.read(installation.package.parents[1] / "benchmarks/peers/peers.toml")
    assert {run.place.platform for run in found.runs} >= {"16x8", "8x2x12", "64x2x12", "torus"}
    for run in found.runs:
        assert len(_core.place(run.machine, run.place.placement, run.num_ranks)["levels"]) >= 2


def document_of(cells: list[Cell]) -> dict[str, Any]:
    return outcome.make(
        cells,
        facts={
            "created": "2026-11-22T00:00:00Z",
            "code_version": "0.1.0",
            "command": "espalier peers",
            "complete": True,
            "simulated": True,
            "times": "made up",
            "peers": {"a": "A 1.0"},
            "under": "A 1.0",
            "notes": [],
        },
        platforms=[{"name": "tiny", "machine": MACHINE}],
    )


def test_the_report_lists_losses_and_what_has_no_time() -> None:
    text = to_markdown(peers_report(document_of([cell(4.0, {"a": 1.0, "b": None})])))
    assert "not reached: 1 cells are" in text
    assert "bcast of 8 B, b: deadlock" in text
    assert "bcast/binomial" in text


def test_a_document_fits_its_schema() -> None:
    found = document_of([cell(4.0, {"a": 1.0, "b": None}), cell(0.5, {"a": 1.0})])
    assert found["tallies"]["profile"]["overall"]["losses"] == 1
    assert found["below_bound"][0]["contender"] == "profile"
    documents._validate(found, "made up", "espalier-peers", 1)


def test_a_deadlock_is_called_one() -> None:
    assert launches.readable("ended with exit code 134: Oops! Deadlock detected / x") == "deadlock"
    assert len(launches.readable("x" * 1000)) < 200


def test_processor_time_is_that_of_the_living_of_a_group() -> None:
    sum(range(3_000_000))
    assert processor_time.of_group(os.getpgid(0)) > 0
    assert processor_time.of_group(2**30) == 0


def run_fake(monkeypatch: pytest.MonkeyPatch, requests: list[Request]) -> tuple[list[int], Any]:
    fake_simulation.install(monkeypatch)
    points: list[int] = []
    failures: list[Failure] = []

    def take(_: Task, result: Point | Problem) -> None:
        assert isinstance(result, Point)
        points.append(result.bytes)

    job = SimulatedJob(MACHINE, "block", 4)
    task = Task(job, requests, seconds_per_point=0.01)
    launches.run([task], take, lambda _, failure: failures.append(failure))
    return points, failures


def test_a_crash_takes_no_other_point_along(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = [
        Request("bcast", 8, ()),
        Request("bcast", 64, ("crash",)),
        Request("bcast", 512, ()),
    ]
    points, failures = run_fake(monkeypatch, requests)
    assert points == [8, 512]
    assert failures == [Failure(requests[1], "ended with exit code 1: it said nothing")]
    assert fake_simulation.started() == [[8, 64, 512], [512]]


def test_what_hangs_is_ended_and_larger_sizes_are_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    requests = [
        Request("bcast", 8, ("hang",)),
        Request("bcast", 8, ("bcast/flat",)),
        Request("bcast", 64, ("hang",)),
        Request("scan", 16, ()),
    ]
    points, failures = run_fake(monkeypatch, requests)
    assert points == [8, 16]
    assert [failure.request for failure in failures] == [requests[0], requests[2]]
    assert failures[0].reason == "took longer than 0.01 s to simulate"
    assert failures[1].reason == "not tried: a smaller size took too long"


def test_what_has_not_begun_in_time_is_handed_back() -> None:
    task = Task(SimulatedJob(MACHINE, "block", 4), [Request("bcast", 8, ())], 1.0)

    def never(*_: object) -> None:
        pytest.fail("it was begun")

    assert launches.run([task], never, never, until=0.0) == [task]


@needs_simulator
def test_a_tiny_comparison_is_kept_and_found_again(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [
        *(
            "peers",
            "simulate",
            "--machine",
            MACHINE,
            "--collectives",
            "bcast,barrier",
            "--sizes",
            "8,64KiB",
        ),
        *("--peers", "mpich,ompi", "--store", tmp_path / "store.db", "--simulators", "1"),
    ]
    first = cli(*arguments, "--json", "-o", tmp_path / "summary.md")
    assert first.code == 0, first.err
    found = first.document()
    assert [(one["collective"], one["bytes"]) for one in found["cells"]] == [
        ("bcast", 8),
        ("bcast", 65536),
        ("barrier", 0),
    ]
    assert not found["below_bound"]
    for one in found["cells"]:
        assert set(one["peers"]) == {"mpich", "ompi"}
        assert one["ours"]["best"]["us"] <= one["ours"]["model"]["us"]
        # It was tuned at this very size, with the algorithms of mpich below it.
        assert one["ours"]["profile"]["us"] <= one["peers"]["mpich"]["us"]
        assert one["bound_us"] <= one["ours"]["best"]["us"]
    assert "Losses" in (tmp_path / "summary.md").read_text()

    def never(*_: object) -> None:
        raise AssertionError("it was simulated again")

    monkeypatch.setattr(pool, "Simulation", never)
    again = cli(*arguments, "--json").document()
    assert again["cells"] == found["cells"]


@needs_simulator
def test_an_interruption_while_a_profile_is_tuned_is_none_of_the_comparison(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tune(*_: object) -> None:
        raise Interrupted({"schema": "espalier-tuning"}, KeyboardInterrupt())

    monkeypatch.setattr(simulated_tuner, "tune", tune)
    monkeypatch.chdir(tmp_path)
    result = cli(
        *("peers", "simulate", "--machine", MACHINE, "--collectives", "bcast", "--sizes", "8"),
        *("--peers", "mpich", "--store", tmp_path / "store.db"),
    )
    assert result.code == 130
    assert not result.out


LAUNCH = ("--", "mpirun", "-n", "4")


@pytest.mark.usefixtures("fake")
class TestWithKnownTimes:
    """On the MPI that is here: times are drawn around what we say."""

    def test_differences_beyond_chance_count(
        self, cli: Callable[..., Any], told: Callable[..., None]
    ) -> None:
        ours = model_shortlist(run_of(sizes={"bcast": (64,)}), "bcast", 2)[64]
        told(FAKE_RATIOS=json.dumps(dict(zip(ours, (0.5, 2.0), strict=True))))
        found = cli(
            *("peers", "run", "--machine", MACHINE, "--candidates", "2", "--collectives", "bcast"),
            *("--sizes", "64", "--json", *LAUNCH),
        ).document()
        tallies = found["tallies"]
        assert tallies["model"]["overall"]["losses"] == 1
        assert tallies["best"]["overall"]["wins"] == 1
        (one,) = found["cells"]
        assert one["best_peer"] == "openmpi"
        assert one["ours"]["model"]["choice"] == ours[0]
        assert one["ours"]["best"]["choice"] == ours[1]
        assert one["ours"]["best"]["ratio_low"] > 1.8
        assert one["ours"]["best"]["low_us"] <= one["ours"]["best"]["us"]

    def test_what_may_be_chance_is_a_tie(
        self, cli: Callable[..., Any], told: Callable[..., None]
    ) -> None:
        ours = model_shortlist(run_of(sizes={"bcast": (64,)}), "bcast", 1)[64]
        told(FAKE_RATIOS=json.dumps(dict.fromkeys(ours, 1.0)))
        result = cli(
            *("peers", "run", "--machine", MACHINE, "--candidates", "1", "--collectives", "bcast"),
            *("--sizes", "64", "--json", *LAUNCH),
        )
        assert result.document()["tallies"]["model"]["overall"]["ties"] == 1

    def test_a_wrong_result_is_shown(
        self, cli: Callable[..., Any], told: Callable[..., None]
    ) -> None:
        (ours,) = model_shortlist(run_of(sizes={"bcast": (64,)}), "bcast", 1)[64]
        told(FAKE_WRONG=ours)
        result = cli(
            *("peers", "run", "--machine", MACHINE, "--candidates", "1", "--collectives", "bcast"),
            *("--sizes", "64", *LAUNCH),
        )
        assert f"{ours} was wrong" in " ".join(result.out.split())

    def test_one_rank_is_nothing_to_compare(self, cli: Callable[..., Any]) -> None:
        result = cli("peers", "run", "--machine", MACHINE, "--", "mpirun", "-n", "1")
        assert result.code == 2
        assert "expected at least 2 ranks" in result.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("simulate",), "missing option '--machine'"),
        (("experiment",), "missing argument"),
        (("experiment", "x.toml", "--machine", "2n x 2c"), "no such option: --machine"),
        (("simulate", "--machine", "2n x 2c", "--peers", "lam"), "expected a peer of ompi"),
        (("simulate", "--machine", "2n x 2c", "--collectives", "shout"), "expected a collective"),
        (("simulate", "--machine", "2n x 2c", "-o", "x.txt"), "expected a report file"),
        (("run", "--", "mpirun", "-n", "2"), "expected a profile or a machine to choose by"),
    ],
)
def test_mistakes(cli: Callable[..., Any], arguments: tuple[str, ...], complaint: str) -> None:
    result = cli("peers", *arguments)
    assert result.code == 2
    assert complaint in result.err


@pytest.mark.parametrize(
    ("arguments", "verb", "complaint"),
    [
        (("--machine", "2n x 2c", "--peers", "lam"), "simulate", "expected a peer of ompi"),
        (("x.toml", "--platform", "torus"), "experiment", "x.toml"),
        (("--", "mpirun", "-n", "2"), "run", "expected a profile or a machine to choose by"),
    ],
)
def test_the_old_spelling_is_understood(
    cli: Callable[..., Any], arguments: tuple[str, ...], verb: str, complaint: str
) -> None:
    hint, error = cli("peers", *arguments).err.splitlines()
    assert hint.startswith(f"note: this is 'espalier peers {verb}' now")
    assert complaint in error
