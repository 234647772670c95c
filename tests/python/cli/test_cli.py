# SPDX-License-Identifier: Apache-2.0
"""What all verbs have in common."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import jsonschema
import pytest
from places import repository

from espalier import __version__
from espalier import cli as command_line
from espalier.base import units
from espalier.cli import app
from espalier.errors import ArgumentError, Error, FileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCHEMAS = sorted((repository / "python" / "espalier" / "schemas").glob("*.json"))


def test_help_lists_the_verbs_in_time(process: Callable) -> None:
    # Processor time, which other work on the machine does not lengthen much.
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = process("--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert result.code == 0
    assert all(f"\n  {verb} " in result.out for verb in app.verbs)
    assert seconds < 0.3


def test_no_argument_is_help(cli: Callable) -> None:
    result = cli()
    assert (result.code, result.err) == (0, "")
    assert result.out == cli("--help").out


def test_version(cli: Callable) -> None:
    assert cli("--version").out == f"espalier {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["nothing"], "no such command 'nothing'; see espalier --help"),
        (["--nothing"], "no such option: --nothing; see espalier --help"),
        (["list", "--nothing"], "no such option: --nothing; see espalier list --help"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    cli: Callable, arguments: list[str], text: str
) -> None:
    result = cli(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"espalier: {text}\n"


@pytest.mark.parametrize("launcher", ["mpirun", "/opt/mpi/bin/mpiexec"])
def test_a_command_without_two_dashes_is_recognised(cli: Callable, launcher: str) -> None:
    result = cli("run", launcher, "-n", "4", "./app")
    assert result.code == 2
    assert result.err.endswith(f"; put -- in front of the program's command: -- {launcher} ...\n")


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Make `espalier list` raise."""

    def install(error: BaseException) -> None:
        def fail(pattern: str | None) -> None:  # noqa: ARG001
            raise error

        monkeypatch.setattr("espalier.catalog.catalog.listing", fail)

    return install


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (ArgumentError("expected a, got b", "do c"), 2, "expected a, got b; do c"),
        (FileError("x: not there"), 1, "x: not there"),
        (Error("the program failed", exit_code=7), 7, "the program failed"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_errors_are_one_line_with_their_exit_code(
    cli: Callable, failing: Callable, error: BaseException, code: int, text: str
) -> None:
    failing(error)
    result = cli("list")
    assert (result.code, result.out, result.err) == (code, "", f"espalier: {text}\n")


def test_debug_shows_where_an_error_comes_from(cli: Callable, failing: Callable) -> None:
    failing(ArgumentError("expected a, got b"))
    result = cli("list", "--debug")
    assert result.code == 2
    assert "Traceback" in result.err
    assert result.err.endswith("espalier: expected a, got b\n")


def test_debug_after_two_dashes_belongs_to_the_program() -> None:
    assert app._take_debug(["run", "--debug", "--", "x", "--debug"]) == (
        True,
        ["run", "--", "x", "--debug"],
    )
    assert app._take_debug(["run", "--", "--debug"]) == (False, ["run", "--", "--debug"])


def test_a_defect_is_one_line_that_says_where(cli: Callable, failing: Callable) -> None:
    failing(ZeroDivisionError("division by zero"))
    result = cli("list")
    assert result.code == 1
    assert result.err.startswith("espalier: internal error: ZeroDivisionError: division by zero (")
    assert result.err.count("\n") == 1


def test_a_missing_module_says_what_to_do(process: Callable, tmp_path: Path) -> None:
    result = process("list", ESPALIER_BUILD_DIR=str(tmp_path))
    if not result.code:
        pytest.skip("the compiled module is installed in the package")
    assert result.code == 1
    assert result.err.count("\n") == 1
    assert "run make build" in result.err


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = [sys.executable, "-m", "espalier", "check", "-p", "1-12", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(repository / "python")}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        running.stdout.close()
        assert running.stderr is not None
        assert running.stderr.read() == b""
        assert running.wait(timeout=20) == 128 + signal.SIGPIPE


def test_sigterm_ends_with_its_exit_code() -> None:
    code = (
        "import os, signal, espalier.catalog.catalog as catalog\n"
        "def wait(pattern):\n"
        "    try: os.kill(os.getpid(), signal.SIGTERM)\n"
        "    finally: os.write(1, b'cleaned')\n"
        "catalog.listing = wait\n"
        "from espalier.cli import main\n"
        "raise SystemExit(main(['list']))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(repository / "python")},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (143, "cleaned", "")


def test_every_verb_offers_help_and_json(cli: Callable) -> None:
    for verb in ("doctor", "list", "show", "check", "explain"):
        result = cli(verb, "--help")
        assert result.code == 0
        assert "--json" in result.out


@pytest.mark.parametrize(
    ("verb", "own", "others"),
    [
        ("tune run", ["--confidence", "--mpi", "150s", "0.02", ".db"], ["--machine", "--peer"]),
        ("tune simulate", ["--machine", "--peer", "no limit", "0.0", ".db"], ["--mpi", "--seed"]),
        ("simulate program", ["--force", "--source"], ["--sizes", "--store"]),
        ("simulate collectives", ["--sizes", ".db"], ["--force", "--no-espalier", "--cost"]),
        ("peers run", ["--mpi", "60s", "4;"], ["--under", "--platform", "--store"]),
        ("peers simulate", ["--under", "block", ".db"], ["--mpi", "--platform", "--time-budget"]),
        ("peers experiment", ["--platform", ".db"], ["--machine", "--sizes", "--under", "--mpi"]),
    ],
)
def test_help_has_the_options_of_the_verb_alone_and_their_defaults(
    cli: Callable, verb: str, own: list[str], others: list[str]
) -> None:
    result = cli(*verb.split(), "--help")
    assert (result.code, result.err) == (0, "")
    # Long defaults are broken anywhere.
    text = "".join(result.out.split())
    assert [word for word in own if word.replace(" ", "") not in text] == []
    assert [word for word in others if word in result.out] == []


def test_the_package_offers_the_entry_point_of_the_wheel() -> None:
    assert 'espalier = "espalier.cli:main"' in (repository / "pyproject.toml").read_text()
    assert callable(command_line.main)


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_schemas_are_valid_and_named_after_what_they_describe(path: Path) -> None:
    schema = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    _, project, name, version = schema["$id"].split(":")
    assert project == "espalier"
    assert path.name == f"{name}-{version}.schema.json"
    if "properties" in schema:
        assert schema["properties"]["schema"]["const"] == f"espalier-{name}"
        assert schema["properties"]["version"]["const"] == int(version)


@pytest.mark.parametrize(
    ("num_bytes", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.50 KiB"),
        (65536, "64 KiB"),
        (1048575, "1.00 MiB"),
        (1268776, "1.21 MiB"),
        (1 << 40, "1 TiB"),
    ],
)
def test_sizes(num_bytes: int, text: str) -> None:
    assert units.bytes_text(num_bytes) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (312e-9, "312 ns"),
        (4.1e-6, "4.10 us"),
        (9.999e-6, "10.0 us"),
        (0.99999e-3, "1.00 ms"),
        (1.234, "1.23 s"),
        (125.0, "2 min 5 s"),
    ],
)
def test_times(seconds: float, text: str) -> None:
    assert units.time_text(seconds) == text


