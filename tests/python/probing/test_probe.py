# SPDX-License-Identifier: Apache-2.0
"""`espalier probe`: with a program that reports times we know, and with real ranks."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from places import repository

from espalier import installation
from espalier.io import documents
from espalier.probing import matrix_file
from espalier.probing.samples import read

_LAUNCH = ("--", "mpirun", "-n", "8")
_MACHINE = Path("espalier-machine.json")
_SAMPLES = Path("espalier-machine.json.samples.jsonl")


_PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" core="3" bw="1GBps" lat="5us"
      loopback_bw="4GBps" loopback_lat="1us"/>
  </zone>
</platform>
"""


def level(document, name):
    return next(one for one in document["levels"] if one["name"] == name)


def lines():
    return [json.loads(line) for line in _SAMPLES.read_text().splitlines()]


@pytest.mark.usefixtures("fake")
class TestWithKnownTimes:
    def test_levels_and_links_are_what_the_machine_has(self, cli):
        document = cli("probe", "--json", *_LAUNCH).document()
        assert document["complete"]
        assert level(document, "node")["object_of_rank"] == [0] * 4 + [1] * 4
        node = level(document, "node")["fit"]
        assert node["alpha_us"]["value"] == pytest.approx(20.0, rel=0.1)
        assert node["bandwidth_megabytes_per_s"]["value"] == pytest.approx(100.0, rel=0.1)
        assert level(document, "node")["channels"]["count"] == 2
        core = level(document, "core")["fit"]
        assert core["alpha_us"]["value"] == pytest.approx(1.0, rel=0.2)
        assert core["bandwidth_megabytes_per_s"]["value"] == pytest.approx(4000.0, rel=0.1)

    def test_packages_are_found_where_there_are_enough_ranks(self, cli, told):
        told(FAKE_CORES="4")
        document = cli("probe", "--json", "--", "mpirun", "-n", "16").document()
        inner = [one for one in document["levels"] if one["name"] not in {"node", "core"}]
        (package,) = inner
        assert package["object_of_rank"] == [rank // 4 for rank in range(16)]
        assert package["fit"]["alpha_us"]["value"] == pytest.approx(4.0, rel=0.1)
        assert any(split["accepted"] for split in document["groups"])

    def test_the_report_answers_in_order(self, cli):
        result = cli("probe", "--time-budget", "90s", *_LAUNCH)
        assert result.code == 0, result.err
        headings = [
            "What this machine is",
            "What a message costs",
            "Who is near to whom",
            "How sure",
            "On what machine",
            "What could be wrong",
            "How to repeat",
        ]
        places = [result.out.index(heading) for heading in headings]
        assert places == sorted(places)
        assert "machine: 2n x" in result.out
        assert "espalier probe --time-budget 90s -- mpirun -n 8" in result.out
        assert "3.11: summary" not in result.out

    def test_the_machine_file_says_how_it_was_made(self, cli):
        assert cli("probe", *_LAUNCH).code == 0
        machine = json.loads(_MACHINE.read_text())
        assert (machine["schema"], machine["version"]) == ("espalier-machine", 1)
        assert machine["levels"][0]["counts"] == [2]
        assert machine["origin"]["command"] == "espalier probe -- mpirun -n 8"
        assert machine["origin"]["mpi"] == "Open MPI v9.8.7"

    def test_measurements_are_kept_and_can_be_analysed_again(self, cli):
        first = cli("probe", "--json", *_LAUNCH).document()
        kept = read(_SAMPLES)
        assert kept.complete
        assert len(kept.results) == first["probing"]["num_results"]
        for line in lines():
            documents.parse(
                json.dumps({"schema": "espalier-probe-samples", "version": 1, **line}),
                "line",
                "espalier-probe-samples",
                1,
            )
        again = cli("probe", "--from", _SAMPLES, "-o", "again.json", "--json").document()
        for name in ("levels", "groups", "matrix", "warnings"):
            assert again[name] == first[name], name
        assert json.loads(Path("again.json").read_text())["levels"]

    @pytest.mark.parametrize("is_there", [True, False])
    def test_a_link_to_a_machine_file_stays_a_link(self, cli, is_there):
        cli("probe", *_LAUNCH)
        target, link = Path("elsewhere.json"), Path("link.json")
        link.symlink_to(target)
        if is_there:
            target.write_text("old")
        assert cli("probe", "--from", _SAMPLES, "-o", link).code == 0
        assert link.readlink() == target
        assert json.loads(target.read_text())["levels"]

    def test_looking_again_writes_only_what_is_asked_for(self, cli):
        cli("probe", *_LAUNCH)
        before = sorted(path.name for path in Path().iterdir())
        assert cli("probe", "--from", _SAMPLES).code == 0
        assert sorted(path.name for path in Path().iterdir()) == before

    def test_matrix_tables_and_figures(self, cli):
        result = cli("probe", "--matrix", "rtt.csv", "--figures", "figures", "--tables", *_LAUNCH)
        assert result.code == 0, result.err
        matrix = matrix_file.read(Path("rtt.csv"), allow_holes=False)
        assert matrix.labels[5] == "5:n1"
        assert matrix.num_bytes == 16384
        assert matrix.rtt_us[0, 7] == pytest.approx(2 * (20 + 16384 / 100), rel=0.1)
        for title in ("3.1, 3.2", "3.3", "3.4", "3.5 - 3.10", "3.11"):
            assert f"\n{title}: " in result.out
        names = {path.name for path in Path("figures").iterdir()}
        assert {"round-trips.svg", "fit-node.svg", "pairs-node.svg"} <= names

    def test_the_matrix_alone(self, cli):
        result = cli("probe", "--matrix-only", "--bytes", "1KiB", "--matrix", "rtt.json", *_LAUNCH)
        assert result.code == 0, result.err
        assert matrix_file.read(Path("rtt.json")).num_bytes == 1024
        assert not _MACHINE.exists()
        assert {line["label"] for line in lines() if line["kind"] == "result"} == {"matrix"}
        assert "links were not measured" in result.out

    def test_a_sample_of_many_nodes(self, cli, told):
        told(FAKE_CORES="2", FAKE_PACKAGES="2")
        result = cli("probe", "--json", "--", "mpirun", "-n", "32")
        document = result.document()
        assert level(document, "node")["object_of_rank"] == [rank // 4 for rank in range(32)]
        assert document["probing"]["concurrency"]["disturbed"] is False
        assert any("of each two nodes 1 pair" in cut for cut in document["probing"]["cuts"])
        sets = [line for line in lines() if line.get("label") == "matrix"]
        # 8 nodes: 7 rounds both ways, and the 12 pairs of places inside nodes.
        assert len(sets) == 14 + 12

    def test_pairs_that_disturb_each_other_are_measured_one_by_one(self, cli, told):
        told(FAKE_DISTURBED="1.5")
        result = cli("probe", "--matrix-only", "--matrix", "rtt.csv", "--", "mpirun", "-n", "32")
        assert result.code == 0, result.err
        assert "take 1.50 times as long" in result.err
        assert "so pairs were measured one by one" in result.out
        times = matrix_file.read(Path("rtt.csv")).rtt_us
        assert times[0, 1] == pytest.approx(2 * (1 + 16384 / 4000), rel=0.1)

    def test_what_there_was_no_time_for_is_said(self, cli, told):
        told(FAKE_SETS_LEFT="7")
        result = cli("probe", *_LAUNCH)
        assert result.code == 0
        assert "there was no time for 7 sets of pairs" in result.out
        assert "(partial)" in result.out.splitlines()[0]

    def test_ranks_that_move_between_launches_are_said(self, cli, told):
        told(FAKE_MOVES="1")
        document = cli("probe", "--json", *_LAUNCH).document()
        assert document["warnings"][0]["kind"] == "moved"
        assert "rank 0 and 7 more changed place" in document["warnings"][0]["text"]

    def test_a_simulation_is_said(self, cli, told):
        told(FAKE_SIMULATED="1", FAKE_NOISE="0")
        result = cli("probe", *_LAUNCH)
        assert result.code == 0, result.err
        assert "(simulated)" in result.out.splitlines()[0]


@pytest.mark.usefixtures("fake")
class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ((), "expected a command with an MPI launcher, got nothing"),
            (("--bytes", "x", *_LAUNCH), "expected a size"),
            (("--bytes", "2GiB", *_LAUNCH), "expected messages of 1 GiB at most with --bytes, got"),
            (("--spread", "0", *_LAUNCH), "expected a share above 0 with --spread, got 0"),
            (("--spread", "nan", *_LAUNCH), "expected a share above 0 with --spread, got nan"),
            (("--time-budget", "soon", *_LAUNCH), "expected a time"),
            (("--", "./app"), "expected a command with an MPI launcher"),
            (("--", "mpirun", "-n", "1", "a", ":", "-n", "1", "b"), "joined by ':'"),
            (("--mpi", "mpich", *_LAUNCH), "the program espalier-probe-mpich, found none"),
            (("--from", "none.jsonl"), "none.jsonl: expected a readable file"),
            (("--from", "a.jsonl", *_LAUNCH), "expected --from or a launcher, got both"),
            (("-o", "/nowhere/m.json", *_LAUNCH), "/nowhere/m.json: expected a file that can"),
            (("--matrix", "/nowhere/m", *_LAUNCH), "choose another with --matrix"),
        ],
    )
    def test_one_clear_line(self, cli, arguments, text):
        result = cli("probe", *arguments)
        assert result.code in {1, 2}
        assert text in result.err.splitlines()[-1]
        assert "Traceback" not in result.err
        assert not _MACHINE.exists()

    def test_one_rank_has_nothing_to_measure(self, cli, told):
        told(FAKE_RANKS="1")
        result = cli("probe", "--", "mpirun", "-n", "1")
        assert result.code == 2
        assert "expected at least 2 ranks" in result.err

    def test_a_launcher_that_fails_is_quoted(self, cli, told):
        told(FAKE_LAUNCHER_FAILS="1")
        result = cli("probe", *_LAUNCH)
        assert result.code == 1
        assert "no slots available" in result.err
        assert "got 17" in result.err

    def test_samples_that_are_none(self, cli):
        Path("text.jsonl").write_text("my notes\n")
        result = cli("probe", "--from", "text.jsonl")
        assert result.code == 2
        assert "text.jsonl: expected a line of espalier-probe-samples in line 1" in result.err

    def test_samples_without_a_measurement(self, cli):
        cli("probe", *_LAUNCH)
        (header, *_rest) = _SAMPLES.read_text().splitlines(keepends=True)
        Path("header.jsonl").write_text(header)
        result = cli("probe", "--from", "header.jsonl")
        assert result.code == 2
        assert "expected measurements, got none" in result.err

    def test_a_full_disk_does_not_lose_the_result(self, cli, monkeypatch):
        monkeypatch.setattr("espalier.cli.probe.samples_path", lambda _: Path("/dev/full"))
        result = cli("probe", *_LAUNCH)
        assert result.code == 0, result.err
        assert result.err.count("No space left on device; going on without keeping") == 1
        assert json.loads(_MACHINE.read_text())["levels"]

    def test_a_full_disk_at_the_end_says_how_to_go_on(self, cli, monkeypatch):
        monkeypatch.setattr("espalier.cli.probe.samples_path", lambda _: _SAMPLES)
        result = cli("probe", "-o", "/dev/full", *_LAUNCH)
        assert result.code == 1
        assert "expected to write the machine file, got 'No space left on device'" in result.err
        assert f"espalier probe --from {_SAMPLES}" in result.err
        assert read(_SAMPLES).complete
        result = cli("probe", "--from", _SAMPLES, "-o", "/dev/full")
        assert result.code == 1
        assert f"free space there, then: espalier probe --from {_SAMPLES} -o" in result.err


