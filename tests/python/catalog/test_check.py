# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from places import repository

from espalier import _core
from espalier.base.units import parse_integers
from espalier.catalog import catalog, extent, proofs
from espalier.errors import ArgumentError
from espalier.report.check import print_proofs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def test_the_whole_catalog_is_proved(cli: Callable) -> None:
    document = cli("check", "-p", "1-9,16", "--json").document()
    assert document["complete"]
    assert document["num_refuted"] == 0
    proved = {proof["algorithm"] for proof in document["proofs"]}
    assert proved == {catalog.full_name(algorithm) for algorithm in _core.catalog()}


def test_table_names_ranks_proofs_rounds_and_verdict(cli: Callable) -> None:
    result = cli("check", "allgather/ring", "-p", "1-5,8")
    assert result.code == 0
    row = next(line for line in result.out.splitlines() if line.startswith("allgather/ring"))
    words = row.split()
    assert words[:5] == ["allgather/ring", "1-5,8", "1", "6", "7"]
    assert words[-1] == "proved"
    assert result.out.splitlines()[-1].startswith("6 proved, in ")


def test_roots_of_a_broadcast(cli: Callable) -> None:
    def roots(*options: str) -> list[int]:
        document = cli(
            "check", "bcast/binomial[segments=2]", "-p", "9", "--json", *options
        ).document()
        return [proof["root"] for proof in document["proofs"]]

    assert roots() == [0, 1, 4, 8]
    assert roots("--roots", "all") == list(range(9))


def test_all_takes_every_root_of_few_ranks_and_segments(cli: Callable) -> None:
    document = cli("check", "bcast/binomial", "--all", "-p", "5,9,17", "--json").document()
    roots: dict[tuple[str, int], list[int]] = {}
    for proof in document["proofs"]:
        roots.setdefault((proof["choice"], proof["num_ranks"]), []).append(proof["root"])
    assert roots["bcast/binomial", 9] == list(range(9))
    assert roots["bcast/binomial", 17] == [0, 1, 8, 16]
    assert roots["bcast/binomial[segments=18]", 5] == list(range(5))
    assert ("bcast/binomial[segments=18]", 17) not in roots


def test_coverage_is_named(cli: Callable) -> None:
    result = cli("check", "bcast/binomial", "-p", "1-10")
    lines = result.out.splitlines()
    assert any(
        line.startswith("covered: 1 algorithm in ") and line.endswith("for 1-10 ranks")
        for line in lines
    )
    assert "  roots: all to 4 ranks, beyond the first, second, middle and last" in lines
    coverage = cli("check", "allgather/ring", "-p", "2,3", "--json").document()["coverage"]
    assert coverage == {
        "algorithms": ["allgather/ring"],
        "num_choices": 1,
        "num_in_segments": 0,
        "num_ranks": [2, 3],
        "every_root_to": None,
        "many_ranks": [],
        "equal_blocks_only": [],
    }


def test_all_proves_logarithmic_schedules_on_many_ranks() -> None:
    jobs = extent.plan("allgather", extent.everything)
    many = {
        num_ranks: {catalog.name_of(job.choice) for job in jobs if job.num_ranks == num_ranks}
        for num_ranks in (1000, 4096)
    }
    assert "allgather/bruck" in many[1000]
    assert "allgather/recursive_doubling" in many[4096]
    assert "allgather/ring" not in many[1000] | many[4096]
    assert {job.num_ranks for job in jobs} == {
        *extent.usual_ranks,
        *extent.awkward_ranks,
        1000,
        4096,
    }


def test_one_choice_with_arguments(cli: Callable) -> None:
    document = cli("check", "bcast/binomial[segments=5]", "-p", "4", "--json").document()
    assert {proof["choice"] for proof in document["proofs"]} == {"bcast/binomial[segments=5]"}


def test_numbers_that_an_algorithm_refuses_are_left_out(cli: Callable) -> None:
    choices = [name for name in _core.variants("allgather", 4) if _core.refuses(name, 3)]
    if not choices:
        pytest.skip("every algorithm of the catalog accepts 3 ranks")
    name = catalog.name_of(choices[0])
    document = cli("check", choices[0], "-p", "3,4", "--json").document()
    assert [proof["num_ranks"] for proof in document["proofs"]] == [4]
    refused = cli("check", choices[0], "-p", "3")
    assert refused.code == 2
    assert "got 3" in refused.err
    assert name in refused.err


def _broken_programs(path: Path) -> None:
    programs = [json.loads(_core.program_json("allgather/ring", 3, 0, rank)) for rank in range(3)]
    del programs[2]["operations"][-1]
    document: dict[str, Any] = {
        "schema": "espalier-programs",
        "version": 1,
        "collective": "allgather",
        "algorithm": "allgather/mine",
        "num_ranks": 3,
        "root": 0,
        "programs": programs,
    }
    path.write_text(json.dumps(document))


