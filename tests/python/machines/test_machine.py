# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import dataclasses
import json
import os
import platform
import re
from typing import TYPE_CHECKING, Any

import pytest
from places import repository

from espalier import _core
from espalier.errors import ArgumentError, FileError, FormatError, UnsupportedError
from espalier.io import documents
from espalier.machines import machines, sources

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

data = repository / "tests" / "data" / "machines"
LINKS = "2n[latency=2us,bandwidth=10GB/s,channels=2] x 3c[latency=300ns,bandwidth=20GB/s]"


def _with(**members: Any) -> machines.Machine:
    """Return the machine of LINKS with other members in its file."""
    return machines.of_document({**machines.load(LINKS).document, **members})


def _file(path: Path, **members: Any) -> Path:
    path.write_text(_with(**members).text, encoding="utf-8")
    return path


@pytest.mark.parametrize("columns", [80, 120])
def test_levels_costs_and_placements(
    cli: Callable, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = cli("machine", LINKS)
    assert (result.code, result.err) == (0, "")
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert lines[0] == f"Machine {LINKS}"
    assert lines[1] == "Cores 6 on 2 nodes"
    assert "node 2" in lines
    assert "core 6 3 in a node" in lines
    assert "between alpha bandwidth channels" in lines
    assert "node 2.00 us 10.0 GB/s 2" in lines
    assert "core 300 ns 20.0 GB/s -" in lines
    assert "block 0 0 0 1 1 1" in lines
    assert "cyclic 0 1 0 1 0 1" in lines
    assert "cyclic:2 0 0 1 1 0 1" in lines
    assert "folded 0 1 1 0 0 1" in lines
    assert max(map(len, result.out.splitlines())) <= max(columns, len(lines[0]) + 2)
    assert "Caution" not in result.out


def test_speed_of_cores(cli: Callable) -> None:
    out = cli("machine", "2n x 4c[combine=4GB/s,copy=8GB/s]").out
    assert "Cores     8 on 2 nodes, combine 4.00 GB/s, copy 8.00 GB/s\n" in out
    assert "Cores     8 on 2 nodes, copy 500 MB/s\n" in cli("machine", "2n x 4c[copy=0.5GB/s]").out


def test_torus_and_uneven_nodes(cli: Callable) -> None:
    out = cli("machine", "torus 2x2[hop=50ns,link_bandwidth=5GB/s] core:8,8,8,4").out
    assert "Torus     2 x 2, 50.0 ns a hop, links 5.00 GB/s\n" in out
    assert "4 .. 8 in a node" in out
    assert "Cores     28 on 4 nodes" in out


def test_file_is_written_and_read_back(cli: Callable, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    first = cli("machine", LINKS, "-o", path)
    assert first.err == f"wrote {path}\n"
    document = documents.read(path, machines.schema, machines.version)
    assert document["levels"][0]["link"]["bandwidth_bytes_per_s"] == 10e9
    assert document["origin"] == {"found_by": "text", "text": LINKS}
    assert cli("machine", path).out == first.out
    assert cli("machine", path, "--json").out == path.read_text(encoding="utf-8")


def test_json_is_a_machine_file(cli: Callable) -> None:
    document = cli("machine", "fattree 2x4x8 x 12c", "--json").document()
    assert document["schema"] == "espalier-machine"
    names = [(level["name"], level["counts"]) for level in document["levels"]]
    assert names == [("switch1", [2]), ("switch2", [4]), ("node", [8]), ("core", [12])]


def test_levels_count_objects() -> None:
    machine = machines.parse("switch:2 node:1,2 core:3,1,2 thread:2")
    assert [level.num_objects for level in machine.levels] == [2, 3, 6, 12]
    assert machine.num_cores == 12
    assert machines.cores_of_nodes(machine) == [6, 2, 4]
    assert machines.cores_of_nodes(machines.parse("5c")) == [1] * 5
    assert machine.levels[0].link == machines.Link()
    assert machines.parse(LINKS).levels[1].link.alpha_us == 0.3


def test_job_of_a_file_is_the_usual_placement(cli: Callable, tmp_path: Path) -> None:
    path = _file(tmp_path / "job.json", core_of_rank=[0, 3, 1, 4])
    machine = machines.load(str(path))
    assert machines.setting(machine, None, None) == ("list:0,3,1,4", 4)
    assert machines.setting(machine, None, 4) == ("list:0,3,1,4", 4)
    assert machines.setting(machine, None, 5) == ("block", 5)
    assert machines.setting(machine, "cyclic", None) == ("cyclic", 6)
    assert machines.job_placement(machine) == "cyclic"
    assert "of the job: cyclic   0 1 0 1" in cli("machine", path).out
    assert "Job       4 ranks\n" in cli("machine", path).out
    assert machines.job_placement(machines.load(LINKS)) is None
    shown = cli("show", "allgather/ring", "-p", 4, "--machine", path, "--json").document()
    assert shown["crossing"]["placement"] == "as the job in the file"
    assert shown["crossing"]["total"][0]["messages"] == 12


def test_placement_is_read_from_a_file(cli: Callable, tmp_path: Path) -> None:
    path = tmp_path / "cores.txt"
    path.write_text("3\n0  # rank 1\n\n4\n1\n", encoding="utf-8")
    assert machines.setting(machines.load(LINKS), str(path), None) == ("list:3,0,4,1", 4)
    assert "1 0 1 0" in cli("machine", LINKS, "--placement", path).out
    shown = cli(
        "show", "allgather/ring", "-p", 4, "--machine", "2n x 3c", "--placement", path, "--json"
    ).document()
    assert shown["crossing"]["placement"] == str(path)
    assert shown["crossing"]["total"][0]["messages"] == 12


def test_lists_are_recognised(cli: Callable) -> None:
    out = cli("machine", LINKS, "--placement", "list:0,3,4,1").out
    assert "list:0,3,4,1: folded   0 1 1 0" in out
    assert _core.recognise([1, 0, 1, 0]) == {"placement": "cyclic", "node_order": [1, 0]}
    assert _core.recognise([0, 0, 1], [3, 3])["placement"] == "cyclic:2"


def test_text_of_a_machine_has_its_costs() -> None:
    assert machines.load(LINKS).short_text == LINKS
    assert machines.parse("node:2 core:4,4").short_text == "2n x 4c"


def test_without_a_machine_it_is_this_node(cli: Callable) -> None:
    document = cli("machine", "--json").document()
    assert document["origin"]["found_by"] in {"hwloc", "sysfs"}
    assert document["levels"][0]["name"] == "node"
    assert document["levels"][0]["counts"] == [1]
    machine = machines.of_document(document)
    assert len(os.sched_getaffinity(0)) <= machine.num_cores <= (os.cpu_count() or 1)
    out = cli("machine").out
    assert f"Nodes     {platform.node()}\n" in out
    assert "placement" not in out  # they are all the same


def test_hwloc_file_is_a_machine(cli: Callable) -> None:
    path = data / "2package-2l3-4core-2thread.xml"
    try:
        machine = sources.of_hwloc(path)
    except UnsupportedError as error:
        pytest.skip(str(error))
    assert machine.short_text == "1n x 2s x 2l x 4c x 2t"
    assert "Found by  hwloc\n" in cli("machine", "--hwloc", path).out


def test_without_libhwloc_it_is_what_the_kernel_says(process: Callable, tmp_path: Path) -> None:
    # The linker takes the first of this name, and this one is no library.
    (tmp_path / "libhwloc.so.15").write_text("nothing", encoding="utf-8")
    without = {"LD_LIBRARY_PATH": str(tmp_path)}
    document = process("machine", "--json", **without).document()
    assert document["origin"]["found_by"] == "sysfs"
    path = data / "2package-2l3-4core-2thread.xml"
    refused = process("machine", "--hwloc", path, **without)
    assert refused.code == 2
    assert "got one without" in refused.err or "expected libhwloc.so.15" in refused.err


def test_slurm_job_is_a_machine(
    cli: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-3]")
    monkeypatch.setenv("SLURM_TASKS_PER_NODE", "2(x3)")
    monkeypatch.setenv("SLURM_JOB_CPUS_PER_NODE", "4(x3)")
    monkeypatch.setenv("SLURM_DISTRIBUTION", "cyclic")
    out = cli("machine", "--slurm").out
    assert "Machine   3n x 4c\n" in out
    assert "Nodes     n1, n2, n3\n" in out
    assert "of the job: cyclic   0 1 2 0 1 2" in out
    conf = tmp_path / "topology.conf"
    conf.write_text(
        "SwitchName=a Nodes=n[1,3]\nSwitchName=b Nodes=n2\nSwitchName=r Switches=a,b\n",
        encoding="utf-8",
    )
    document = cli("machine", "--slurm", "--topology", conf, "--json").document()
    assert document["levels"][0]["name"] == "switch"
    assert document["object_names"] == {"node": ["n1", "n3", "n2"]}
    # Tasks 0 1 2 are on n1 n2 n3.
    assert document["core_of_rank"] == [0, 8, 4, 1, 9, 5]


def _page() -> str:
    return (repository / "docs" / "explanation" / "machine.md").read_text(encoding="utf-8")


def test_texts_of_the_page_are_machines() -> None:
    table = _page().partition("## In a line")[2].partition("Letters:")[0]
    texts = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    assert len(texts) == 9
    cores = {text: machines.parse(text).num_cores for text in texts}
    assert cores["8n x 2s x 12c"] == cores["node:8 package:2 core:12"] == 192
    assert cores["3n x 8c + 1n x 4c"] == cores["node:4 core:8,8,8,4"] == 28
    costs = re.search(r"^    (8n\[.*)$", _page(), re.MULTILINE)
    assert costs is not None
    assert machines.parse(costs[1]).levels[0].link.channels == 2


def test_file_of_the_page_is_a_machine_file() -> None:
    block = re.search(r"```json\n(.*?)```", _page(), re.DOTALL)
    assert block is not None
    documents.parse(block[1], "page", machines.schema, machines.version)
    machine = machines.parse(block[1])
    assert machines.job_placement(machine) == "cyclic"
    assert machine.names("node") == ["n1", "n2"]


def test_page_names_every_member_of_a_link() -> None:
    members = {field.name for field in dataclasses.fields(machines.Link)}
    assert members <= set(re.findall(r"`(\w+)`", _page()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8n x 12c", ["what messages cost is not known", "espalier probe"]),
        ("8n[latency=1us] x 12c", ["nothing is known of messages of level core"]),
        ("8n[latency=1us] x 12c[latency=2us]", ["level core starts more slowly"]),
        (
            "8n[bandwidth=9GB/s,latency=2us] x 12c[bandwidth=5GB/s,latency=1us]",
            ["core has a smaller bandwidth than level node"],
        ),
    ],
)
def test_cautions_say_what_follows(cli: Callable, text: str, words: list[str]) -> None:
    found = machines.cautions(machines.load(text))
    assert len(found) == 1
    for word in words:
        assert word in found[0]
    assert f"Caution   {found[0]}" in cli("machine", text).out


def test_cautions_of_the_file_and_equal_names() -> None:
    machine = _with(
        object_names={"node": ["a", "a"]},
        origin={"is_simulated": True, "warnings": ["ranks were not bound"]},
    )
    found = machines.cautions(machine)
    assert found[0].startswith("several objects of level node are called 'a'")
    assert found[1:] == ["costs were measured on a simulated machine", "ranks were not bound"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["8n x 12q"], ["one letter of", "got '12q'"]),
        (["8c x 2n"], ["from the outside in", "node inside core"]),
        (["node:3 core:4,4"], ["one for each of the 3 objects above", "got 'core:4,4'"]),
        (["8n[speed=3] x 2c"], ["a key of latency", "got 'speed=3'"]),
        ([LINKS, "--placement", "odd"], ["a placement (block", "got 'odd'"]),
        ([LINKS, "--placement", "list:0,9"], ["cores 0 .. 5", "got '9'"]),
        ([LINKS, "-p", "7"], ["a core for each of 7 ranks", "got one with 6"]),
        ([LINKS, "-p", "0"], ["--ranks"]),
        ([LINKS, "--slurm"], ["one of MACHINE, --hwloc and --slurm", "got MACHINE and --slurm"]),
        (["--topology", "x.conf"], ["--slurm with --topology"]),
        (["--slurm"], ["expected a SLURM job", "got none"]),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    cli: Callable, arguments: list[str], words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SLURM_JOB_NODELIST", "SLURM_STEP_NODELIST", "SLURM_NODELIST"):
        monkeypatch.delenv(name, raising=False)
    result = cli("machine", *arguments)
    assert (result.code, result.err.count("\n")) == (2, 1)
    for word in words:
        assert word in result.err


@pytest.mark.parametrize(
    "words",
    [
        ("10n x 2c", "--placement", "nonsense"),
        ("4n x 2c", "-p", 100),
        ("4n x 2c", "--placement", "list:0,1", "-p", 3),
        (LINKS, "--placement", "list:0,9"),
    ],
)
def test_ranks_that_cannot_lie_so_are_refused_with_json_too(
    cli: Callable, words: tuple[object, ...], tmp_path: Path
) -> None:
    plain = cli("machine", *words)
    file = tmp_path / "m.json"
    as_json = cli("machine", *words, "--json", "-o", file)
    assert (as_json.code, as_json.err) == (plain.code, plain.err)
    assert (as_json.code, as_json.out, file.exists()) == (2, "", False)


def test_bad_files_name_the_place(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    with pytest.raises(FileError, match=r"m\.json: expected a readable file"):
        machines.load(str(path))
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(FormatError, match=r"m\.json: expected a member 'schema', got none"):
        machines.load(str(path))
    path.write_text("2n x 4c", encoding="utf-8")
    assert machines.load(str(path)).num_cores == 8
    document = machines.load(LINKS).document
    document["levels"][1]["link"]["latency_us"] = -1
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(FormatError, match=r"levels\[1\]: link: latency_us: .* got -1"):
        machines.load(str(path))
    cores = tmp_path / "cores"
    cores.write_text("0\none\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match=r"a core in line 2, got 'one'"):
        machines.setting(machines.load(LINKS), str(cores), None)
