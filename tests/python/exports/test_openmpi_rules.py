# SPDX-License-Identifier: Apache-2.0
"""Rules for Open MPI: what the file says, and what the library then sends."""

from __future__ import annotations

import shlex

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


def test_operators_that_do_not_commute_are_cautioned_of(cli, tmp_path):
    assert not export(cli, tmp_path, rule("allreduce/recursive_doubling"))["cautions"]
    (text,) = export(cli, tmp_path, rule("allreduce/ring"))["cautions"]
    assert text.startswith("rules for allreduce are for operators that commute")


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