def test_intervals_have_one_unit() -> None:
    assert units.interval_text(0.96e-6, 4.2e-6) == "0.960 .. 4.20 us"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0, 8191, "0 B .. <8 KiB"),
        (512, 1023, "512 B .. <1 KiB"),
        (8, 15, "8 B .. <16 B"),
        (0, 1000, "0 B .. 1000 B"),
        (8, 8, "8 B"),
        (0, None, "0 B ..."),
    ],
)
def test_ranges_of_sizes(low: int, high: int | None, text: str) -> None:
    assert units.bytes_range_text(low, high) == text


@pytest.mark.parametrize(
    ("text", "num_bytes"),
    [("8", 8), ("8B", 8), ("64KiB", 65536), ("64K", 65536), ("64 kb", 64000), ("1.5MiB", 1572864)],
)
def test_sizes_are_read(text: str, num_bytes: int) -> None:
    assert units.parse_bytes(text) == num_bytes


@pytest.mark.parametrize("text", ["", "x", "8XiB", "-1", "1.5", "1e3", "KiB"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="expected"):
        units.parse_bytes(text)


def test_lists_of_sizes() -> None:
    assert units.parse_bytes_list("8..100,1MiB") == [8, 16, 32, 64, 100, 1048576]
    for text in ("8..4", "0..8", "8.."):
        with pytest.raises(ArgumentError):
            units.parse_bytes_list(text)


def test_shells_complete_verbs_and_options(process: Callable) -> None:
    def completed(line: str) -> list[str]:
        asked = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        return process(_ESPALIER_COMPLETE="complete_bash", **asked).out.split()

    assert completed("espalier pro") == ["probe", "profile"]
    assert "--profile" in completed("espalier run --pro")
