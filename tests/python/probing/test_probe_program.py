# SPDX-License-Identifier: Apache-2.0
"""The program espalier-probe-<vendor>, on this machine and on simulated ones."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from crashing_launcher import repeat_crashed

from espalier import installation
from espalier.io import schemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_KINDS = ("latency", "bandwidth", "bidirectional", "send_overhead", "receive_overhead")
_KINDS += ("message_rate",)
_MESSAGES = {"bandwidth": 4, "bidirectional": 4, "message_rate": 50}


def launch_words(vendor: str, num_ranks: int) -> list[str]:
    """Return what starts ranks on this machine so that those that wait leave the processor."""
    launcher = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.mpich"}[vendor]
    if shutil.which(launcher) is None:
        pytest.skip(f"{launcher} is not installed")
    words = [launcher]
    if vendor == "openmpi":
        words += ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        words += ["--mca", "btl", "vader,self"]
    else:
        words += ["-genv", "LD_PRELOAD", str(built("lib/libespalier_yield_ucx.so"))]
    return [*words, "-n", str(num_ranks), str(built(f"bin/espalier-probe-{vendor}"))]


def built(path: str) -> Path:
    folder = installation.build_folder()
    if folder is None or not (folder / path).exists():
        pytest.skip(f"{path} is not built")
    return folder / path


def environment() -> dict[str, str]:
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**os.environ, **allowed}


def start(words: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        words,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def run(words: Sequence[str], seconds: float = 60.0) -> tuple[int, str]:
    return repeat_crashed(lambda: run_once(words, seconds))


def run_once(words: Sequence[str], seconds: float) -> tuple[int, str]:
    process = start(words)
    try:
        out, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
        raise AssertionError(f"not over after {seconds} s: {out}") from None
    return process.returncode, out


def plan_with(*tests: dict[str, Any], **limits: Any) -> dict[str, Any]:
    head = {"schema": "espalier-probe-plan", "version": 1, "seed": 11, "seconds_per_set": 0.05}
    plan = {**head, "min_repetitions": 5, "max_repetitions": 50, **limits, "tests": list(tests)}
    schemas.validator("espalier-probe-plan", 1).validate(plan)
    return plan


def write(folder: Path, plan: object) -> list[str]:
    """Return the arguments of the program that measures the plan."""
    path = folder / "plan.json"
    path.write_text(plan if isinstance(plan, str) else json.dumps(plan))
    return ["--plan", str(path), "--output", str(folder / "samples.jsonl")]


def lines_of(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "samples.jsonl").read_text()
    assert text.endswith("\n")
    lines = [json.loads(line) for line in text.splitlines()]
    validator = schemas.validator("espalier-probe-samples", 1)
    for line in lines:
        validator.validate(line)
    return lines


@pytest.fixture(params=["openmpi", "mpich"])
def vendor(request: pytest.FixtureRequest) -> str:
    return request.param


class TestThisMachine:
    @pytest.mark.parametrize("num_ranks", [2, 4, 5])
    def test_every_test_between_all_ranks(self, vendor, num_ranks, tmp_path):
        singles = [[[i, (i + 1) % num_ranks]] for i in range(num_ranks)]
        together = [[2 * i + 1, 2 * i] for i in range(num_ranks // 2)]
        plan = plan_with(
            *(
                {
                    "test": kind,
                    "label": f"label of {kind}",
                    "bytes": [0, 1 << 20],
                    "messages": _MESSAGES.get(kind, 1),
                    "sets": [*singles, together],
                }
                for kind in _KINDS
            ),
            seconds_per_set=0.005,
        )
        code, out = run([*launch_words(vendor, num_ranks), *write(tmp_path, plan)])
        assert (code, out) == (0, "")
        header, *results, end = lines_of(tmp_path)
        assert header["num_ranks"] == num_ranks
        assert end == {"kind": "end", "complete": True, "sets_left": 0}
        expected = [
            (test["test"], test["label"], test["messages"], pairs, num_bytes)
            for test in plan["tests"]
            for pairs in test["sets"]
            for num_bytes in test["bytes"]
        ]
        keys = ("test", "label", "messages", "pairs", "bytes")
        assert [tuple(result[key] for key in keys) for result in results] == expected
        for result in results:
            self.check_times(result)

    @staticmethod
    def check_times(result: dict[str, Any]) -> None:
        names = ("min_us", "median_us", "mean_us", "max_us", "low_us", "high_us", "sd_us")
        assert {len(result[name]) for name in names} == {len(result["pairs"])}
        for low, median, mean, high, from_us, to_us, _ in zip(
            *(result[name] for name in names), strict=True
        ):
            assert low <= median <= high
            assert low <= mean + 1e-6
            assert mean <= high + 1e-6
            assert from_us <= mean <= to_us
            assert result["slowest"]["mean_us"] >= mean - 1e-6
            if not result["test"].endswith("overhead"):
                assert low > 0
        assert 2 <= result["repetitions"] <= 50
        if result["test"] == "bandwidth" and result["bytes"] == 1 << 20:
            slowest_s = 1e-6 * result["slowest"]["median_us"]
            assert 10e6 < result["messages"] * result["bytes"] / slowest_s < 1e12

    def test_the_header_says_where_ranks_run(self, vendor, tmp_path):
        code, out = run([*launch_words(vendor, 3), *write(tmp_path, plan_with())])
        assert (code, out) == (0, "")
        header, end = lines_of(tmp_path)
        assert end["complete"]
        assert header["mpi"]["vendor"] == vendor
        assert not header["is_simulated"]
        assert 0 < header["clock_resolution_us"] < 1000
        assert [rank["rank"] for rank in header["ranks"]] == [0, 1, 2]
        allowed = os.sched_getaffinity(0)
        for rank in header["ranks"]:
            assert rank["host"] == os.uname().nodename
            assert rank["kernel"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
            assert rank["node"] == 0
            assert rank["online"] == os.sysconf("SC_NPROCESSORS_ONLN")
            assert rank["bound"] == (len(allowed) < rank["online"])
            assert set(cpus_of(rank["cpus"])) == allowed
        variable = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}[vendor]
        assert [rank["environment"][variable] for rank in header["ranks"]] == ["0", "1", "2"]

    def test_a_bound_rank_says_so(self, tmp_path):
        words = launch_words("openmpi", 1)
        cpu = min(os.sched_getaffinity(0))
        words[-1:-1] = ["taskset", "--cpu-list", str(cpu)]
        assert run([*words, *write(tmp_path, plan_with())]) == (0, "")
        (rank,) = lines_of(tmp_path)[0]["ranks"]
        assert rank["cpus"] == str(cpu)
        assert rank["bound"] == (rank["online"] > 1)

    @pytest.mark.parametrize(
        ("num_ranks", "plan", "complaint"),
        [
            (2, plan_with({"test": "latency", "bytes": [8], "sets": [[[0, 2]]]}), "got rank 2"),
            (1, plan_with({"test": "latency", "bytes": [8], "sets": [[[0, 1]]]}), "at least 2"),
            (2, '{"schema": "espalier-probe-plan"', "plan.json: expected JSON"),
        ],
    )
    def test_a_wrong_plan_is_refused(self, vendor, num_ranks, plan, complaint, tmp_path):
        code, out = run([*launch_words(vendor, num_ranks), *write(tmp_path, plan)])
        assert code != 0
        assert out.count("espalier-probe: ") == 1
        assert complaint in out
        assert not (tmp_path / "samples.jsonl").exists()

    def test_a_full_disk_is_named(self, vendor, tmp_path):
        arguments = write(tmp_path, plan_with())
        arguments[-1] = "/dev/full"
        code, out = run([*launch_words(vendor, 2), *arguments])
        assert code == 1
        assert "espalier-probe: /dev/full: expected a file that can be written" in out

    def test_what_does_not_fit_into_the_time_is_counted(self, vendor, tmp_path):
        test = {"test": "latency", "bytes": [8, 16], "sets": [[[0, 1]]] * 4000}
        # Never precise enough.
        limits = {"seconds": 0.5, "seconds_per_set": 0.2, "min_repetitions": 1000}
        plan = plan_with(test, **limits, max_repetitions=1000)
        assert run([*launch_words(vendor, 2), *write(tmp_path, plan)]) == (0, "")
        *_, last, end = lines_of(tmp_path)
        is_whole = last["bytes"] == 16
        assert end["sets_left"] == 4000 - last["set_index"] - (1 if is_whole else 0)
        assert end["complete"] == (end["sets_left"] == 0)


def cpus_of(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


class TestInterruption:
    @pytest.fixture
    def running(self, vendor, tmp_path):
        """A run that has written some lines and would go on for a minute."""
        test = {"test": "latency", "bytes": [8], "sets": [[[0, 1]]] * 3000}
        limits = {"min_repetitions": 1000, "max_repetitions": 100000, "precision": 1e-9}
        plan = plan_with(test, **limits, seconds_per_set=0.02)
        process = start([*launch_words(vendor, 2), *write(tmp_path, plan)])
        samples = tmp_path / "samples.jsonl"
        deadline = time.monotonic() + 20
        while not samples.exists() or samples.read_text().count("\n") < 4:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        yield process
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    @staticmethod
    def check_whole_lines(process: subprocess.Popen[str], folder: Path) -> None:
        process.communicate(timeout=20)
        header, *results = lines_of(folder)
        assert header["kind"] == "header"
        assert len(results) >= 3
        assert {result["kind"] for result in results} == {"result"}

    # Hydra's exit code after a signal is 0 or not, depending on who notices first.
    def test_lines_written_stay(self, running, tmp_path):
        running.send_signal(signal.SIGTERM)
        self.check_whole_lines(running, tmp_path)

    def test_a_rank_that_dies_ends_all(self, running, tmp_path):
        ranks = [pid for pid in descendants(running.pid) if "espalier-probe" in name_of(pid)]
        assert len(ranks) == 2
        os.kill(ranks[-1], signal.SIGKILL)
        self.check_whole_lines(running, tmp_path)
        assert running.returncode != 0


def descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [found for child in map(int, children) for found in (child, *descendants(child))]


def name_of(pid: int) -> str:
    return Path(f"/proc/{pid}/exe").readlink().name


# Two nodes of two cores. All that passes between the nodes shares one link, each way for itself.
_PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="cluster" routing="Full">
    {hosts}
    <link id="memory" bandwidth="8GBps" latency="300ns" sharing_policy="FATPIPE"/>
    <link id="network" bandwidth="1GBps" latency="2us" sharing_policy="SPLITDUPLEX"/>
    {routes}
  </zone>
</platform>
"""
_HOSTS = ["a0", "b0", "a1", "b1"]
_LATENCY_US = {True: 0.3, False: 2.0}  # by whether both ends are on one node
_BYTES_PER_US = {True: 8000.0, False: 1000.0}
_HEADER_BYTES = 16  # the simulator sends them with every message


