# SPDX-License-Identifier: Apache-2.0
"""Tuning files for MPICH: what the trees say, and what the library then sends."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from native_messages import CLIQUES, ours
from profile_makers import profile, rule, write

from espalier import _core, installation
from espalier.exports import equivalents, mpich_library, mpich_tree
from espalier.launch import programs

TABLE = equivalents.read("mpich").table["calls"]
ENTRIES = [(call, choice) for call, facts in TABLE.items() for choice in facts["algorithms"]]
FILE = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
BESIDE = "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"
MPICH = {"vendor": "mpich", "version": "MPICH Version: 4.0.2"}

# What a library holds, in small.
INNER = {
    "comm_size<8": {"algorithm=MPIR_Bcast_intra_binomial": {}},
    "comm_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}},
}
OUTER = {"algorithm=MPIR_Bcast_inter_remote_send_local_bcast": {}}
MPIR = {
    "collective=bcast": {"comm_type=intra": INNER, "comm_type=inter": OUTER},
    "collective=alltoall": {"comm_type=intra": {"algorithm=MPIR_Alltoall_intra_pairwise": {}}},
    "collective=ibcast": {"algorithm=MPIR_Ibcast_sched": {}},
}
CH4 = {"collective=bcast": {"comm_type=intra": {"composition=MPIDI_alpha": {}}}}


@pytest.fixture
def library(tmp_path):
    """A file with trees inside, as a library has them."""
    path = tmp_path / "libmpich.so.12"
    texts = [json.dumps(tree, separators=(",", ":")).encode() for tree in (CH4, MPIR)]
    path.write_bytes(b"\x7fELF\0" + b"\0".join(texts) + b"\0algorithm=MPIR_Alltoall_intra_brucks\0")
    return path


def export(cli, tmp_path, *rules, library=None):
    path = write(tmp_path / "p.json", profile(*rules, mpi=MPICH))
    words = ("profile", "export", path, "--for", "mpich", "-o", tmp_path / "t.json", "--json")
    result = cli(*words, *([] if library is None else ["--library", library]))
    assert result.code == 0, result.err
    return result.document()


def variables_of(found):
    """Return the variables that the export says to set."""
    return dict(line.removeprefix("export ").split("=", 1) for line in found["use"])


def test_a_rule_is_a_branch_and_all_else_stays(cli, tmp_path, library):
    choice = "bcast/scatter_allgather"
    found = export(cli, tmp_path, rule(choice, 1024, 8191, ranks=4), library=library)
    tree = json.loads((tmp_path / "t.json").read_text())
    assert list(tree) == list(MPIR)
    assert tree["collective=ibcast"] == MPIR["collective=ibcast"]
    own = {"algorithm=MPIR_Bcast_intra_binomial": {}}
    assert tree["collective=bcast"] == {
        "comm_type=intra": {
            "comm_size<=3": INNER,
            "comm_size<=4": {
                "avg_msg_size<=1023": own,
                "avg_msg_size<=8191": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}},
                "avg_msg_size=any": own,
            },
            "comm_size=any": INNER,
        },
        "comm_type=inter": OUTER,
    }
    assert variables_of(found) == {
        FILE: str(tmp_path / "t.json"),
        BESIDE: str(tmp_path / "t.ch4.json"),
    }
    beside = json.loads((tmp_path / "t.ch4.json").read_text())
    sizes = beside["collective=bcast"]["comm_type=intra"]["comm_size<=4"]
    assert sizes["avg_msg_size<=8191"] == {"composition=MPIDI_Bcast_intra_composition_gamma": {}}
    assert sizes["avg_msg_size=any"] == {"composition=MPIDI_alpha": {}}


def test_parts_and_conditions(cli, tmp_path, library):
    found = export(cli, tmp_path, rule("alltoall/bruck", 0, 4099), library=library)
    assert found["files"] == [str(tmp_path / "t.json")]
    tree = json.loads((tmp_path / "t.json").read_text())
    own = {"algorithm=MPIR_Alltoall_intra_pairwise": {}}
    assert tree["collective=alltoall"]["comm_type=intra"]["comm_size<=4"] == {
        "avg_msg_size<=1024": {
            "is_sendbuf_inplace=no": {"algorithm=MPIR_Alltoall_intra_brucks": {}},
            "is_sendbuf_inplace=yes": own,
        },
        "avg_msg_size=any": own,
    }


def test_sizes_beyond_questions_stay_with_the_interval_in_which_questions_end(
    cli, tmp_path, library
):
    most = 2**31 - 1
    binomial, ring = "bcast/binomial", "bcast/scatter_allgather"
    rules = [rule(binomial, 0, 1023), rule(ring, 1024, 3 * most), rule(binomial, 3 * most + 1)]
    (caution,) = export(cli, tmp_path, *rules, library=library)["cautions"]
    assert "up to 2147483647 bytes: for bcast the rule that holds there holds for all" in caution
    tree = json.loads((tmp_path / "t.json").read_text())
    assert tree["collective=bcast"]["comm_type=intra"]["comm_size<=4"] == {
        "avg_msg_size<=1023": {"algorithm=MPIR_Bcast_intra_binomial": {}},
        "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}},
    }


def test_a_shell_takes_the_variables_whatever_folders_are_called(cli, tmp_path, library):
    folder = tmp_path / "a b;c"
    folder.mkdir()
    found = export(cli, folder, rule("bcast/binomial"), library=library)
    assert [shlex.split(line) for line in found["use"]] == [
        ["export", f"{FILE}={folder / 't.json'}"],
        ["export", f"{BESIDE}={folder / 't.ch4.json'}"],
    ]


def test_what_the_library_at_hand_has_not_is_left_out(cli, tmp_path, library):
    rules = [rule("bcast/binomial"), rule("alltoall/linear"), rule("gather/binomial")]
    found = export(cli, tmp_path, *rules, library=library)
    assert {one["algorithm"]: one["reason"] for one in found["left_out"]} == {
        "alltoall/linear": "the library at hand has no MPIR_Alltoall_intra_scattered",
        "gather/binomial": "rules of MPICH 4.0 do not reach gather",
    }


def test_algorithms_of_the_library_are_exported_as_they_are(cli, tmp_path, library):
    rules = [
        rule("bcast/native[algorithm=binomial]", 0, 99),
        rule("bcast/native[algorithm=nb]", 100),
    ]
    found = export(cli, tmp_path, *rules, library=library)
    assert [one["native"] for one in found["exported"]] == ["MPIR_Bcast_intra_binomial"]
    assert [one["reason"] for one in found["left_out"]] == [
        "it is not known how rules of MPICH 4.0 name nb, or when it is correct"
    ]


def test_questions_for_the_number_of_ranks_are_answered():
    tree = {"comm_size=node_comm_size": {"a": {}}, **INNER}
    assert mpich_tree.settled(INNER, 7) == {"algorithm=MPIR_Bcast_intra_binomial": {}}
    assert mpich_tree.settled(INNER, 8) == {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}
    assert list(mpich_tree.settled(tree, 8)) == ["comm_size=node_comm_size", "comm_size=any"]
    power = {"x": {"comm_size=pow2": {"yes": {}}, "comm_size=any": {"no": {}}}}
    assert [mpich_tree.settled(power, ranks)["x"] for ranks in (4, 6)] == [{"yes": {}}, {"no": {}}]


@pytest.mark.parametrize("length", range(4080, 4100))
def test_no_file_ends_with_its_page(length):
    assert len(mpich_tree._text({"x" * (length - 12): {}})) % 4096 != 0


def test_a_library_without_trees_is_refused(cli, tmp_path):
    path = write(tmp_path / "p.json", profile(rule("bcast/binomial"), mpi=MPICH))
    words = ("profile", "export", path, "--for", "mpich", "-o", tmp_path / "t", "--library")
    result = cli(*words, path)
    assert result.code == 2
    assert "expected a library of MPICH with trees of choices, got none" in result.err
    assert cli(*words, tmp_path / "nothing").code == 1
    assert not (tmp_path / "t").exists()


@pytest.mark.skipif(
    installation.measurement_program("mpich") is None, reason="our program for MPICH is missing"
)
def test_the_library_of_our_programs_is_found():
    trees = mpich_library.read(mpich_library.find())
    assert {f"collective={call}" for call in TABLE} <= set(trees.mpir)


def linked(library):
    """Return the library of MPICH that a program is linked with."""
    path = programs.linked_library(library.program, "mpich")
    assert path is not None
    return Path(path)


# Calls that MPICH divides where there are several nodes.
DIVIDED = [one for one in ENTRIES if "composition" in TABLE[one[0]]]


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "choice", "cliques"),
    [*((*one, "0") for one in ENTRIES), *((*one, "1") for one in DIVIDED)],
)
def test_the_library_sends_the_messages_of_the_schedule(
    cli, tmp_path, mpich, call, choice, cliques
):
    num_ranks = 2 if _core.refuses(choice, 3) else 3
    rules = [rule(choice, call=call, ranks=num_ranks)]
    found = export(cli, tmp_path, *rules, library=linked(mpich))
    variables = {**variables_of(found), CLIQUES: cliques}
    native = mpich.sent(call, num_ranks, num_ranks * 1200, variables)
    expected = ours(choice, num_ranks).sent(num_ranks)
    if "library also sends" in found["exported"][0]["difference"]:
        assert sum(number for number, _ in native) >= sum(number for number, _ in expected)
    else:
        assert sorted(native) == sorted(expected)


@pytest.mark.mpi
@pytest.mark.slow
def test_the_library_follows_rules_from_the_first_to_the_last_byte(cli, tmp_path, mpich):
    rules = [rule("bcast/scatter_allgather", 1024, 8191, ranks=3)]
    found = export(cli, tmp_path, *rules, library=linked(mpich))
    for num_ranks, num_bytes in ((3, 1023), (3, 1024), (3, 8192), (2, 1024)):
        native = mpich.sent("bcast", num_ranks, num_bytes, variables_of(found))
        itself = mpich.sent("bcast", num_ranks, num_bytes, {})
        is_ruled = num_ranks == 3 and 1024 <= num_bytes <= 8191
        assert (native != itself) == is_ruled, (num_ranks, num_bytes)
