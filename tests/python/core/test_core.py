# SPDX-License-Identifier: Apache-2.0
"""The compiled module: plain data in and out, errors as classes of the package."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading

import pytest
from places import repository

from espalier import _core, errors
from espalier.catalog import catalog
from espalier.io import documents


def test_version_is_that_of_the_package_and_of_the_build() -> None:
    declared = re.search(
        r"^  VERSION (\S+)$", (repository / "CMakeLists.txt").read_text(), re.MULTILINE
    )
    assert declared is not None
    assert _core.__version__ == declared[1]


def test_every_algorithm_says_what_it_is() -> None:
    kinds = {entry["name"]: entry for entry in _core.collectives()}
    for algorithm in _core.catalog():
        kind = kinds[algorithm["collective"]]
        assert algorithm["summary"]
        assert not algorithm["summary"].endswith(".")
        assert algorithm["source"]
        assert algorithm["rooted"] == kind["rooted"]
        assert bool(algorithm["orders"]) == kind["reduces"]
        assert set(algorithm["orders"]) <= {"any", "rank", "left"}


def test_collectives_are_all_there() -> None:
    names = [entry["name"] for entry in _core.collectives()]
    assert names[:2] == ["barrier", "bcast"]
    assert len(names) == 11
    rooted = [entry["name"] for entry in _core.collectives() if entry["rooted"]]
    assert rooted == ["bcast", "scatter", "gather", "reduce"]


@pytest.mark.parametrize("num_ranks", [1, 2, 7, 16])
@pytest.mark.parametrize(
    "collective", sorted({algorithm["collective"] for algorithm in _core.catalog()})
)
def test_every_variant_is_canonical_and_accepted(collective: str, num_ranks: int) -> None:
    variants = _core.variants(collective, num_ranks)
    assert variants
    for text in variants:
        assert _core.canonical(text) == text
        assert _core.refuses(text, num_ranks) == ""


def test_facts_equal_what_the_prover_counts() -> None:
    for text in ("allgather/ring", "bcast/binomial", "bcast/binomial[segments=3]"):
        facts = _core.facts(text, 7)
        verdict = _core.prove(text, 7)
        assert verdict["holds"]
        assert verdict["violation"] is None
        assert {key: facts[key] for key in ("rounds", "messages", "blocks")} == {
            key: verdict[key] for key in ("rounds", "messages", "blocks")
        }


def test_a_ring_sends_one_block_in_each_round() -> None:
    assert _core.largest_per_round("allgather/ring", 5) == [1, 1, 1, 1]
    assert _core.facts("allgather/ring", 5)["output_blocks"] == 5


def test_segments_count_as_pieces_of_the_result() -> None:
    facts = _core.facts("bcast/binomial[segments=4]", 2)
    assert facts == {"rounds": 4, "messages": 4, "blocks": 4, "scratch": 0, "output_blocks": 4}


def test_closed_form_is_what_is_counted() -> None:
    for text in ("allgather/bruck", "bcast/binomial", "bcast/chain[segments=3]"):
        assert _core.closed_form(text, 6) == _core.count(text, 6)
    assert _core.count("allgather/bruck", 6) == {"rounds": 3, "volume": 5, "reductions": 0}


def test_a_schedule_may_have_no_closed_form() -> None:
    assert _core.closed_form("bcast/scatter_allgather", 6) is None
    assert _core.count("bcast/scatter_allgather", 6)["rounds"] == 8


def test_ranks_are_placed_on_a_machine() -> None:
    placement = _core.place("node:2 core:3,1", "cyclic", 4)
    assert [level["name"] for level in placement["levels"]] == ["node", "core"]
    assert placement["levels"][0]["object_of_rank"] == [0, 1, 0, 0]
    assert placement["core_of_rank"] == [0, 3, 1, 2]


def test_messages_say_what_they_carry() -> None:
    assert _core.sent("allgather/ring", 2) == [
        {"round": 0, "sender": 0, "receiver": 1, "blocks": 1, "cargo": "0"},
        {"round": 0, "sender": 1, "receiver": 0, "blocks": 1, "cargo": "1"},
    ]


def test_programs_fit_their_schema_and_can_be_proved_again() -> None:
    texts = [_core.program_json("allgather/ring", 3, 0, rank) for rank in range(3)]
    for text in texts:
        documents.parse(text, "program", "espalier-program", 1)
    assert _core.verify_programs(texts, "allgather")["holds"]


def test_a_changed_program_is_refuted_with_rule_and_rank() -> None:
    texts = [_core.program_json("allgather/ring", 3, 0, rank) for rank in range(3)]
    program = json.loads(texts[1])
    send = next(operation for operation in program["operations"] if operation["kind"] == "send")
    # The block that arrives only in this round.
    send["slots"][0]["first"] = 0
    verdict = _core.verify_programs([texts[0], json.dumps(program), texts[2]], "allgather")
    violation = verdict["violation"]
    assert not verdict["holds"]
    assert violation is not None
    assert violation["rule"] in _core.rules()
    assert violation["rank"] == 1
    assert violation["text"]


def test_program_text_has_one_line_an_operation() -> None:
    program = json.loads(_core.program_json("bcast/binomial", 8, 3, 3))
    lines = _core.program_text("bcast/binomial", 8, 3, 3).strip().splitlines()
    assert len(lines) == 1 + len(program["operations"])
    assert lines[0].startswith("rank 3 of 8")


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: _core.canonical("allgather/nothing"), errors.ArgumentError, ["nothing", "ring"]),
        (lambda: _core.canonical("nothing"), errors.ArgumentError, ["collective/algorithm"]),
        (lambda: _core.canonical("allgather/ring[k=2]"), errors.ArgumentError, ["'k'"]),
        (lambda: _core.prove("allgather/ring", 4, 4), errors.ArgumentError, ["0 .. 3", "4"]),
        (lambda: _core.prove("allgather/ring", 0), errors.ArgumentError, ["at least 1"]),
        (lambda: _core.variants("alltoone", 4), errors.ArgumentError, ["alltoone", "bcast"]),
        (lambda: _core.check_profile("{"), errors.FormatError, ["profile"]),
        (lambda: _core.verify_programs(["{"], "bcast"), errors.FormatError, ["JSON"]),
        (lambda: _core.verify_programs(["{}"], "bcast"), errors.FormatError, ["program"]),
    ],
)
def test_errors_are_those_of_the_package(call: object, kind: type, words: list[str]) -> None:
    assert callable(call)
    with pytest.raises(kind) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_decisions_follow_the_rules(profile: dict[str, object]) -> None:
    text = json.dumps(profile)
    small, large = _core.decide(text, "allgather", 4, 1, [8191, 8192])
    assert (small["algorithm"], small["rule"], small["borrowed"]) == ("native", 0, False)
    assert (large["algorithm"], large["rule"], large["borrowed"]) == ("allgather/ring", 1, False)
    (borrowed,) = _core.decide(text, "allgather", 5, 1, [8192])
    assert borrowed["borrowed"]
    assert "4 ranks" in borrowed["reason"]
    (none,) = _core.decide(text, "bcast", 4, 1, [8])
    assert (none["algorithm"], none["rule"]) == ("native", None)


def test_module_loads_no_mpi() -> None:
    code = "import espalier._core; print(open('/proc/self/maps').read())"
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(repository / 'python')!r}); {code}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_core" in result.stdout
    assert "libmpi" not in result.stdout


def test_proving_lets_other_threads_work() -> None:
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=count)
    thread.start()
    _core.prove("allgather/ring", 512)
    during = ticks
    done.set()
    thread.join()
    assert during > 5


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("ring", {"allgather/ring"}),
        ("allgather/ring", {"allgather/ring"}),
        ("*/ring", {"allgather/ring"}),
        ("bin*", {"bcast/binomial"}),
        ("omial", {"bcast/binomial"}),
    ],
)
def test_patterns_find_algorithms(pattern: str, matches: set[str]) -> None:
    found = {catalog.full_name(algorithm) for algorithm in catalog.find(pattern)}
    assert matches <= found
    assert all(pattern.strip("*/") in name for name in found)


def test_a_whole_name_does_not_match_longer_ones() -> None:
    assert {entry["name"] for entry in catalog.find("ring")} == {"ring"}
