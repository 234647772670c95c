# SPDX-License-Identifier: Apache-2.0
"""Input that is odd but a user's own: one line says what is wrong, if anything is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from places import repository

from espalier.base import units
from espalier.errors import ArgumentError
from espalier.io.names import printable

if TYPE_CHECKING:
    from collections.abc import Callable

# A byte that is not UTF-8, as Python gives it.
_BYTE = os.fsdecode(b"\xff")
_ODD = f"odd{_BYTE}.json"
_MACHINE = "2n[latency=1us,overhead=200ns,bandwidth=1GB/s] x 2c[latency=300ns,bandwidth=4GB/s]"
_MANY = 99_999_999_999_999


@pytest.fixture
def odd(tmp_path: Path, profile_file: Path, cli: Callable, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a profile, the same with an odd name, and a machine with an odd name."""
    monkeypatch.chdir(tmp_path)
    Path(_ODD).write_bytes(profile_file.read_bytes())
    assert cli("machine", _MACHINE, "-o", f"machine{_ODD}").code == 0
    return tmp_path


def test_names_of_bytes_that_are_no_text_can_be_printed() -> None:
    assert printable(f"a{_BYTE}.json") == "a?.json"
    assert printable(Path("n\u00f6.json")) == "n\u00f6.json"


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    "words",
    [
        ("profile", "show", _ODD),
        ("profile", "check", _ODD),
        ("profile", "merge", _ODD, "profile.json", "-o", f"merged{_BYTE}.json"),
        ("explain", _ODD),
        ("machine", f"machine{_ODD}"),
        (
            "model",
            "profile",
            "--machine",
            f"machine{_ODD}",
            "--collectives",
            "bcast",
            "-o",
            "a.json",
        ),
        ("model", "profile", "--machine", _MACHINE, "--collectives", "bcast", "-o", f"a{_ODD}"),
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_files_may_be_called_so(cli: Callable, words: tuple[str, ...], form: tuple[str]) -> None:
    result = cli(*words, *form)
    assert "internal error" not in result.err
    assert result.code == 0, result.err
    if form:
        assert result.document()


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    "words",
    [
        ("machine", f"4n{_BYTE}"),
        ("machine", "4n", "--placement", _BYTE),
        ("explain", "profile.json", "--collective", _BYTE),
        ("explain", f"none{_ODD}"),
        ("profile", "show", f"none{_ODD}"),
    ],
)
def test_words_that_are_no_text_are_refused_in_one_line(
    cli: Callable, words: tuple[str, ...]
) -> None:
    result = cli(*words)
    assert result.code in {1, 2}
    assert result.err.startswith("espalier: ")
    assert "expected" in result.err
    assert "internal error" not in result.err


def test_a_file_with_such_a_name_may_be_wrong(odd: Path, cli: Callable) -> None:
    (odd / _ODD).write_text('{"schema": "espalier-profile"}')
    for verb in (("profile", "show"), ("explain",)):
        result = cli(*verb, _ODD)
        assert result.code == 2
        assert "odd?.json: expected a member 'version', got none" in result.err


def run(*words: str, **files: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "espalier", *words],
        env={**os.environ, "PYTHONPATH": str(repository / "python"), "PYTHONUTF8": "1"},
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
        **files,
    )


@pytest.mark.usefixtures("odd")
def test_such_names_are_printed_as_they_are() -> None:
    found = run("profile", "check", _ODD, stdout=subprocess.PIPE)
    assert (found.returncode, found.stderr) == (0, b"")
    assert b"odd\xff.json: 2 rules" in found.stdout


@pytest.mark.parametrize("is_unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [("list",), ("machine", "4n", "--json"), ("--help",)])
def test_a_full_disk_is_one_line(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], is_unbuffered: str
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", is_unbuffered)
    with Path("/dev/full").open("wb") as full:
        found = run(*words, stdout=full)
    assert found.returncode == 1
    assert found.stderr.decode() == (
        "espalier: expected to write standard output, got 'No space left on device';"
        " free space there, or write elsewhere\n"
    )


@pytest.mark.parametrize("text", ["9" * 310, "9" * 5000, "1" + 309 * "0" + "GiB", "8388608TiB"])
def test_sizes_that_no_file_can_have_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="expected a size below 8 EiB, got") as found:
        units.parse_bytes(text)
    assert len(str(found.value)) < 100
    assert units.parse_bytes("4194304TiB") == 1 << 62


def test_numbers_that_are_no_ranks_are_refused() -> None:
    for text in (f"{_MANY}", f"1-{_MANY}", "9" * 5000):
        with pytest.raises(ArgumentError, match="expected ranks up to 2147483647, got"):
            units.parse_integers(text, "ranks")


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("explain", "profile.json", "-p", _MANY), "--ranks"),
        (("explain", "profile.json", "-p", 4, "--nodes", _MANY), "--nodes"),
        (("explain", "profile.json", "--bytes", "9" * 310), "a size below 8 EiB"),
        (("machine", "4n", "-p", _MANY), "--ranks"),
        (("show", "allgather/ring", "-p", _MANY), "--ranks"),
        (("show", "bcast/flat", "--root", _MANY), "--root"),
        (("check", "allgather/ring", "-p", _MANY), "numbers of ranks up to 2147483647"),
    ],
)
def test_numbers_that_are_too_large_are_refused_in_one_line(
    cli: Callable, words: tuple[object, ...], option: str
) -> None:
    result = cli(*words)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert option in result.err