def test_refuted_programs_give_exit_code_1_and_say_where(cli: Callable, tmp_path: Path) -> None:
    path = tmp_path / "programs.json"
    _broken_programs(path)
    result = cli("check", "--programs", path)
    assert result.code == 1
    assert "REFUTED (1)" in result.out
    assert "allgather/mine p = 3, root 0: rule unmatched" in result.out
    document = cli("check", "--programs", path, "--json").document()
    assert document["num_refuted"] == 1
    violation = document["proofs"][0]["violation"]
    assert violation["rule"] == "unmatched"
    assert violation["text"] in result.out


def _refuted(num_ranks: int, text: str, rule: str = "holds") -> dict[str, Any]:
    return {
        "algorithm": "bcast/mine",
        "choice": "bcast/mine",
        "num_ranks": num_ranks,
        "root": 0,
        "verdict": "refuted",
        "rounds": None,
        "violation": {"rule": rule, "rank": 1, "operation": 2, "text": text},
        "seconds": 0.1,
    }


def test_violations_that_differ_in_numbers_only_are_told_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    proofs = [_refuted(ranks, f"rank 1 sends block {ranks} too early") for ranks in range(3, 34)]
    proofs += [_refuted(5, "rank 1 writes block 3 twice"), _refuted(7, "rank 1", "matching")]
    counts = {"num_wanted": 33, "num_proved": 0, "num_refuted": 33}
    print_proofs({"proofs": proofs, "seconds": 1.0, **counts})
    out = capsys.readouterr().out
    assert out.count("too early") == 1
    assert "bcast/mine p = 3, root 0: rule holds, rank 1, operation 2" in out
    assert "rank 1 sends block 3 too early" in out
    assert "the same, with other numbers, in 30 more proofs: 4-33 ranks" in out
    assert "writes block 3 twice" in out
    assert "rule matching" in out


def test_programs_written_by_show_are_proved(cli: Callable, tmp_path: Path) -> None:
    path = tmp_path / "programs.json"
    cli("show", "bcast/binomial", "-p", 5, "--root", 3, "--form", "json", "-o", path)
    document = cli("check", "--programs", path, "--json").document()
    assert (document["num_proved"], document["num_refuted"]) == (1, 0)


@pytest.mark.parametrize(
    "collective", sorted({algorithm["collective"] for algorithm in _core.catalog()})
)
def test_programs_of_each_collective_are_proved_with_what_they_promise(
    cli: Callable, tmp_path: Path, collective: str
) -> None:
    path = tmp_path / "programs.json"
    for choice in _core.variants(collective, 6):
        cli("show", choice, "-p", 6, "--form", "json", "-o", path)
        document = cli("check", "--programs", path, "--json").document()
        assert (document["num_proved"], document["num_refuted"]) == (1, 0), choice


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", ["expected JSON"]),
        ("[]", ["schema 'espalier-programs'"]),
        ('{"schema": "espalier-profile", "version": 1}', ["espalier-profile"]),
        ('{"schema": "espalier-programs", "version": 2}', ["version 1 at most, got 2"]),
        ('{"schema": "espalier-programs", "version": 1}', ["collective"]),
    ],
)
def test_bad_program_files_are_exit_code_2(
    cli: Callable, tmp_path: Path, content: str, words: list[str]
) -> None:
    path = tmp_path / "programs.json"
    path.write_text(content)
    result = cli("check", "--programs", path)
    assert result.code == 2
    assert result.err.count("\n") == 1
    for word in [str(path), *words]:
        assert word in result.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["-p", "0"],
        ["-p", "5-3"],
        ["-p", "x"],
        ["allgather/ring[k=1]"],
        ["--roots", "some"],
        ["ring", "--programs", "file"],
        ["allgather/ring", "-p", "100000"],
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(cli: Callable, arguments: list[str]) -> None:
    result = cli("check", *arguments)
    assert result.code == 2
    assert result.out == ""
    assert result.err.count("\n") == 1


def test_interruption_prints_what_was_proved(
    cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prove_two(jobs: list[proofs.Job]) -> Iterator[tuple[proofs.Job, proofs.Proof]]:
        for job in jobs[:2]:
            yield job, proofs.prove(job)
        raise KeyboardInterrupt

    monkeypatch.setattr(proofs, "prove_all", prove_two)
    result = cli("check", "allgather/ring", "-p", "1-5")
    assert result.code == 130
    assert "2 proved, 3 not tried (interrupted)" in result.out
    assert result.err == "espalier: interrupted\n"
    document = json.loads(cli("check", "allgather/ring", "-p", "1-5", "--json").out)
    assert not document["complete"]
    assert len(document["proofs"]) == 2


def test_ctrl_c_ends_the_process_at_once_without_traceback() -> None:
    # Far more work than the time limit of this test allows.
    command = [sys.executable, "-m", "espalier", "check", "allgather/ring", "-p", "900-1100"]
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(repository / "python")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        deadline = time.monotonic() + 20
        tasks = Path(f"/proc/{running.pid}/task")
        while len(list(tasks.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert "not tried (interrupted)" in out
    assert err.splitlines()[-1] == "espalier: interrupted"
    assert "Traceback" not in err


def test_lists_of_integers() -> None:
    assert parse_integers("1-3,8,2", "ranks") == [1, 2, 3, 8]
    for text in ("", "3-1", "0", "-1", "1..3", "1,,2"):
        with pytest.raises(ArgumentError):
            parse_integers(text, "ranks")
