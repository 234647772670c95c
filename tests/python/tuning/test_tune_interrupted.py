# SPDX-License-Identifier: Apache-2.0
"""`espalier tune`, ended by a signal: what was measured is kept, and no process is left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_mpi import ratios
from places import repository

from espalier import installation
from espalier.io import documents
from espalier.store.database import Store, default_path
from espalier.tuning.search import SCREENING

_QUICK = ("--collective", "allgather,bcast", "--sizes", "64,4KiB")
_LAUNCH = ("--", "mpirun", "-n", "4")


class TestInterruption:
    @pytest.fixture
    def start(self, fake):
        """Return a function that starts `tune`; what is left of it ends with the test."""
        started = []

        def start_tune(*arguments, **variables):
            environment = {**os.environ, **fake.environment(), **variables}
            process = subprocess.Popen(
                [sys.executable, "-m", "espalier", "tune", *arguments],
                env={**environment, "PYTHONPATH": str(repository / "python")},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            started.append(process)
            return process

        yield start_tune
        for process in started:
            with process:
                process.terminate()

    def wait_for_points(self, count, seconds=20.0):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if default_path().exists():
                with Store(default_path()) as store:
                    if len(store.points(1, SCREENING.name)) >= count:
                        return
            time.sleep(0.1)
        raise AssertionError("no points came")

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_finished_points_are_kept_and_no_process_is_left(self, fake, start, number, code):
        faster = ratios(allgather_bruck=1.4)
        arguments = [*_QUICK, "--algorithms", "bruck", *_LAUNCH]
        process = start(*arguments, FAKE_HANGS_AFTER="3", **faster)
        self.wait_for_points(3)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        assert process.returncode == code
        assert "to continue: espalier tune --resume" in err
        assert "(interrupted)" in out
        left = subprocess.run(
            ["/usr/bin/pgrep", "-f", str(fake.measure)], capture_output=True, text=True, check=False
        )
        assert left.stdout == ""
        with Store(default_path()) as store:
            kept = store.points(1, SCREENING.name)
        assert len(kept) == 3
        # Nothing was confirmed, so there is no profile yet; the rest is measured on resuming.
        assert not Path("espalier-profile.json").exists()
        process = start("--resume", *arguments, **faster)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        with Store(default_path()) as store:
            assert store.points(1, SCREENING.name)[:3] == kept
            assert len(store.points(1, SCREENING.name)) == 4
            assert store.unfinished_session("any") is None
        profile = documents.read(Path("espalier-profile.json"), "espalier-profile", 1)
        assert any(rule["algorithm"] == "allgather/bruck" for rule in profile["rules"])


@pytest.mark.mpi
@pytest.mark.skipif(
    not (shutil.which("mpirun.openmpi") and installation.measurement_program("openmpi")),
    reason="Open MPI or our program for it is missing",
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_real_points_survive_a_signal(tmp_path, number):
    plan = {
        "schema": "espalier-measurement-plan",
        "version": 1,
        "seed": 1,
        "min_repetitions": 100000,
        "max_repetitions": 100000,
        "points": [
            {"collective": "bcast", "bytes": 8, "algorithms": ["bcast/flat"]} for _ in range(9)
        ],
    }
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    output = tmp_path / "samples.jsonl"
    program = installation.measurement_program("openmpi")
    launch = ["mpirun.openmpi", "-n", "2", "--oversubscribe", str(program)]
    process = subprocess.Popen(
        [*launch, "--plan", str(tmp_path / "plan.json"), "--output", str(output)],
        env={
            **os.environ,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if output.exists() and output.read_text().count("\n") >= 3:
            break
        time.sleep(0.05)
    process.send_signal(number)
    process.wait(20)
    *lines, last = output.read_text().split("\n")
    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds[0] == "header"
    assert kinds[1:] == ["point"] * (len(kinds) - 1)
    assert 2 <= len(kinds) - 1 < 9
    assert last == ""
