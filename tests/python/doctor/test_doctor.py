# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from espalier.conditions import machine, timing
from espalier.doctor import launchers, settings
from espalier.launch import versions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fake_mpi import FakeMpi


def _finding(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(finding for finding in document["findings"] if finding["name"] == name)


def test_every_topic_is_examined_and_problems_come_with_advice(cli: Callable) -> None:
    result = cli("doctor", "--json")
    document = result.document()
    topics = list(dict.fromkeys(finding["topic"] for finding in document["findings"]))
    places = ["espalier", "mpi", "machine", "timing", "kernel", "settings", "memory"]
    assert topics == [*places, "verdict"]
    for finding in document["findings"]:
        if finding["status"] != "ok" and finding["topic"] != "verdict":
            assert finding["advice"], finding
    assert result.code == (0 if document["works"] else 1)


def test_human_view_holds_every_finding(cli: Callable) -> None:
    out = cli("doctor").out
    for name in ("core", "processors", "clock", "noise", "cma", "openmpi", "mpich"):
        assert f" {name}: " in out
    assert out.splitlines()[-1].endswith("problems")


def _launcher(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.mark.usefixtures("empty_path")
def test_without_mpi_nothing_can_work(cli: Callable) -> None:
    result = cli("doctor", "--json")
    document = result.document()
    assert result.code == 1
    assert not document["works"]
    finding = _finding(document, "launcher")
    assert finding["status"] == "problem"
    assert "openmpi-bin" in finding["advice"]
    assert "no launcher" in _finding(document, "openmpi")["text"]


def test_launchers_are_known_by_what_they_print(empty_path: Path) -> None:
    _launcher(empty_path, "mpirun", "echo 'mpirun (Open MPI) 5.0.3'")
    _launcher(empty_path, "mpiexec.mpich", "echo 'HYDRA build details:'; echo '  Version:   4.2.0'")
    banner = "Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)"
    _launcher(empty_path, "mpiexec.hydra", f"echo '{banner}'")
    _launcher(empty_path, "mpiexec", "echo broken >&2; exit 3")
    _launcher(empty_path, "srun", "echo 'something else 1.0'")
    found = {finding.name: finding for finding in launchers.launchers()}
    assert found["mpirun"].facts["vendor"] == "openmpi"
    assert found["mpirun"].facts["version"] == "5.0.3"
    assert found["mpiexec.mpich"].text.startswith("MPICH 4.2.0")
    assert found["mpiexec.hydra"].text.startswith("Intel MPI 2021.18.1,")
    assert found["mpiexec.hydra"].facts["vendor"] == "mpich"
    assert (found["mpiexec"].status, found["srun"].status) == ("warning", "warning")
    assert "broken" in found["mpiexec"].text
    assert "something else 1.0" in found["srun"].text


def test_a_launcher_with_several_names_is_listed_once(empty_path: Path) -> None:
    _launcher(empty_path, "mpirun.openmpi", "echo 'mpirun (Open MPI) 4.1.4'")
    (empty_path / "mpirun").symlink_to(empty_path / "mpirun.openmpi")
    names = [finding.name for finding in launchers.launchers() if finding.name != "root"]
    assert names == ["mpirun.openmpi"]


def test_open_mpi_as_root_needs_permission(
    empty_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _launcher(empty_path, "mpirun", "echo 'mpirun (Open MPI) 4.1.4'")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        monkeypatch.delenv(name, raising=False)
    assert [finding.name for finding in launchers.launchers()] == ["mpirun", "root"]
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        monkeypatch.setenv(name, "1")
    assert [finding.name for finding in launchers.launchers()] == ["mpirun"]


def test_a_library_that_does_not_load_is_a_problem(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libespalier-openmpi.so").write_text("not a library")
    monkeypatch.setenv("ESPALIER_BUILD_DIR", str(tmp_path))
    document = cli("doctor", "--json").document()
    finding = _finding(document, "shim openmpi")
    assert finding["status"] == "problem"
    assert "not loadable" in finding["text"]
    assert _finding(document, "shim mpich")["status"] == "warning"
    assert "no loadable shim" in _finding(document, "openmpi")["text"]


def test_a_library_that_cannot_be_preloaded_is_a_problem(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "in there" / "lib" / "libespalier-openmpi.so"
    library.parent.mkdir(parents=True)
    library.write_text("not a library")
    monkeypatch.setenv("ESPALIER_BUILD_DIR", str(tmp_path / "in there"))
    finding = _finding(cli("doctor", "--json").document(), "shim openmpi")
    assert finding["status"] == "problem"
    assert finding["text"].endswith(f"LD_PRELOAD cannot hold, found '{library}'")
    assert finding["advice"].startswith("move the installation")


def _control_group(root: Path, limits: dict[str, str]) -> None:
    root.mkdir()
    (root / "cgroup.controllers").write_text("cpu")
    for group, limit in limits.items():
        (root / group).mkdir(parents=True, exist_ok=True)
        (root / group / "cpu.max").write_text(limit)


@pytest.mark.parametrize(
    ("limits", "quota"),
    [
        ({"a/b": "max 100000"}, None),
        ({"a/b": "150000 100000"}, 1.5),
        ({"a": "50000 100000", "a/b": "150000 100000"}, 0.5),
        ({}, None),
    ],
)
def test_processor_time_is_limited_by_any_group_above(
    tmp_path: Path, limits: dict[str, str], quota: float | None
) -> None:
    _control_group(tmp_path / "cgroup", limits)
    own = tmp_path / "own"
    own.write_text("0::/a/b\n")
    assert machine.processor_quota(tmp_path / "cgroup", own) == quota


def test_processor_time_under_the_older_control_groups(tmp_path: Path) -> None:
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text("200000\n")
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    own = tmp_path / "own"
    own.write_text("4:cpu:/\n")
    assert machine.processor_quota(tmp_path, own) == 2.0
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text("-1\n")
    assert machine.processor_quota(tmp_path, own) is None


@pytest.mark.parametrize(("scope", "status"), [(None, "ok"), ("0", "ok"), ("1", "warning")])
def test_direct_copies_between_ranks(scope: str | None, status: str) -> None:
    assert settings.ptrace(scope).status == status


def test_noise_is_judged_by_the_time_lost() -> None:
    quiet = timing.judge_noise([15_000, 20_000], 0.3)
    loud = timing.judge_noise([20_000_000], 0.3)
    assert (quiet.status, loud.status) == ("ok", "warning")
    assert "the longest 20.0 ms" in loud.text
    assert timing.judge_noise([], 0.3).facts["lost_fraction"] == 0


def test_the_clock_steps() -> None:
    assert 0 < timing.smallest_step() < 1e-3
    assert all(gap > 10_000 for gap in timing.spin(0.01))


@pytest.mark.parametrize(
    ("name", "value", "status", "words"),
    [
        ("ESPALIER_PROFIL", "x", "warning", "did you mean ESPALIER_PROFILE?"),
        ("ESPALIER_OFF", "1", "warning", "unset ESPALIER_OFF"),
        ("ESPALIER_OFF", "0", "ok", ""),
        ("ESPALIER_MAPPING", "off", "ok", "keep their order"),
        ("ESPALIER_MAPPING", "on", "ok", "another order"),
        ("ESPALIER_MAPPING", "quiet", "ok", "another order"),
        ("ESPALIER_MAPPING", "no", "problem", "on, quiet or off"),
        ("ESPALIER_DIMS", "balanced", "ok", "balanced"),
        ("ESPALIER_DIMS", "best", "problem", "native or balanced"),
        ("ESPALIER_NODE", "on", "ok", "share memory"),
        ("ESPALIER_NODE", "off", "ok", "send messages"),
        ("ESPALIER_NODE", "auto", "ok", "where that was faster"),
        ("ESPALIER_NODE", "yes", "problem", "auto, on or off"),
        ("ESPALIER_PROGRESS", "calls", "ok", "in calls of the MPI library"),
        ("ESPALIER_PROGRESS", "thread", "ok", "a thread of each rank"),
        ("ESPALIER_PROGRESS", "yes", "problem", "calls or thread"),
        ("ESPALIER_WATCH", "30s", "ok", "wait longer than 30s"),
        ("ESPALIER_WATCH", "off", "ok", "nobody watches"),
        ("ESPALIER_WATCH", "0min", "problem", "expected a time"),
        ("ESPALIER_WATCH", "1sec", "problem", "expected a time"),
        ("ESPALIER_MACHINE", "2n x 4c", "ok", "2n x 4c"),
        ("ESPALIER_MACHINE", "missing.json", "problem", "missing.json"),
        ("ESPALIER_MACHINE", " x ".join(["2c"] * 99), "problem", "expected"),
        ("ESPALIER_LEARN", "off", "ok", "do not learn"),
        ("ESPALIER_LEARN", "on", "ok", "programs learn"),
        ("ESPALIER_LEARN", "2.5%", "ok", "up to 2.5%"),
        ("ESPALIER_LEARN", "no", "problem", "expected on, off"),
        ("ESPALIER_LEARN", "0.05", "problem", "expected on, off"),
        ("ESPALIER_LEARN", "101%", "problem", "expected on, off"),
        ("ESPALIER_CLUSTER", "default", "ok", "default"),
        ("ESPALIER_FORCE", "allgather=ring;bcast=native", "ok", ""),
        ("ESPALIER_FORCE", "allgatherv=allgather/ring", "ok", ""),
        ("ESPALIER_FORCE", "allgather:ring", "problem", "call=algorithm"),
        ("ESPALIER_FORCE", "jgather=ring", "problem", "allgatherv, allreduce"),
        ("ESPALIER_FORCE", "allgather=nothing", "problem", "'nothing'"),
        ("ESPALIER_PROFILE", "/nowhere/profile.json", "problem", "No such file"),
        ("ESPALIER_STATISTICS", "/nowhere/at/all", "problem", "create it"),
        ("ESPALIER_VERBOSE", "1", "ok", ""),
    ],
)
def test_settings_are_judged(name: str, value: str, status: str, words: str) -> None:
    finding = settings.variable(name, value)
    assert finding.status == status
    assert words in f"{finding.text} {finding.advice}"


def test_a_profile_is_good_for_the_mpi_it_was_tuned_with(
    cli: Callable, profile_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ESPALIER_PROFILE", str(profile_file))
    document = cli("doctor", "--json").document()
    assert _finding(document, "ESPALIER_PROFILE")["facts"] == {
        "num_rules": 2,
        "tuned_with": "openmpi",
    }
    mpich = _finding(document, "mpich")
    assert mpich["status"] == "warning"


def test_a_profile_that_is_not_valid_switches_everything_off(
    cli: Callable, profile_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = json.loads(profile_file.read_text()) | {"version": 7}
    profile_file.write_text(json.dumps(broken))
    monkeypatch.setenv("ESPALIER_PROFILE", str(profile_file))
    finding = _finding(cli("doctor", "--json").document(), "ESPALIER_PROFILE")
    assert finding["status"] == "problem"
    assert "got 7" in finding["text"]


def test_another_preloaded_library_is_mentioned() -> None:
    (finding,) = [
        finding
        for finding in settings.settings({"LD_PRELOAD": "/opt/libprofiler.so"})
        if finding.name == "LD_PRELOAD"
    ]
    assert finding.status == "warning"
    assert "libprofiler.so" in finding.text


def _command(cli: Callable, *words: object) -> dict[str, dict[str, Any]]:
    findings = cli("doctor", "--json", "--", *words).document()["findings"]
    return {one["name"]: one for one in findings if one["topic"] == "command"}


@pytest.fixture
def linked(fake: FakeMpi, tmp_path: Path) -> Callable[[str], Path]:
    """Make a program that is linked with a library of this name."""

    def make(name: str) -> Path:
        fake.script("ldd", f'echo "\t{name} => {tmp_path}/{name} (0x00007f0000000000)"')
        return shutil.copy("/bin/true", tmp_path / "program")

    return make


def test_a_command_is_told_which_library_goes_under_it_and_why(
    cli: Callable, linked: Callable[[str], Path]
) -> None:
    program = linked("libmpi.so.40")
    found = _command(cli, "mpirun", "-n", "4", program)
    assert found["launcher"]["text"] == "mpirun is Open MPI 9.8.7"
    assert found["program"]["text"].endswith("libmpi.so.40")
    text = found["preload"]["text"]
    assert text.startswith(f"libespalier-openmpi.so: '{program}' is linked with")
    # The file is not there, so it does not say what it is.
    assert found["run time"]["status"] == "warning"


def test_the_library_at_run_time_is_asked(
    cli: Callable, linked: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = linked("libmpi.so.12")
    for told, status in (("MPICH Version:\t4.1.2\n", "ok"), ("MPICH Version:\t3.2\n", "warning")):
        monkeypatch.setattr(versions, "ask_version", lambda *_, told=told: told)
        finding = _command(cli, "mpiexec", "-n", "4", program)["run time"]
        assert finding["status"] == status, finding


def test_a_launcher_of_another_installation_is_told(
    cli: Callable, fake: FakeMpi, linked: Callable[[str], Path]
) -> None:
    program = linked("libmpi.so.12")
    assert "pair" not in _command(cli, "mpiexec", "-n", "4", program)
    beside = fake.bin.parent / "lib" / "libmpi.so.12"
    beside.parent.mkdir()
    beside.write_bytes(b"")
    found = _command(cli, "mpiexec", "-n", "4", program)["pair"]
    assert found["status"] == "warning"
    assert f"LD_LIBRARY_PATH={beside.parent}" in found["advice"]


def test_a_command_of_two_families_is_a_problem(
    cli: Callable, linked: Callable[[str], Path]
) -> None:
    found = _command(cli, "mpirun", "-n", "4", linked("libmpi.so.12"))["preload"]
    assert found["status"] == "problem"
    assert "every rank would run alone" in found["text"]


def test_a_program_of_the_standard_interface_gets_the_library_for_it(
    cli: Callable, linked: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "ask_version", lambda *_: "MPICH Version:\t5.0.2\n")
    found = _command(cli, "mpiexec", "-n", "4", linked("libmpi_abi.so.1"))
    assert found["preload"]["text"].startswith("libespalier-abi.so: ")
    assert found["run time"]["text"] == "MPICH 5.0.2, tested"


@pytest.mark.usefixtures("fake")
def test_a_command_without_program_or_launcher_is_told(cli: Callable) -> None:
    assert _command(cli, "mpirun", "-n", "4", "./nothing")["program"]["status"] == "problem"
    assert _command(cli, "./nothing")["launcher"]["status"] == "problem"
