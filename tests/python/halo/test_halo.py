# SPDX-License-Identifier: Apache-2.0
"""`espalier halo`: inputs, grids on machines, simulated and real exchanges, reports."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import tomllib
from places import repository

from espalier import installation
from espalier.halo import levels, measurement
from espalier.io import documents, schemas
from espalier.launch.samples import SampleReader
from espalier.report.halo import dims_text, halo_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

METHODS = """
factors 1 64
repetitions 2 3
seconds 60
method 1 grid 1 2 4
method 2 grid 1 2 4
method 3 grid 1 2 4
method 4 grid 1 2 4 weights 4 1 1
method 5 grid 1 2 4 dims_ml 2x1 1x2 1x2
method 1 grid 2 3 periodic 1 0 strided 2/5 0/0
"""
# Inside a node messages are four times as fast, and a node sends one at a time.
MACHINE = (
    "2n[latency=1us,bandwidth=1GB/s,channels=1,eager=8KiB]"
    " x 4c[latency=1us,bandwidth=4GB/s,eager=8KiB]"
)

simulated = pytest.mark.skipif(
    shutil.which("smpirun") is None or installation.halo_program("smpi") is None,
    reason="no SimGrid, or espalier-halo-smpi is not built",
)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write an input file."""

    def write_text(text: str) -> Path:
        path = tmp_path / "halo.txt"
        path.write_text(text)
        return path

    return write_text


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Simulate all methods once."""
    from espalier.cli import main  # noqa: PLC0415

    folder = tmp_path_factory.mktemp("halo")
    (folder / "halo.txt").write_text(METHODS)
    output = folder / "out.json"
    code = main(["halo", str(folder / "halo.txt"), "--machine", MACHINE, "-o", str(output)])
    assert code == 0
    return documents.read(output, "espalier-halo", 1)


def test_input_is_read(write: Callable[[str], Path]) -> None:
    given = measurement.read_input(write(METHODS))
    assert given.content["factors"] == [1, 64]
    assert [case["method"] for case in given.content["groups"][0]["cases"]] == [1, 2, 3, 4, 5]
    assert given.content["groups"][1]["strides"] == [[2, 5], [0, 0]]
    assert given.num_points == 4


def test_wrong_input_names_the_line(cli: Callable[..., Any], write: Callable[[str], Path]) -> None:
    path = write("factors 1\nmethod 1 grid 2 -2\n")
    result = cli("halo", path, "--machine", "4c")
    assert result.code == 2
    assert f"{path}:2: expected grid to be integers of 1 to 1000000, got '-2'" in result.err


@pytest.mark.parametrize("words", [[], ["--machine", "4c", "--", "mpirun", "-n", "2"]])
def test_machine_or_launcher(
    cli: Callable[..., Any], write: Callable[[str], Path], words: list[str]
) -> None:
    result = cli("halo", write(METHODS), *words)
    assert result.code == 2
    assert "expected either --machine or a launcher" in result.err


def test_blocks_have_parts() -> None:
    # Two nodes of two packages of two ranks on 4 x 2: nodes cut the first dimension.
    nodes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    packages = np.array([[0, 1], [0, 1], [2, 3], [2, 3]])
    assert levels.parts([4, 2], [nodes, packages]) == [[2, 1, 2], [1, 2, 1]]


def test_what_is_no_block_has_no_parts() -> None:
    # A package of four ranks is a row and a third of 4 x 3.
    nodes = np.zeros((4, 3), dtype=np.int64)
    packages = (np.arange(12) // 4).reshape(4, 3)
    assert levels.parts([4, 3], [nodes, packages]) == [[1, None, None], [1, None, None]]
    assert dims_text([4, 3], [[1, None, None], [1, 3, 1]]) == "4=1x(4) 3=1x3x1"


def test_interleaved_groups_are_no_blocks() -> None:
    nodes = np.array([0, 1, 0, 1])
    assert levels.parts([4], [nodes]) == [[None, None]]


def test_cut_counts_messages() -> None:
    nodes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    # One border inside and one round the end, two messages each way.
    assert levels.cut(nodes, [True, True]) == (8, 4)
    assert levels.cut(nodes, [False, True]) == (4, 2)
    # Both neighbours are the same one: two messages.
    assert levels.cut(np.array([[0], [1]]), [True, True]) == (4, 2)


def test_half_a_line_is_left_for_later(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    point = {"kind": "point", "group": 0, "factor": 1, "exchanges_per_sample": 1, "cases": []}
    path.write_text(json.dumps(point) + "\n" + '{"kind": "end", "poi')
    reader = SampleReader(path, "espalier-halo")
    assert (reader.read_new(), reader.is_complete) == (1, False)
    with path.open("a") as file:
        file.write('nts_left": 3}\n')
    assert (reader.read_new(), reader.is_complete) == (0, True)
    assert reader.found.points_left == 3


@simulated
def test_methods_lie_as_they_should(found: dict[str, Any]) -> None:
    cases = found["groups"][0]["cases"]
    assert [case["method"] for case in cases] == [1, 2, 3, 4, 5]
    texts = [dims_text(case["dims"], case["levels"]["dims_ml"]) for case in cases]
    assert texts[0] == "2=2x1 2=1x2 2=1x2"
    # The grid is longest in the last dimension: 1 2 4 gives 1 x 2 x 4, cut by nodes across it.
    assert texts[2] == "1=1x1 2=1x2 4=2x2"
    assert texts[3] == "1=1x1 4=2x2 2=1x2"
    assert texts[4] == "2=2x1 2=1x2 2=1x2"
    assert cases[0]["cut"] == {"total": 16, "worst": 8}
    assert cases[2]["cut"] == {"total": 8, "worst": 4}


@simulated
def test_simulated_times_are_exact(found: dict[str, Any]) -> None:
    small, large = found["groups"][0]["sizes"]
    assert (small["factor"], large["factor"]) == (1, 64)
    assert all(case["is_verified"] for case in small["cases"])
    # 1 2 4 points for each of 8 processes: 128 x 256 x 512 points on 2 x 2 x 2 processes.
    first = large["cases"][0]
    assert first["local"] == [64, 128, 256]
    assert first["message_bytes"] == [4 * 128 * 256, 4 * 64 * 256, 4 * 64 * 128]
    assert first["bytes"] == 2 * sum(first["message_bytes"])
    # Four ranks of a node send two faces each through one channel: 1 byte takes 1 ns.
    assert first["median_us"] > 8 * first["message_bytes"][0] * 1e-3
    # Weights from the grid send a quarter of that: four faces of 128 x 128.
    third = large["cases"][2]
    assert third["local"] == [128, 128, 128]
    assert third["median_us"] < first["median_us"]
    assert third["relative"] == pytest.approx(third["median_us"] / first["median_us"])
    seconds = first["median_us"] * 1e-6
    assert first["bandwidth_bytes_per_s"] == pytest.approx(2 * first["bytes"] / 6 / seconds)


@simulated
def test_strided_halos_are_moved_and_checked(found: dict[str, Any]) -> None:
    group = found["groups"][1]
    assert group["is_periodic"] == [True, False]
    assert group["sizes"][0]["cases"][0]["is_verified"]
    # 8 processes as 4 x 2: 2 * 8^(1/2) is 5.7, so 1 x 4 points; 4 floats are two blocks of two.
    assert group["sizes"][0]["cases"][0]["local"] == [1, 4]
    assert group["sizes"][0]["cases"][0]["message_bytes"] == [16, 4]


@simulated
def test_report_shows_methods_and_parts(found: dict[str, Any]) -> None:
    titles = [section.title for section in halo_report(found).sections]
    assert titles[:3] == ["Grid 1x2x4 for each process", "Times of an exchange", "Sizes"]
    assert "Grid 2x3 for each process, periodic 1 0, strided 2/5 0/0" in titles
    rows = halo_report(found).sections[1].grids[0].rows
    assert [row[1] for row in rows] == ["5", "6", "7", "8", "9"] * 2
    assert rows[0][6] == "100 %"


@simulated
def test_impossible_case_is_left_out(cli: Callable[..., Any], write: Callable[[str], Path]) -> None:
    path = write("factors 1\nmethod 5 grid 2 2 dims_ml 3x1 1x1\nmethod 2 grid 2 2\n")
    result = cli("halo", path, "--machine", "2n x 2c", "--json")
    assert result.code == 0
    document = result.document()
    assert document["problems"][0].startswith("line 2 is refused: ")
    assert [case["line"] for case in document["groups"][0]["cases"]] == [3]
    assert document["groups"][0]["sizes"][0]["cases"][0]["case"] == 0


@simulated
def test_program_writes_what_its_schema_says(write: Callable[[str], Path], tmp_path: Path) -> None:
    from espalier.clusters import SimulatedCluster  # noqa: PLC0415

    path = write("factors 1\nmethod 1 grid 2 2\nmethod 5 grid 2 2 dims_ml 9x1 1x1\n")
    output = tmp_path / "samples.jsonl"
    program = installation.halo_program("smpi")
    with SimulatedCluster("4c", 4) as cluster:
        ended = cluster.run([str(program), "--plan", str(path), "--output", str(output)])
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    validator = schemas.validator("espalier-halo-samples", 1)
    for line in lines:
        validator.validate(line)
    assert [line["kind"] for line in lines] == ["header", "case", "error", "point", "end"]


@pytest.mark.mpi
@pytest.mark.parametrize("vendor", ["openmpi", "mpich"])
def test_real_exchange_is_right(
    cli: Callable[..., Any],
    write: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    vendor: str,
) -> None:
    launcher = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.mpich"}[vendor]
    if shutil.which(launcher) is None or installation.halo_program(vendor) is None:
        pytest.skip(f"espalier-halo-{vendor} is not built")
    words = ["-n", "2"]
    if vendor == "openmpi":
        monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
        monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        words = ["--oversubscribe", "--bind-to", "none", "--mca", "btl", "vader,self", "-n", "4"]
    elif (folder := installation.build_folder()) is not None:
        preload = folder / "lib" / "libespalier_yield_ucx.so"
        words += ["-genv", "LD_PRELOAD", str(preload)] if preload.is_file() else []
    dims_ml = "dims_ml 2x1 1x1 1x2" if vendor == "openmpi" else "dims_ml 2x1 1x1 1x1"
    text = METHODS.replace("dims_ml 2x1 1x2 1x2", dims_ml)
    result = cli("halo", write(text), "--json", "--", launcher, *words)
    assert result.code == 0, result.err
    document = result.document()
    assert document["problems"] == []
    cases = [
        case for group in document["groups"] for size in group["sizes"] for case in size["cases"]
    ]
    assert len(cases) == 2 * 6
    assert all(case["is_verified"] for case in cases)
    assert os.environ.get("ESPALIER_OFF") is None


@simulated
def test_published_factorisations_come_out(
    cli: Callable[..., Any], write: Callable[[str], Path]
) -> None:
    folder = repository / "benchmarks" / "reproduce" / "weighted-cartesian"
    experiment = tomllib.loads((folder / "experiments.toml").read_text(encoding="utf-8"))
    lines = (folder / experiment["input"]).read_text(encoding="utf-8").splitlines()
    # Every row prints the processes of method 3.
    text = "\n".join(["factors 1", *(line for line in lines if line.startswith("method 3"))])
    machine = experiment["machine"].format(nodes=8, rate=experiment["rate"])
    document = cli("halo", write(text), "--machine", machine, "--json").document()
    rows = [row for row in experiment["published"] if row["nodes"] == 8]
    assert [group["grid"] for group in document["groups"]] == [row["grid"] for row in rows]
    for row, group in zip(rows, document["groups"], strict=True):
        (case,) = group["cases"]
        assert dims_text(case["dims"], case["levels"]["dims_ml"]) == row["dims"][2]
        assert group["sizes"][0]["cases"][0]["is_verified"]