def platform() -> str:
    hosts = (
        f'<host id="{host}" speed="1Gf"><prop id="node" value="{host[0]}"/></host>'
        for host in _HOSTS
    )
    routes = []
    for source, target in itertools.permutations(_HOSTS, 2):
        link = '<link_ctn id="memory"/>'
        if source[0] != target[0]:
            direction = "UP" if source < target else "DOWN"
            link = f'<link_ctn id="network" direction="{direction}"/>'
        routes.append(f'<route src="{source}" dst="{target}" symmetrical="NO">{link}</route>')
    return _PLATFORM.format(hosts="\n".join(hosts), routes="\n".join(routes))


class TestSimulated:
    @pytest.fixture
    def simulate(self, tmp_path) -> Callable[..., list[dict[str, Any]]]:
        launcher = shutil.which("smpirun")
        if launcher is None:
            pytest.skip("SimGrid is not installed")
        (tmp_path / "platform.xml").write_text(platform())
        (tmp_path / "hosts").write_text("".join(f"{host}\n" for host in _HOSTS))
        words = [launcher, "-np", "4", "-platform", str(tmp_path / "platform.xml")]
        words += ["-hostfile", str(tmp_path / "hosts"), "--log=root.thresh:error"]
        words += ["--cfg=smpi/simulate-computation:no", "--cfg=smpi/host-speed:1Gf"]
        words += ["--cfg=smpi/bw-factor:0:1", "--cfg=smpi/lat-factor:0:1"]
        words += ["--cfg=network/crosstraffic:no"]
        program = str(built("bin/espalier-probe-smpi"))

        def simulate(*tests: dict[str, Any], options: Sequence[str] = ()) -> list[dict[str, Any]]:
            arguments = write(tmp_path, plan_with(*tests, seconds_per_set=10.0))
            code, out = run([*words, *options, program, *arguments])
            assert code == 0, f"code {code}: {out}"
            return lines_of(tmp_path)

        return simulate

    @staticmethod
    def message_us(pair: Sequence[int], num_bytes: int, share: int = 1) -> float:
        """Return the time of a message when so many share the link."""
        is_near = _HOSTS[pair[0]][0] == _HOSTS[pair[1]][0]
        rate = _BYTES_PER_US[is_near] / share
        return _LATENCY_US[is_near] + (num_bytes + _HEADER_BYTES) / rate

    def test_latency_and_bandwidth_are_those_configured(self, simulate):
        pairs = list(itertools.permutations(range(4), 2))
        sets = [[list(pair)] for pair in pairs]
        lines = simulate(
            {"test": "latency", "bytes": [0, 8, 4096, 1 << 20], "sets": sets},
            {"test": "bandwidth", "bytes": [8, 1 << 20], "messages": 10, "sets": sets},
            # Every send waits for its message to arrive.
            options=["--cfg=smpi/send-is-detached-thresh:0"],
        )
        for result in lines[1:-1]:
            (pair,) = result["pairs"]
            one_us = self.message_us(pair, result["bytes"])
            if result["test"] == "latency":
                expected = 2 * one_us
            else:
                expected = 10 * one_us + self.message_us(pair, 0)
            assert result["mean_us"] == pytest.approx([expected], rel=1e-6)
            assert result["sd_us"] == pytest.approx([0.0], abs=1e-6)
            assert result["converged"]
            assert result["repetitions"] == 5

    def test_pairs_of_a_set_share_the_link_and_sets_do_not(self, simulate):
        sets = [[[0, 1]], [[0, 1], [2, 3]], [[2, 3]], [[0, 1], [3, 2]]]
        *_, last_end = lines = simulate({"test": "latency", "bytes": [1 << 20], "sets": sets})
        assert last_end["complete"]
        alone, same_way, other_alone, opposite = (line["mean_us"] for line in lines[1:-1])
        assert alone == other_alone == pytest.approx([2 * self.message_us((0, 1), 1 << 20)])
        shared = 2 * self.message_us((0, 1), 1 << 20, share=2)
        assert same_way == pytest.approx([shared, shared], rel=1e-3)
        assert opposite == pytest.approx([alone[0], alone[0]], rel=1e-3), (
            "the link has two directions"
        )

    def test_both_directions_are_used_at_once(self, simulate):
        test = {"bytes": [1 << 20], "messages": 10, "sets": [[[0, 1]]]}
        lines = simulate({"test": "bandwidth", **test}, {"test": "bidirectional", **test})
        assert lines[1]["mean_us"] == pytest.approx(lines[2]["mean_us"], rel=1e-3)

    def test_overheads_are_those_configured(self, simulate):
        test = {"bytes": [8, 1024], "sets": [[[0, 1]], [[0, 2]], [[3, 1]]]}
        lines = simulate(
            {"test": "send_overhead", **test},
            {"test": "receive_overhead", **test},
            options=[
                "--cfg=smpi/os:0:2.5e-7:0",
                "--cfg=smpi/or:0:4e-7:0",
                "--cfg=smpi/async-small-thresh:16384",
                "--cfg=smpi/send-is-detached-thresh:16384",
            ],
        )
        expected = {"send_overhead": 0.25, "receive_overhead": 0.4}
        for result in lines[1:-1]:
            assert result["mean_us"] == pytest.approx([expected[result["test"]]], rel=1e-6)

    def test_the_header_says_it_is_simulated(self, simulate):
        header, end = simulate()
        assert end["complete"]
        assert header["is_simulated"]
        assert header["clock_resolution_us"] == 0
        assert header["mpi"]["vendor"] == "smpi"
        assert [rank["host"] for rank in header["ranks"]] == ["a", "b", "a", "b"]
        assert [rank["node"] for rank in header["ranks"]] == [0, 1, 0, 1]

    def test_two_runs_are_equal(self, simulate):
        test = {"bytes": [8, 100000], "sets": [[[0, 1], [2, 3]], [[1, 2]]]}
        tests = [{"test": kind, "messages": _MESSAGES.get(kind, 1), **test} for kind in _KINDS]
        assert simulate(*tests) == simulate(*tests)

    def test_a_wrong_plan_is_refused(self, simulate, tmp_path):
        with pytest.raises(AssertionError) as error:
            simulate({"test": "latency", "bytes": [8], "sets": [[[0, 4]]]})
        assert "code 1: " in str(error.value)
        assert "expected ranks of this job, which has 4, got rank 4" in str(error.value)
        assert not (tmp_path / "samples.jsonl").exists()
