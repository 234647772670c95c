# SPDX-License-Identifier: Apache-2.0
"""Algorithms of the MPI library as candidates, and the list that the library gives."""

from __future__ import annotations

import pytest

from espalier import _core, installation
from espalier.sampling.native_algorithms import Menu, with_native_algorithms
from espalier.sampling.samples import Request

BCAST = Menu("bcast", ("basic_linear", "chain", "knomial"), ("segment", "fanout"), "")
ALLGATHERV = Menu("allgatherv", ("ring",), (), "")
NOTHING = Menu("gatherv", (), (), "the MPI library has no control variable for it")


def test_each_algorithm_is_one_candidate_and_linear_ones_come_last():
    assert BCAST.candidates(65535) == [
        "bcast/native[algorithm=chain]",
        "bcast/native[algorithm=knomial]",
        "bcast/native[algorithm=basic_linear]",
    ]


@pytest.mark.parametrize(("num_bytes", "segment"), [(65536, 8192), (1048576, 65536)])
def test_long_vectors_are_cut_where_the_library_can(num_bytes, segment):
    chain, *_ = BCAST.candidates(num_bytes)
    assert chain == f"bcast/native[algorithm=chain,segment={segment}]"
    assert ALLGATHERV.candidates(num_bytes) == ["allgather/native[algorithm=ring]"]


@pytest.mark.parametrize("choice", BCAST.candidates(1 << 20) + ALLGATHERV.candidates(8))
def test_candidates_are_choices_in_their_canonical_form(choice):
    assert _core.canonical(choice) == choice
    assert _core.refuses(choice, 5) == ""


def test_they_stand_behind_ours_and_are_limited():
    request = Request("bcast", 8, ("bcast/flat", "bcast/native[algorithm=chain]"), weight=2.0)
    menus = {"bcast": BCAST, "gatherv": NOTHING}
    (found,) = with_native_algorithms([request], menus, most=2)
    assert found.algorithms == (
        "bcast/flat",
        "bcast/native[algorithm=chain]",
        "bcast/native[algorithm=knomial]",
    )
    assert (found.bytes, found.weight) == (8, 2.0)
    other = Request("gatherv", 8, ("gather/flat",))
    assert with_native_algorithms([other], menus) == [other]


def test_an_mpi_that_is_not_known_is_refused(cli):
    result = cli("list", "--native", "lam")
    assert result.code == 2
    assert "expected --native openmpi or mpich, got 'lam'" in result.err


@pytest.mark.mpi
@pytest.mark.parametrize("vendor", installation.vendors)
def test_the_library_is_asked(cli, vendor):
    if installation.measurement_program(vendor) is None:
        pytest.skip(f"our program for {vendor} is missing")
    found = cli("list", "--native", vendor, "--json").document()
    calls = {row["collective"]: row for row in found["calls"]}
    assert set(calls) == set(_core.calls())
    assert "binomial" in calls["bcast"]["algorithms"]
    assert not {"ignore", "auto"} & set(calls["bcast"]["algorithms"])
    for row in calls.values():
        assert bool(row["algorithms"]) != bool(row["problem"]), row
    one = cli("list", "--native", vendor, "bcast")
    assert "binomial" in one.out
    assert "alltoall" not in one.out


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(
    ("vendor", "launcher"), [("openmpi", "mpirun.openmpi"), ("mpich", "mpiexec.mpich")]
)
def test_a_profile_can_name_one_that_was_measured(cli, tmp_path, vendor, launcher):
    if installation.measurement_program(vendor) is None:
        pytest.skip(f"our program for {vendor} is missing")
    options = ("--oversubscribe",) if vendor == "openmpi" else ()
    choice = "bcast/native[algorithm=binomial]"
    result = cli(
        *("tune", "--collectives", "bcast", "--sizes", "1024", "--algorithms", choice),
        *("--time-budget", "4s", "-o", tmp_path / "p.json", "--store", tmp_path / "s.sqlite"),
        *("--json", "--", launcher, *options, "-n", "2"),
    )
    assert result.code == 0, result.err
    assert choice in result.out
