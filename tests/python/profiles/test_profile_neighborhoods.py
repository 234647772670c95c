# SPDX-License-Identifier: Apache-2.0
"""Rules for neighborhood collectives are kept apart by the topology and its neighbours."""

from __future__ import annotations

import json

import pytest
from profile_makers import profile, rule, trials, write

from espalier import _core
from espalier.errors import Error, FormatError
from espalier.io import documents
from espalier.launch import preload
from espalier.profiles import profiles
from espalier.profiles.profiles import Shape

CALL = "neighbor_alltoall"
COMBINING = f"{CALL}/combining"
NODE_AWARE = f"{CALL}/node_aware"


def around(choice, topology="grid", most=4, **facts):
    found = rule(choice, call=CALL, ranks=8, nodes=2, **facts)
    return {**found, "topology": topology, "max_neighbors": most}


def chosen(path, topology, most):
    (found,) = profiles.read(path).decide(CALL, Shape(8, 2, "", topology, most), [100])
    return found["algorithm"]


def test_a_rule_serves_its_neighborhood(tmp_path):
    path = write(tmp_path / "p.json", profile(around(COMBINING), around(NODE_AWARE, "graph", 16)))
    documents.parse(path.read_text(), "p", "espalier-profile", 1)
    assert chosen(path, "grid", 4) == COMBINING
    assert chosen(path, "graph", 16) == NODE_AWARE
    assert chosen(path, "grid", 8) == chosen(path, "graph", 4) == chosen(path, "", 0) == "native"


def test_a_nonblocking_call_has_a_rule_of_its_own_or_that_of_the_blocking_one(cli, tmp_path):
    own = {**around(NODE_AWARE), "collective": f"i{CALL}", "min_bytes": 50, "max_bytes": 100}
    path = write(tmp_path / "p.json", profile(around(COMBINING), own))
    documents.parse(path.read_text(), "p", "espalier-profile", 1)
    shape = Shape(8, 2, "", "grid", 4)
    found = profiles.read(path).decide(f"i{CALL}", shape, [49, 50, 101])
    assert [one["algorithm"] for one in found] == [COMBINING, NODE_AWARE, COMBINING]
    assert chosen(path, "grid", 4) == COMBINING
    for words in (("explain", path), ("explain", path, "--collective", f"i{CALL}")):
        result = cli(*words, "--json")
        assert result.code == 0, result.err
        document = result.document()
        documents.parse(json.dumps(document), "d", document["schema"], 1)
        rows = [one for one in document["decisions"] if one["collective"] == f"i{CALL}"]
        assert [one["algorithm"] for one in rows] == [COMBINING, NODE_AWARE, COMBINING]


def test_merging_keeps_both(cli, tmp_path):
    paths = [
        write(tmp_path / "a.json", profile(around(COMBINING))),
        write(tmp_path / "b.json", profile(around(NODE_AWARE, "graph"))),
    ]
    result = cli("profile", "merge", *paths, "-o", tmp_path / "out.json")
    assert result.code == 0, result.err
    assert {"grid", "graph"} <= set(result.out.split())
    assert chosen(tmp_path / "out.json", "grid", 4) == COMBINING
    assert chosen(tmp_path / "out.json", "graph", 4) == NODE_AWARE


def test_show_diff_explain_and_check_name_the_neighborhood(cli, tmp_path):
    undecided = {**trials(CALL), "topology": "graph", "max_neighbors": 2}
    both = profile(around(COMBINING), around(NODE_AWARE, "graph", 16), trials=[undecided])
    first = write(tmp_path / "a.json", both)
    second = write(tmp_path / "b.json", profile(around(COMBINING)))
    commands = (
        ("profile", "show", first),
        ("profile", "diff", first, second),
        ("explain", first),
        ("explain", first, "--collective", CALL),
    )
    for words in commands:
        result = cli(*words, "--json")
        assert result.code == 0, result.err
        document = result.document()
        documents.parse(json.dumps(document), "d", document["schema"], 1)
        assert "graph" in cli(*words).out.split()
    (difference,) = cli("profile", "diff", first, second, "--json").document()["differences"]
    assert (difference["topology"], difference["max_neighbors"]) == ("graph", 16)
    shown = cli("profile", "show", first, "--json").document()
    assert [one["max_neighbors"] for one in shown["rules"]] == [16, 4]
    assert [one["max_neighbors"] for one in shown["undecided"]] == [2]
    assert cli("profile", "check", first).code == 0


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"topology": "torus"}, "grid, graph or disconnected"),
        ({"max_neighbors": 5}, "a power of two"),
        ({"algorithm": "alltoall/bruck"}, "native or an algorithm of this version"),
        ({"collective": "neighbor_alltoallv"}, "whose sizes only their ends know"),
    ],
)
def test_a_wrong_rule_is_one_line(tmp_path, changes, part):
    path = write(tmp_path / "p.json", profile({**around(COMBINING), **changes}))
    with pytest.raises(FormatError, match=part):
        profiles.read(path)


def test_a_rule_names_its_neighborhood_and_no_other_does(tmp_path):
    bare = {key: value for key, value in around(COMBINING).items() if key != "topology"}
    placed = {**rule("bcast/flat"), "topology": "grid", "max_neighbors": 4}
    for wrong in (bare, placed):
        path = write(tmp_path / "p.json", profile(wrong))
        with pytest.raises(FormatError, match="topology"):
            profiles.read(path)


def test_what_can_be_forced_is_known():
    entries = [f"{CALL}=combining", f"{CALL}={COMBINING}", "neighbor_allgatherv=native"]
    entries += [f"i{CALL}=node_aware", "ineighbor_allgatherv=native"]
    assert preload.parse_force(entries) == ";".join(entries)
    with pytest.raises(Error, match="forwards blocks"):
        preload.parse_force(["neighbor_alltoallv=node_aware"])
    with pytest.raises(Error, match="forwards blocks"):
        preload.parse_force(["ineighbor_alltoallv=node_aware"])
    assert set(_core.neighbor_calls()).isdisjoint(_core.calls())
