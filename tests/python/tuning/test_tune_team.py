# SPDX-License-Identifier: Apache-2.0
"""`espalier tune team`: what is found is kept, and taken by the next launch."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from espalier import installation
from espalier.io import schemas
from espalier.tuning.team_tuner import TeamGoal

if TYPE_CHECKING:
    from pathlib import Path

LAUNCHERS = {
    "openmpi": "mpirun.openmpi -n 3 --oversubscribe --mca mpi_yield_when_idle 1",
    "mpich": "mpiexec.mpich -n 2",
}
CALLS = ("--collectives", "bcast,allreduce,alltoall,barrier", "--sizes", "64", "--json")


# Each request takes 10 us by the rule, and less by FAKE_GAIN. It ends with exit code 3 after
# FAKE_STOP of them.
_PROGRAM = """
import json, os, sys
plan = json.load(open(sys.argv[sys.argv.index("--plan") + 1]))
gain = float(os.environ.get("FAKE_GAIN", "2"))
with open(sys.argv[sys.argv.index("--output") + 1], "w") as file:
    def write(line):
        print(json.dumps(line), file=file, flush=True)
    write({"kind": "header", "schema": "espalier-team-samples", "version": 1, "num_ranks": 4,
           "num_nodes": 1, "max_ranks_per_node": 4, "min_cpus_per_node": 4, "transport": "node",
           "mpi": {"vendor": "openmpi", "version": "Open MPI v9.8.7"}})
    for index, request in enumerate(plan["requests"]):
        if index == int(os.environ.get("FAKE_STOP", "99")):
            sys.exit(3)
        def side(algorithm, origin, time):
            return {"algorithm": algorithm, "mechanism": "eager", "origin": origin,
                    "times_us": [time + 0.01 * i for i in range(20)]}
        write({"kind": "request", **request, "before": side("bcast/flat", "rule", 10.0),
               "after": side("bcast/binomial", "tuned", 10.0 / gain)})
    write({"kind": "end", "num_requests_left": 0})
"""


@pytest.fixture
def fake(fake):
    program = fake.build / "bin" / "espalier-team-openmpi"
    program.write_text(f"#!{sys.executable}\n{_PROGRAM}")
    program.chmod(0o755)
    return fake


def tuned(cli, *options):
    return cli("tune", "team", "--sizes", "8,64", *options, "--", "mpirun", "-n", "4")


@pytest.mark.usefixtures("fake")
def test_gains_are_told(cli):
    document = tuned(cli, "--collectives", "bcast,barrier", "--json").document()
    schemas.validator("espalier-team-tuning", 1).validate(document)
    sizes = [(one["collective"], one["bytes"]) for one in document["requests"]]
    assert sizes == [("bcast", 8), ("bcast", 64), ("barrier", 0)]
    assert document["requests"][0]["ratio"]["value"] == pytest.approx(2, rel=0.05)
    assert document["warnings"] == []
    report = tuned(cli, "--collectives", "bcast")
    assert "bcast/binomial eager" in report.out
    assert "4 ranks on 1 node by node" in report.out


@pytest.mark.usefixtures("fake")
def test_a_launch_that_fails_keeps_what_it_has(cli, monkeypatch):
    monkeypatch.setenv("FAKE_STOP", "1")
    result = tuned(cli, "--json")
    assert result.code == 1
    document = result.document()
    assert len(document["requests"]) == 1
    assert document["num_requests_left"] == 14
    assert [one["name"] for one in document["warnings"]] == ["requests_left"]


def test_a_missing_program_is_told(cli, fake):
    (fake.build / "bin" / "espalier-team-openmpi").unlink()
    result = tuned(cli)
    assert result.code == 1
    assert "expected the program espalier-team-openmpi" in result.err


@pytest.fixture
def _own_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ESPALIER_MEMORY", str(tmp_path / "memory.json"))
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.usefixtures("_own_memory")
@pytest.mark.parametrize("vendor", LAUNCHERS)
def test_what_is_found_is_kept(cli, tmp_path, vendor):
    launcher = LAUNCHERS[vendor].split()
    if installation.team_program(vendor) is None or shutil.which(launcher[0]) is None:
        pytest.skip(f"{vendor} or our program for it is missing")
    first = cli("tune", "team", *CALLS, "--time-budget", "4s", "--", *launcher)
    assert first.code == 0, first.err
    document = first.document()
    schemas.validator("espalier-team-tuning", 1).validate(document)
    found = {request["collective"]: request for request in document["requests"]}
    assert list(found) == ["bcast", "allreduce", "alltoall", "barrier"]
    assert document["transport"] == "node"
    assert all(request["after"]["origin"] == "tuned" for request in found.values())
    (kept,) = tmp_path.glob("teams-*.json")
    before = kept.read_text(encoding="utf-8")

    second = cli("tune", "team", *CALLS, "--time-budget", "2s", "--", *launcher)
    assert second.code == 0, second.err
    for request in second.document()["requests"]:
        taken = {key: request["before"][key] for key in ("algorithm", "mechanism")}
        known = found[request["collective"]]["after"]
        assert taken == {key: known[key] for key in taken}
        assert request["before"]["origin"] == "remembered"
    assert kept.read_text(encoding="utf-8") == before, "nothing was measured again"

    shown = cli("profile", "show", kept)
    assert shown.code == 0, shown.err
    assert f"{document['num_ranks']} members on 1 node" in shown.out
    assert all(request["after"]["algorithm"] in shown.out for request in document["requests"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--collectives", "scan"), "expected collectives among bcast"),
        (("--in", "sync"), "expected modes among allsync"),
        (("--sizes", "many"), "many"),
    ],
)
def test_bad_options(cli, options, expected):
    result = cli("tune", "team", *options, "--", "mpirun.openmpi", "-n", "2")
    assert result.code == 2
    assert expected in result.err


def test_no_place_to_keep_anything(cli, monkeypatch):
    monkeypatch.setenv("ESPALIER_MEMORY", "off")
    result = cli("tune", "team", "--", "mpirun.openmpi", "-n", "2")
    assert result.code == 2
    assert "expected a folder to keep what is found" in result.err


@pytest.mark.usefixtures("fake")
def test_a_file_that_is_named_needs_no_home(cli, monkeypatch, tmp_path):
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ESPALIER_MEMORY", str(tmp_path / "memory.json"))
    assert tuned(cli, "--collectives", "bcast").code == 0
    monkeypatch.delenv("ESPALIER_MEMORY")
    assert tuned(cli, "--collectives", "bcast").code == 2


def test_a_barrier_has_one_size():
    goal = TeamGoal(collectives=("bcast", "barrier"), sizes=(8, 64), seconds=1)
    assert [(one["collective"], one["bytes"]) for one in goal.requests] == [
        ("bcast", 8),
        ("bcast", 64),
        ("barrier", 0),
    ]
    schemas.validator("espalier-team-plan", 1).validate(goal.plan())
