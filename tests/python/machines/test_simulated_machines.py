# SPDX-License-Identifier: Apache-2.0
"""Machines that the simulator cannot be are refused before anything begins."""

from __future__ import annotations

import subprocess

import pytest

from espalier.errors import UnsupportedError
from espalier.machines import machines
from espalier.peers.choosing import Choosing
from espalier.tuning.call_tuning import CallTuning

_GOOD = "2n[latency=1us,overhead=200ns,bandwidth=10GB/s] x 2c[latency=300ns,overhead=200ns]"
_OVERHEADS = "2n[latency=1us,overhead=200ns,bandwidth=10GB/s] x 2c[latency=300ns,overhead=100ns]"
_EAGER = "2n[latency=1us,bandwidth=10GB/s,eager=16KiB] x 2c[latency=300ns,eager=4KiB]"

_EXPERIMENT = """
name = "two platforms"
platforms = "platforms.toml"
sizes = "8"
collectives = ["bcast"]
ranks = [4]
placements = ["block"]
run = [{platform = "good"}, {platform = "bad"}]
"""
_PLATFORMS = f"""
[[platform]]
name = "good"
machine = "{_GOOD}"

[[platform]]
name = "bad"
machine = "{_OVERHEADS}"
"""


@pytest.fixture
def nothing_begins(monkeypatch, tmp_path):
    """Fail as soon as something is chosen or started."""

    def fail(*_args, **_kwargs):
        pytest.fail("something began")

    monkeypatch.setattr(Choosing, "ours", fail)
    monkeypatch.setattr(CallTuning, "next_task", fail)
    monkeypatch.setattr(subprocess, "Popen", fail)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("machine", [_OVERHEADS, _EAGER])
@pytest.mark.parametrize(
    "words",
    [
        ("peers", "simulate", "--store", "s.db"),
        ("tune", "simulate", "--store", "s.db"),
        ("simulate", "program", "program.c"),
        ("simulate", "collectives", "--collectives", "bcast"),
    ],
)
@pytest.mark.usefixtures("nothing_begins")
def test_levels_that_differ_are_told_at_once(cli, words, machine):
    result = cli(*words[:2], "--machine", machine, *words[2:])
    assert result.code == 2
    told = [line for line in result.err.splitlines() if not line.startswith("note:")]
    assert len(told) == 1
    assert "expected equal overheads and eager bytes at all crossed levels" in told[0]
    assert "got others at the level core" in told[0]
    assert "give all levels the same overhead and eager" in told[0]


@pytest.mark.usefixtures("nothing_begins")
def test_the_last_platform_of_an_experiment_is_looked_at_first(cli, tmp_path):
    path = tmp_path / "experiment.toml"
    path.write_text(_EXPERIMENT)
    (tmp_path / "platforms.toml").write_text(_PLATFORMS)
    result = cli("peers", "experiment", path, "--store", tmp_path / "s.db")
    assert result.code == 2
    assert "got others at the level core" in result.err
    assert _OVERHEADS in result.err


def test_what_can_be_simulated_is_let_pass():
    machines.check_simulated(machines.load(_GOOD))
    for text in (_OVERHEADS, _EAGER):
        with pytest.raises(UnsupportedError):
            machines.check_simulated(machines.load(text))
