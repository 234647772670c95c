# SPDX-License-Identifier: Apache-2.0
"""What can be exported, for which library, and what is refused."""

from __future__ import annotations

import json

import pytest
from profile_makers import profile, rule, write

from espalier import _core
from espalier.exports import equivalents

MPICH = {"vendor": "mpich", "version": "MPICH Version: 4.0.2"}


def export(cli, tmp_path, document, library, *options):
    path = write(tmp_path / "p.json", document)
    return cli("profile", "export", path, "--for", library, "-o", tmp_path / "out", *options)


@pytest.mark.parametrize("library", equivalents.LIBRARIES)
def test_tables_name_algorithms_of_ours_for_calls_of_ours(library):
    for call, facts in equivalents.read(library).table["calls"].items():
        assert facts["sizes"] in {"result", "part", "none"}
        for choice in facts["algorithms"]:
            assert choice.startswith(_core.collective_of(call) + "/")
            assert _core.refuses(choice, 4) == ""


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        ("alltoall/bruck[k=2]", "modified_bruck"),
        ("alltoall/bruck[k=3]", None),
        ("bcast/scatter_allgather[allgather=ring]", "scatter_allgather_ring"),
        ("allreduce/rabenseifner[near=0]", "rabenseifner"),
    ],
)
def test_arguments_count_and_usual_ones_may_be_left_out(choice, found):
    answer = equivalents.read("openmpi").find(choice.partition("/")[0], choice, 4)
    assert (None if isinstance(answer, str) else answer.name) == found


def test_variables_of_intel_mpi(cli, tmp_path):
    document = profile(
        rule("bcast/binomial", 0, 1023),
        rule("bcast/binomial", ranks=8),
        rule("alltoall/bruck", 1024, 8191),
        rule("barrier/dissemination[k=2]"),
        mpi=MPICH,
    )
    result = export(cli, tmp_path, document, "intel")
    assert "whether it then sends the same messages was not compared" in " ".join(
        result.out.split()
    )
    assert (tmp_path / "out").read_text().splitlines()[1:] == [
        "export I_MPI_ADJUST_ALLTOALL=1:256-2047@4-4",
        "export I_MPI_ADJUST_BARRIER=1:0-2147483647@4-4",
        "export I_MPI_ADJUST_BCAST='1:0-1023@4-4;1:0-2147483647@8-8'",
    ]


def test_nothing_is_written_if_nothing_can_be_exported(cli, tmp_path):
    result = export(cli, tmp_path, profile(rule("bcast/circulant[pieces=16]")), "openmpi")
    assert result.code == 1
    assert "no file was written" in result.out
    assert not (tmp_path / "out").exists()


def test_rules_for_several_numbers_of_nodes_need_a_choice(cli, tmp_path):
    document = profile(rule("bcast/flat"), rule("bcast/chain", nodes=2))
    result = export(cli, tmp_path, document, "openmpi")
    assert result.code == 2
    assert "rules of Open MPI 4.1 do not know nodes, got some for 1 and 2; choose one" in result.err
    assert export(cli, tmp_path, document, "openmpi", "--nodes", 2).code == 0
    assert "0 3 0 0 # pipeline" in (tmp_path / "out").read_text()
    assert "got rules for 1 and 2" in export(cli, tmp_path, document, "openmpi", "--nodes", 3).err


@pytest.mark.parametrize(
    ("library", "options", "text"),
    [
        ("lam", (), "expected a library of openmpi, mpich, intel behind --for, got 'lam'"),
        ("mpich", (), "expected a profile for mpich, got one for openmpi"),
        ("intel", (), "expected a profile for mpich, got one for openmpi"),
        ("openmpi", ("--library", "x"), "expected --library with --for mpich"),
    ],
)
def test_what_does_not_fit_is_refused(cli, tmp_path, library, options, text):
    result = export(cli, tmp_path, profile(rule("bcast/flat")), library, *options)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert text in result.err


def test_the_profile_is_not_overwritten(cli, tmp_path):
    path = write(tmp_path / "p.json", profile(rule("bcast/flat")))
    assert cli("profile", "export", path, "--for", "openmpi", "-o", path).code == 2
    assert json.loads(path.read_text())["schema"] == "espalier-profile"


def test_another_version_is_cautioned_of(cli, tmp_path):
    other = profile(rule("bcast/flat"), mpi={"vendor": "openmpi", "version": "Open MPI v5.0.3"})
    found = export(cli, tmp_path, other, "openmpi", "--json").document()
    assert found["cautions"][0].startswith("the rules were found with version 5.0")


def test_a_file_that_cannot_be_written_is_one_line(cli, tmp_path):
    path = write(tmp_path / "p.json", profile(rule("bcast/flat")))
    result = cli("profile", "export", path, "--for", "openmpi", "-o", "/proc/nowhere/rules")
    assert (result.code, result.err.count("\n")) == (1, 1)
