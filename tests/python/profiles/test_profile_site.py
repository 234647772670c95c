# SPDX-License-Identifier: Apache-2.0
"""`espalier profile share`: what all users of an installation start from."""

from __future__ import annotations

import json
import os

import pytest
from profile_makers import profile, rule, trials, write

from espalier import _core, installation

MPI = {"vendor": "openmpi", "version": "Open MPI v4.1.4"}
HERE = _core.learned_file_name(MPI["version"])
ELSEWHERE = "open-mpi-v4.1.4-another-processor-no-interconnect.json"


def learned(choice: str, low: int = 0, high: int | None = None, **facts):
    times = {"native_seconds": 2e-4, "seconds": 1e-4, "num_pairs": 9}
    return {**rule(choice, low, high, **facts), "learned": times}


def memory(*rules, **about):
    return {
        "schema": "espalier-profile",
        "version": 1,
        "mpi": MPI,
        "rules": list(rules),
        **about,
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of the site, in an installation of its own."""
    library = tmp_path / "prefix" / "lib" / "libespalier-openmpi.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"")
    monkeypatch.setenv("ESPALIER_BUILD_DIR", str(tmp_path / "prefix"))
    assert installation.shim_library("openmpi") == library
    return library.parent / "espalier" / "site"


def algorithms(file):
    return {
        (one["min_bytes"], one["max_bytes"]): one["algorithm"]
        for one in json.loads(file.read_text())["rules"]
    }


def test_files_of_users_become_one_that_all_can_read(cli, tmp_path, folder):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = memory(learned("bcast/flat", 0, 99), trials=[trials("reduce")])
    second = memory(learned("bcast/chain", 100, 199), learned("bcast/binomial", 0, 99))
    paths = [
        write(tmp_path / "a" / ELSEWHERE, first),
        write(tmp_path / "b" / ELSEWHERE, second),
    ]
    umask = os.umask(0o077)
    try:
        result = cli("profile", "share", *paths)
    finally:
        os.umask(umask)
    assert result.code == 0, result.err
    file = folder / ELSEWHERE
    assert str(file) in result.out
    assert algorithms(file) == {(0, 99): "bcast/flat", (100, 199): "bcast/chain"}
    assert "trials" not in json.loads(file.read_text())
    assert file.stat().st_mode & 0o777 == 0o644
    assert {one.stat().st_mode & 0o777 for one in (folder, folder.parent)} == {0o755}
    assert [one.name for one in folder.iterdir()] == [ELSEWHERE]


def test_rules_are_added_to_those_that_are_shared_already(cli, tmp_path, folder):
    path = tmp_path / "profile.json"
    write(path, profile(rule("bcast/flat", 0, 99, gain=(2, 1.5)), mpi=MPI))
    assert cli("profile", "share", path).code == 0
    # What is learned is weaker than what was measured.
    write(path, memory(learned("bcast/chain", 0, 199)))
    assert cli("profile", "share", path).code == 0
    assert algorithms(folder / HERE) == {(0, 99): "bcast/flat", (100, 199): "bcast/chain"}
    _core.check_profile((folder / HERE).read_text(), HERE)


def test_who_may_read_the_site_file_stays_as_the_administrator_said(cli, tmp_path, folder):
    path = write(tmp_path / "profile.json", profile(rule("bcast/flat", 0, 99), mpi=MPI))
    assert cli("profile", "share", path).code == 0
    (folder / HERE).chmod(0o640)
    write(path, profile(rule("bcast/chain", 100, 199), mpi=MPI))
    assert cli("profile", "share", path).code == 0
    assert algorithms(folder / HERE) == {(0, 99): "bcast/flat", (100, 199): "bcast/chain"}
    assert (folder / HERE).stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("text", ['{"schema": ["x"]}', '{"schema": {}}', '{"schema": 7}'])
def test_a_file_whose_schema_is_no_text_is_refused(cli, tmp_path, folder, text):
    path = tmp_path / "p.json"
    path.write_text(text)
    result = cli("profile", "share", path)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert f"{path}: " in result.err
    assert not folder.exists()


def test_what_is_kept_beside_is_left_out(cli, tmp_path, folder):
    beside = write(
        tmp_path / "teams-here.json", {"schema": "espalier-teams", "version": 1, "entries": []}
    )
    path = write(tmp_path / ELSEWHERE, memory(learned("bcast/flat", 0, 99)))
    result = cli("profile", "share", beside, path)
    assert result.code == 0, result.err
    assert f"note: {beside} has choices measured for one-sided teams, and no rules" in result.err
    assert algorithms(folder / ELSEWHERE) == {(0, 99): "bcast/flat"}
    assert "expected profiles, or what programs learned" in cli("profile", "share", beside).err


def test_one_kind_of_machine_at_a_time(cli, tmp_path, folder):
    paths = [
        write(tmp_path / ELSEWHERE, memory(learned("bcast/flat"))),
        write(tmp_path / "profile.json", memory(learned("bcast/flat"))),
    ]
    result = cli("profile", "share", *paths)
    assert result.code != 0
    assert "one MPI library and kind of machine at a time" in result.err
    assert not folder.exists()


def test_another_mpi_has_no_site(cli, tmp_path, folder):
    path = write(tmp_path / "p.json", memory(rule("bcast/flat"), mpi={**MPI, "vendor": "smpi"}))
    result = cli("profile", "share", path)
    assert result.code != 0
    assert "an MPI that Espalier is built for" in result.err
    assert not folder.exists()


def test_who_may_not_write_is_told_who_may(cli, tmp_path, folder):
    folder.parent.parent.joinpath("espalier").write_text("not a folder")
    path = write(tmp_path / "p.json", memory(learned("bcast/flat")))
    result = cli("profile", "share", path)
    assert result.code != 0
    assert "run this as who installed Espalier" in result.err


def test_a_broken_site_file_stays_as_it_is(cli, tmp_path, folder):
    folder.mkdir(parents=True)
    (folder / HERE).write_text("{")
    path = write(tmp_path / "p.json", memory(learned("bcast/flat")))
    result = cli("profile", "share", path)
    assert result.code != 0
    assert HERE in result.err
    assert (folder / HERE).read_text() == "{"


def test_doctor_knows_files_of_measurements(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "espalier").mkdir()
    path = write(
        tmp_path / "espalier" / "teams-here.json",
        {"schema": "espalier-teams", "version": 1, "entries": [{}, {}]},
    )
    found = _memory(cli)["user"]
    assert found["status"] == "ok"
    assert found["text"] == f"{path}: 2 choices measured for one-sided teams"
    write(path, {"schema": "espalier-distances", "version": 2, "entries": []})
    found = _memory(cli)["user"]
    assert found["status"] == "problem"
    assert "expected version 1 and a list of entries, got version 2 and list" in found["text"]
    assert found["advice"] == "remove it, and programs measure anew"


def test_doctor_shows_both_files(cli, tmp_path, folder, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    found = _memory(cli)
    assert "no program has learned yet" in found["user"]["text"]
    assert str(folder) in found["site openmpi"]["text"]
    (tmp_path / "state" / "espalier").mkdir(parents=True)
    own = write(tmp_path / "state" / "espalier" / HERE, memory(learned("bcast/flat")))
    assert cli("profile", "share", own).code == 0
    found = _memory(cli)
    assert found["user"]["facts"] == {"path": str(own), "num_rules": 1, "mpi": "openmpi"}
    assert found["site openmpi"]["facts"]["path"] == str(folder / HERE)
    (folder / HERE).chmod(0o666)
    own.write_text("{")
    found = _memory(cli)
    assert found["user"]["status"] == "problem"
    assert found["site openmpi"]["status"] == "problem"
    assert "got mode 666" in found["site openmpi"]["text"]


def _memory(cli):
    findings = cli("doctor", "--json").document()["findings"]
    return {one["name"]: one for one in findings if one["topic"] == "memory"}
