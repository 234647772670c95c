# SPDX-License-Identifier: Apache-2.0
"""`espalier profile check` finds everything that is wrong, a line each."""

from __future__ import annotations

import pytest
from profile_makers import profile, rule, write

from espalier.conditions.finding import Finding


@pytest.fixture
def here(monkeypatch):
    """Say which MPIs are on this machine, as (vendor, version)."""

    def say(*mpis):
        found = [
            Finding("mpi", vendor, "ok", "", "", {"vendor": vendor, "version": version})
            for vendor, version in mpis
        ]
        monkeypatch.setattr("espalier.cli.profile.launchers", lambda: found)

    return say


def lines(cli, path, *options):
    result = cli("profile", "check", path, *options)
    assert result.err == ""
    found = result.out.splitlines()
    document = cli("profile", "check", path, *options, "--json").document()
    if document["problems"]:
        assert result.code == 1
        assert len(found) == len(document["problems"])
    else:
        assert result.code == 0
    return found


def test_a_profile_that_is_well(cli, tmp_path, here):
    here(("openmpi", "4.1.4"), ("mpich", "4.0.2"))
    path = write(tmp_path / "a", profile(rule("bcast/flat")))
    assert lines(cli, path) == [f"{path}: 1 rule for openmpi, nothing wrong"]


def test_every_rule_that_cannot_be_read_has_a_line(cli, tmp_path, here):
    here(("openmpi", "4.1.4"))
    path = write(
        tmp_path / "a",
        profile(
            rule("bcast/flat", 0, 99),
            rule("bcast/nothing", 100, 199),
            rule("allgather/recursive_doubling", ranks=5),
            rule("bcast/chain", 50, None),
            rule("bcast/flat", ranks=2, nodes=3),
            rule("bcast/k_nomial[radix=4]", 1000, None, ranks=8),
            {**rule("bcast/flat", ranks=9), "run": 3},
        ),
    )
    found = lines(cli, path)
    starts = [line.removeprefix(f"{path}: ").partition(": expected")[0] for line in found]
    assert starts == [
        "rules[1]: algorithm",
        "rules[2]: algorithm",
        "rules[3]: min_bytes",
        "rules[4]: num_nodes",
        "rules[5]: algorithm",
        "rules[6].run",
    ]
    assert "which rules[0] covers too; remove one of the two rules" in found[2]


@pytest.mark.parametrize(
    ("mpis", "text"),
    [
        ([("mpich", "4.0.2")], "mpi: expected openmpi on this machine, got mpich 4.0.2; use"),
        ([], "mpi: expected openmpi on this machine, got no MPI; use"),
        (
            [("openmpi", "5.0.3")],
            "mpi: expected openmpi 4.1.4, with which the rules were found, got",
        ),
    ],
)
def test_another_mpi_is_told_unless_the_profile_is_for_elsewhere(cli, tmp_path, here, mpis, text):
    here(*mpis)
    path = write(tmp_path / "a", profile(rule("bcast/flat")))
    (line,) = lines(cli, path)
    assert line.startswith(f"{path}: {text}")
    assert lines(cli, path, "--elsewhere") == [f"{path}: 1 rule for openmpi, nothing wrong"]


def test_a_simulated_profile_needs_no_mpi(cli, tmp_path, here):
    here()
    smpi = profile(rule("bcast/flat"), mpi={"vendor": "smpi", "version": "SimGrid 3.36"})
    assert len(lines(cli, write(tmp_path / "a", smpi))) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected JSON"),
        ("{", "expected JSON"),
        ("[]", "expected a file with schema 'espalier-profile', got 'list'"),
        ('{"schema": "espalier-machine"}', "got 'espalier-machine'"),
        ('{"schema": "espalier-profile", "version": 9}', "expected version 1 at most, got 9"),
    ],
)
def test_a_file_that_is_no_profile_has_one_line(cli, tmp_path, text, complaint):
    path = tmp_path / "a"
    path.write_text(text)
    (line, *_) = lines(cli, path, "--elsewhere")
    assert complaint in line or "required property" in line
    assert cli("profile", "check", path, "--json").document()["num_rules"] is None


def test_a_missing_file_has_one_line(cli, tmp_path):
    (line,) = lines(cli, tmp_path / "nothing", "--elsewhere")
    assert "expected a readable file, got 'No such file or directory'" in line


def test_all_that_does_not_fit_the_schema_is_told(cli, tmp_path):
    broken = profile({**rule("bcast/flat"), "num_ranks": "4"}, rule("bcast/chain", ranks=8))
    del broken["rules"][1]["reason"]
    found = lines(cli, write(tmp_path / "a", broken), "--elsewhere")
    assert ["rules[0].num_ranks" in found[0], "rules[1]" in found[1], len(found)] == [True, True, 2]


def test_a_profile_without_rules_is_told(cli, tmp_path):
    (line,) = lines(cli, write(tmp_path / "a", profile()), "--elsewhere")
    assert "expected rules, got none" in line
