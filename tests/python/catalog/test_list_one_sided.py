# SPDX-License-Identifier: Apache-2.0
"""What `espalier list --one-sided` says, against the compiled module and the headers of C."""

from __future__ import annotations

import re

import pytest
from places import repository

from espalier import _core
from espalier.catalog import one_sided
from espalier.report import one_sided_list

TEAMS = (repository / "include/espalier_team.h").read_text()
COLLECTIVES = (repository / "include/espalier_team_collectives.h").read_text()


def _full_names(algorithms):
    return [f"{entry['collective']}/{entry['name']}" for entry in algorithms]


def test_json_has_every_form_and_its_refusal(cli):
    found = cli("list", "--one-sided", "--json").document()
    forms = [
        {"mechanism": row["name"], **form} for row in found["mechanisms"] for form in row["forms"]
    ]
    for form in _core.one_sided_forms():
        assert form in forms
    assert len(forms) == len(_core.one_sided_forms()) == 9 * 2 * 4
    assert "algorithms" not in found
    assert "candidates" not in found


def test_modes_and_addresses_have_the_names_of_c(cli):
    found = cli("list", "--one-sided", "--json").document()
    assert len(found["modes"]) == 9
    for row in found["modes"]:
        begin, end = row["in"].removeprefix("ESPALIER_"), row["out"].removeprefix("ESPALIER_")
        assert row["name"] == f"IN_{begin}|OUT_{end}"
    spellings = {row[key] for row in found["modes"] for key in ("in", "out")}
    assert spellings == set(re.findall(r"(ESPALIER_\w+SYNC) = \d", TEAMS))
    spellings = [row["addresses"] for row in found["address_modes"]]
    assert sorted(spellings) == sorted(re.findall(r"(ESPALIER_ADDRESSES_\w+) = \d", TEAMS))


def test_table_says_what_is_legal_and_how_to_force_it(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    out = cli("list", "--one-sided").out
    assert re.search(
        r"^IN_MYSYNC\|OUT_ALLSYNC +ESPALIER_MYSYNC +ESPALIER_ALLSYNC +after", out, re.MULTILINE
    )
    for spelling in ("SYMMETRIC", "SINGLE"):
        assert re.search(rf"^single +ESPALIER_ADDRESSES_{spelling} ", out, re.MULTILINE)
    assert re.search(r'^"counting_put" .* yes +yes *$', out, re.MULTILINE)
    assert re.search(
        r'^"signaling_put" .* yes +signaling_put puts data into segments, at', out, re.MULTILINE
    )
    assert re.search(
        r'^"rendezvous" .* yes +rendezvous fetches data from segments', out, re.MULTILINE
    )
    assert '"bcast/native" is the collective of the MPI library, and takes no mechanism' in out
    assert "allreduce/ring" not in out


@pytest.mark.parametrize("columns", [80, 120])
def test_names_are_whole_and_tables_are_not_too_wide(cli, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = cli("list", "--one-sided").out.splitlines()
    assert sum(line.startswith("IN_ALLSYNC|OUT_ALLSYNC ") for line in lines) == 1
    assert all(len(line) <= columns for line in lines if not line.startswith("options are"))


def test_a_refusal_of_some_modes_names_them():
    forms = [
        {"mode": "a", "addresses": "single", "refusal": ""},
        {"mode": "b", "addresses": "single", "refusal": "it cannot"},
        {"mode": "c", "addresses": "single", "refusal": "it cannot"},
        {"mode": "a", "addresses": "local", "refusal": ""},
    ]
    assert one_sided_list.legality(forms, "single") == "yes; b, c: it cannot"
    assert one_sided_list.legality(forms, "local") == "yes"


def test_a_pattern_adds_algorithms_and_their_variants(cli):
    found = cli("list", "--one-sided", "allreduce", "--json").document()
    names = _full_names(found["algorithms"])
    everything = _full_names(_core.catalog())
    assert names == [name for name in everything if name.startswith("allreduce/")]
    assert found["candidates"] == _core.one_sided_choices("allreduce", found["num_ranks"])
    one = cli("list", "--one-sided", "allreduce/ring", "--json").document()
    assert one["candidates"] == _full_names(one["algorithms"]) == ["allreduce/ring"]


def test_candidates_are_printed_as_options_name_them(cli):
    out = cli("list", "--one-sided", "bcast/k_nomial").out
    assert '"bcast/k_nomial[k=4]"' in out
    assert "among 16 members" in out
    assert "segments=1" in out


def test_candidates_move_whole_vectors_and_call_no_mpi():
    for collective in _core.collectives():
        for choice in _core.one_sided_choices(collective["name"], one_sided.NUM_RANKS):
            assert "segments=" not in choice
            assert "native" not in choice


def test_every_algorithm_of_a_team_has_a_candidate():
    calls = [row["name"] for row in _core.collectives() if row["name"] not in one_sided.NO_CALLS]
    found = one_sided.listing("*")
    expected = [name for name in _full_names(_core.catalog()) if name.partition("/")[0] in calls]
    assert _full_names(found["algorithms"]) == expected


def test_collectives_without_a_call_are_those_of_the_header(cli):
    calls = set(re.findall(r"int espalier_team_(\w+)_init\(", COLLECTIVES))
    collectives = {row["name"] for row in _core.collectives()}
    assert collectives - calls == set(one_sided.NO_CALLS)
    result = cli("list", "--one-sided", "scan")
    assert result.code == 2
    assert result.err == (
        "espalier: expected an algorithm of a collective that teams have, got 'scan'; they have"
        " barrier, bcast, scatter, gather, reduce, allreduce, allgather, alltoall\n"
    )


def test_puts_to_places_and_rendezvous_need_addresses_that_all_know():
    refused = {
        (form["mechanism"], form["addresses"])
        for form in _core.one_sided_forms()
        if form["refusal"]
    }
    assert refused == {("signaling_put", "local"), ("rendezvous", "local")}


def test_explain_describes_the_algorithms_of_a_pattern(cli):
    out = cli("list", "--one-sided", "--explain", "allreduce/ring").out
    assert "  source     patarasuk2009" in out
    result = cli("list", "--one-sided", "--explain")
    assert result.code == 2
    assert "expected a pattern behind --one-sided --explain, got none" in result.err


def test_native_algorithms_are_another_list(cli):
    result = cli("list", "--one-sided", "--native", "openmpi")
    assert result.code == 2
    assert result.out == ""
    assert result.err == (
        "espalier: expected --one-sided or --native, got both --one-sided and --native openmpi;"
        " leave one of them out: collectives of teams take no algorithms of the MPI library\n"
    )