class TestInterruption:
    def start(self, fake, *arguments, **variables):
        environment = {**os.environ, **fake.environment(), **variables}
        return subprocess.Popen(
            [sys.executable, "-m", "espalier", "probe", *arguments],
            env={**environment, "PYTHONPATH": str(repository / "python")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for_lines(self, count, seconds=30.0):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if _SAMPLES.exists() and _SAMPLES.read_text().count("\n") >= count:
                return
            time.sleep(0.05)
        raise AssertionError("no measurements came")

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_what_was_measured_is_kept_and_shown(self, cli, fake, number, code):
        # The scan of 8 ranks has 56 sets; the details stop in the middle.
        process = self.start(fake, *_LAUNCH, FAKE_STOPS_AFTER="70")
        self.wait_for_lines(1 + 56 + 70)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert process.returncode == code, err
        assert "(partial)" in out.splitlines()[0]
        assert "machine: 2n x" in out
        assert f"to look at it again: espalier probe --from {_SAMPLES}" in err
        assert not _MACHINE.exists()
        left = subprocess.run(
            ["/usr/bin/pgrep", "-f", str(fake.probe)], capture_output=True, text=True, check=False
        )
        assert left.stdout == ""
        assert lines()[-1] == {"kind": "end", "complete": False, "sets_left": 0}
        assert len(read(_SAMPLES).results) == 56 + 70
        again = cli("probe", "--from", _SAMPLES)
        assert again.code == 0
        assert "(partial)" in again.out.splitlines()[0]

    @pytest.mark.usefixtures("fake")
    def test_ranks_that_die_leave_what_was_measured(self, cli, told):
        told(FAKE_STOPS_AFTER="70", FAKE_PROBE_EXIT="9")
        result = cli("probe", *_LAUNCH)
        assert result.code == 1
        assert "it broke" in result.err
        assert "got 9" in result.err.splitlines()[-1]
        assert "(partial)" in result.out.splitlines()[0]
        assert len(read(_SAMPLES).results) == 56 + 70

    @pytest.mark.usefixtures("fake")
    def test_a_good_machine_file_is_not_replaced_by_a_partial_one(self, cli, told):
        assert cli("probe", *_LAUNCH).code == 0
        good = _MACHINE.read_text()
        told(FAKE_STOPS_AFTER="70", FAKE_PROBE_EXIT="9")
        interrupted = cli("probe", *_LAUNCH)
        (told_again,) = [line for line in interrupted.err.splitlines() if "look at it" in line]
        assert told_again.endswith(f": espalier probe --from {_SAMPLES}")
        refused = cli("probe", "--from", _SAMPLES, "-o", _MACHINE)
        assert refused.code == 2
        assert "expected samples of a whole probe for -o, got those of an" in refused.err
        assert _MACHINE.read_text() == good

    @pytest.mark.usefixtures("fake")
    def test_samples_of_a_probe_short_of_time_give_a_machine_file(self, cli, told):
        told(FAKE_SETS_LEFT="3")
        assert cli("probe", *_LAUNCH).code == 0
        assert not read(_SAMPLES).complete
        assert cli("probe", "--from", _SAMPLES, "-o", "again.json").code == 0
        told(FAKE_STOPS_AFTER="70", FAKE_PROBE_EXIT="9")
        assert cli("probe", *_LAUNCH).code == 1
        assert cli("probe", "--from", _SAMPLES, "-o", "again.json").code == 2

    @pytest.mark.usefixtures("fake")
    @pytest.mark.parametrize("count", [1, 20])
    def test_a_scan_cut_short_shows_what_it_can(self, cli, told, count):
        told(FAKE_STOPS_AFTER=str(count), FAKE_PROBE_EXIT="9")
        result = cli("probe", "--matrix", "rtt.csv", *_LAUNCH)
        assert result.code == 1
        assert "(partial)" in result.out.splitlines()[0]
        assert "machine: 2n x" in result.out
        assert len(matrix_file.read(Path("rtt.csv")).holes()) == 56 - count

    @pytest.mark.usefixtures("fake")
    def test_a_program_that_hangs_is_ended(self, cli, told, monkeypatch):
        monkeypatch.setattr("espalier.probing.prober._PATIENCE_SECONDS", 2.0)
        told(FAKE_STOPS_AFTER="30")
        result = cli("probe", *_LAUNCH)
        assert result.code == 1
        assert "expected a measured set within" in result.err.splitlines()[-1]
        assert "(partial)" in result.out.splitlines()[0]
        assert len(read(_SAMPLES).results) == 30

    @pytest.mark.usefixtures("fake")
    def test_nothing_measured_is_nothing_shown(self, cli, told):
        told(FAKE_STOPS_AFTER="0", FAKE_PROBE_EXIT="9")
        result = cli("probe", *_LAUNCH)
        assert result.code == 1
        assert result.out == ""


def _real(launcher: str, vendor: str) -> list[object]:
    is_there = shutil.which(launcher) and installation.probe_program(vendor)
    return [pytest.mark.skipif(not is_there, reason=f"{launcher} or our program for it is missing")]


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(
    ("launch", "vendor"),
    [
        pytest.param(
            "mpirun.openmpi -n 4 --oversubscribe --bind-to none --mca mpi_yield_when_idle 1",
            "openmpi",
            marks=_real("mpirun.openmpi", "openmpi"),
        ),
        pytest.param("mpiexec.mpich -n 2", "mpich", marks=_real("mpiexec.mpich", "mpich")),
    ],
)
def test_real_ranks_are_probed(cli, tmp_path, monkeypatch, launch, vendor):
    monkeypatch.chdir(tmp_path)
    result = cli(
        "probe", "--time-budget", "25s", "--json", "--matrix", "m.csv", "--", *launch.split()
    )
    assert result.code == 0, result.err
    document = result.document()
    assert document["mpi"]["vendor"] == vendor
    assert level(document, "node")["object_of_rank"] == [0] * document["num_ranks"]
    fit = level(document, "core")["fit"]
    assert 0.01 < fit["alpha_us"]["value"] < 10_000
    assert fit["bandwidth_megabytes_per_s"]["value"] > 10
    assert matrix_file.read(Path("m.csv")).num_ranks == document["num_ranks"]


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("smpirun") and installation.probe_program("smpi")),
    reason="SimGrid or our program for it is missing",
)
def test_a_simulated_machine_is_found_exactly(cli, tmp_path, monkeypatch):
    """Two nodes: a link of 1 GB/s and 5 us to and from the switch, 4 GB/s and 1 us inside."""
    monkeypatch.chdir(tmp_path)
    Path("platform.xml").write_text(_PLATFORM)
    Path("hosts").write_text("".join(f"n{rank // 3}\n" for rank in range(6)))
    settings = {
        "smpi/simulate-computation": "no",
        "smpi/host-speed": "1Gf",
        "smpi/bw-factor": "0:1",
        "smpi/lat-factor": "0:1",
        "network/crosstraffic": "no",
        "smpi/async-small-thresh": "65536",
    }
    options = [f"--cfg={name}:{value}" for name, value in settings.items()]
    launch = ["smpirun", "-np", "6", "-platform", "platform.xml", "-hostfile", "hosts", *options]
    document = cli("probe", "--json", "--", *launch).document()
    assert document["is_simulated"]
    assert document["complete"]
    node, core = level(document, "node"), level(document, "core")
    assert node["object_of_rank"] == [0, 0, 0, 1, 1, 1]
    assert node["fit"]["alpha_us"]["value"] == pytest.approx(10.0, rel=0.01)
    assert node["fit"]["bandwidth_megabytes_per_s"]["value"] == pytest.approx(1000, rel=0.01)
    assert node["channels"]["count"] == 1
    assert node["duplex_factor"] == pytest.approx(2.0, rel=0.01)
    assert core["fit"]["alpha_us"]["value"] == pytest.approx(1.0, rel=0.02)
    assert core["fit"]["bandwidth_megabytes_per_s"]["value"] == pytest.approx(4000, rel=0.01)
    assert document["probing"]["machine"].startswith("2n[")
