# SPDX-License-Identifier: Apache-2.0
"""Rules for Open MPI: what the file says, and what the library then sends."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

import pytest
from native_messages import ours
from profile_makers import profile, rule, write

from espalier import _core
from espalier.exports import equivalents

TABLE = equivalents.read("openmpi").table["calls"]
ENTRIES = [(call, choice) for call, facts in TABLE.items() for choice in facts["algorithms"]]


def export(cli, tmp_path, *rules, options=()):
    path = write(tmp_path / "p.json", profile(*rules))
    output = tmp_path / "rules.conf"
    return cli(
        "profile", "export", path, "--for", "openmpi", "-o", output, "--json", *options
    ).document()


def options_of(found):
    """Return the options of mpirun that the export says to use."""
    words = shlex.split(found["use"][0])
    assert (words[0], words[-1]) == ("mpirun", "...")
    return words[1:-1]


def numbers(path):
    """Return the file without its comments, line by line."""
    lines = (line.partition("#")[0].split() for line in path.read_text().splitlines())
    return [list(map(int, line)) for line in lines if line]


def runs_of_three(lines):
    """Return each three lines that follow one another."""
    return [lines[start : start + 3] for start in range(len(lines) - 2)]


def test_the_file_holds_for_its_ranks_and_sizes_only(cli, tmp_path):
    export(
        cli,
        tmp_path,
        rule("bcast/chain", 1024, 8191),
        rule("bcast/flat", ranks=5),
        rule("barrier/recursive_doubling", ranks=8),
    )
    default = [[1], [0, 0, 0, 0]]
    assert numbers(tmp_path / "rules.conf") == [
        [2],
        *([6], [3], [0], *default, [8], [1], [0, 3, 0, 0], [9], *default),
        *([7], [4], [0], *default),
        *([4], [3], [0, 0, 0, 0], [1024, 3, 0, 0], [8192, 0, 0, 0]),
        *([5], [1], [0, 1, 0, 0], [6], *default),
    ]


def test_sizes_of_parts_are_rounded_up(cli, tmp_path):
    export(cli, tmp_path, rule("allgather/ring", 1022, 8190, call="allgatherv"))
    assert [256, 3, 0, 0] in numbers(tmp_path / "rules.conf")
    assert [2048, 0, 0, 0] in numbers(tmp_path / "rules.conf")


def test_what_is_not_exported_is_told_with_the_reason(cli, tmp_path):
    found = export(
        cli,
        tmp_path,
        rule("bcast/flat", 0, 99),
        rule("bcast/circulant[pieces=16]", 100, 999),
        rule("bcast/chain[segments=8]", 1000, None),
        rule("gather/flat", call="gatherv"),
        rule("scan/linear", 0, 99),
        rule("allreduce/rabenseifner[near=1]", ranks=6),
    )
    assert [one["algorithm"] for one in found["exported"]] == ["bcast/flat"]
    reasons = {(one["collective"], one["algorithm"]): one["reason"] for one in found["left_out"]}
    assert reasons == {
        ("bcast", "bcast/circulant[pieces=16]"): "Open MPI 4.1 has no such algorithm",
        ("bcast", "bcast/chain[segments=8]"): (
            "Open MPI 4.1 cuts messages by bytes, not into a number of segments"
        ),
        ("gatherv", "gather/flat"): "rules of Open MPI 4.1 do not reach gatherv",
        ("scan", "scan/linear"): "rules of Open MPI 4.1 do not look at the size of scan",
        ("allreduce", "allreduce/rabenseifner[near=1]"): (
            "rabenseifner of Open MPI 4.1 is the same for a power of two of ranks only"
        ),
    }


@pytest.mark.parametrize("call", ["gather", "scatter"])
def test_rules_where_ranks_count_different_sizes_hold_for_all_sizes(cli, tmp_path, call):
    found = export(cli, tmp_path, rule(f"{call}/flat", 0, 99), rule(f"{call}/binomial", ranks=8))
    assert [one["num_ranks"] for one in found["exported"]] == [8]
    assert [one["reason"] for one in found["left_out"]] == [
        f"rules of Open MPI 4.1 do not look at the size of {call}"
    ]
    assert [[8], [1], [0, 2, 0, 0]] in runs_of_three(numbers(tmp_path / "rules.conf"))


@pytest.mark.parametrize("call", ["allgather", "alltoall"])
def test_calls_in_place_are_cautioned_of_where_they_count_other_sizes(cli, tmp_path, call):
    choice = {"allgather": "allgather/ring", "alltoall": "alltoall/pairwise"}[call]
    (text,) = export(cli, tmp_path, rule(choice, 1024))["cautions"]
    assert text.startswith(f"rules for {call} take the size from the send arguments")
    assert not export(cli, tmp_path, rule(choice))["cautions"]


@pytest.mark.parametrize(
    ("version", "nodes", "is_cautioned"),
    [("v5.0.7", 2, True), ("v5.0.7", 1, False), ("v4.1.4", 2, False), ("v10.0.1", 2, True)],
)
def test_a_component_that_comes_first_is_cautioned_of(cli, tmp_path, version, nodes, is_cautioned):
    mpi = {"vendor": "openmpi", "version": f"Open MPI {version}"}
    path = write(tmp_path / "p.json", profile(rule("bcast/flat", nodes=nodes), mpi=mpi))
    words = ("profile", "export", path, "--for", "openmpi", "-o", tmp_path / "rules.conf", "--json")
    cautions = cli(*words).document()["cautions"]
    found = [text for text in cautions if "--mca coll_han_priority 0" in text]
    assert len(found) == int(is_cautioned)


def test_operators_that_do_not_commute_are_cautioned_of(cli, tmp_path):
    assert not export(cli, tmp_path, rule("allreduce/recursive_doubling"))["cautions"]
    (text,) = export(cli, tmp_path, rule("allreduce/ring"))["cautions"]
    assert text.startswith("rules for allreduce are for operators that commute")


def test_algorithms_of_the_library_are_exported_as_they_are(cli, tmp_path):
    found = export(
        cli,
        tmp_path,
        rule("bcast/native[algorithm=pipeline,segment=8192]", 65536),
        rule("reduce/native[algorithm=in-order_binary]", 0, 1023),
        rule("alltoall/native[algorithm=none]", ranks=3),
    )
    assert [0, 0, 0, 0] in numbers(tmp_path / "rules.conf")
    assert [65536, 3, 0, 8192] in numbers(tmp_path / "rules.conf")
    assert [0, 6, 0, 0] in numbers(tmp_path / "rules.conf")
    assert [one["native"] for one in found["exported"]] == ["pipeline", "in-order_binary"]
    assert [one["reason"] for one in found["left_out"]] == [
        "it is not known how rules of Open MPI 4.1 name none, or when it is correct"
    ]
    # Preloaded programs take the ordinary native call for operators that do not commute.
    assert "rules for reduce are for operators that commute" in found["cautions"][0]


@pytest.mark.parametrize("call", ["bcast", "reduce"])
def test_a_chain_has_the_fanout_with_which_it_was_measured(cli, tmp_path, call):
    usual = f"{call}/native[algorithm=chain,segment=8192]"
    given = f"{call}/native[algorithm=chain,fanout=2]"
    export(cli, tmp_path, rule(given, 0, 65535), rule(usual, 65536))
    assert [0, 2, 2, 0] in numbers(tmp_path / "rules.conf")
    assert [65536, 2, 4, 8192] in numbers(tmp_path / "rules.conf")


@pytest.mark.mpi
def test_numbers_are_those_of_the_library():
    if shutil.which("ompi_info") is None:
        pytest.skip("ompi_info is not installed")
    words = ["ompi_info", "--param", "coll", "tuned", "--level", "9", "--parsable"]
    told = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
    if "coll_tuned" not in told:
        pytest.skip("ompi_info is that of a library without coll/tuned")
    seen = re.findall(r"coll_tuned_(\w+)_algorithm:enumerator:value:([1-9]\d*):(\S+)", told)
    by_call = {
        call: {name: int(number) for one, number, name in seen if one == call} for call in TABLE
    }
    assert by_call == {call: facts["numbers"] for call, facts in TABLE.items()}


@pytest.mark.mpi
@pytest.mark.slow
def test_the_library_cuts_messages_as_its_own_algorithm_does(cli, tmp_path, openmpi):
    choice = "bcast/native[algorithm=pipeline,segment=1024]"
    found = export(cli, tmp_path, rule(choice, ranks=3))
    native = openmpi.messages("bcast", 3, 8192, options_of(found))
    assert {pair: number for pair, (number, _) in native.pairs.items()} == {(0, 1): 8, (1, 2): 8}


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(("call", "choice"), ENTRIES)
def test_the_library_sends_the_messages_of_the_schedule(cli, tmp_path, openmpi, call, choice):
    is_refused = _core.refuses(choice, 5) or TABLE[call]["algorithms"][choice].get("ranks")
    num_ranks = 4 if is_refused else 5
    found = export(cli, tmp_path, rule(choice, call=call, ranks=num_ranks))
    native = openmpi.messages(call, num_ranks, num_ranks * 960, options_of(found))
    expected = ours(choice, num_ranks)
    if "library also sends" in found["exported"][0]["difference"]:
        # The same ranks send, and some of them send more.
        assert set(expected.pairs) <= set(native.pairs)
        return
    assert sorted(native.sent(num_ranks)) == sorted(expected.sent(num_ranks))


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "choice"), [("bcast", "bcast/chain"), ("allgatherv", "allgather/bruck")]
)
def test_the_library_follows_rules_from_the_first_to_the_last_byte(
    cli, tmp_path, openmpi, call, choice
):
    options = options_of(export(cli, tmp_path, rule(choice, 1024, 8191, call=call)))
    for num_ranks, num_bytes in ((4, 1020), (4, 1024), (4, 8192), (5, 1025)):
        native = openmpi.messages(call, num_ranks, num_bytes, options).pairs
        itself = openmpi.messages(call, num_ranks, num_bytes).pairs
        if num_ranks == 4 and 1024 <= num_bytes <= 8191:
            assert set(native) == set(ours(choice, num_ranks).pairs) != set(itself)
        else:
            assert native == itself, (num_ranks, num_bytes)
