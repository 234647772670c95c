# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from places import repository

from espalier.base.background import each_in_background, in_background


def test_a_result_comes_with_the_future() -> None:
    assert in_background(lambda: 3).result(timeout=10) == 3


def test_an_error_comes_with_the_future() -> None:
    future = in_background(lambda: int("three"))
    with pytest.raises(ValueError, match="three"):
        future.result(timeout=10)


@pytest.mark.parametrize("num_items", [0, 1, 100])
def test_results_are_in_the_order_of_the_items(num_items: int) -> None:
    items = range(num_items)
    assert each_in_background(lambda item: item * item, items) == [item * item for item in items]


def test_the_first_error_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        each_in_background(lambda item: 1 // item, [2, 1, 0])


def test_no_more_threads_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    names = set()

    def note(_: int) -> None:
        names.add(threading.current_thread().name)
        time.sleep(0.001)

    each_in_background(note, range(50))
    assert len(names) == 3


@pytest.mark.parametrize(
    ("ending", "code"), [("return ours(pattern)", 0), ("raise Error('over')", 1)]
)
def test_a_command_ends_as_it_says_while_threads_compute(ending: str, code: int) -> None:
    # A thread of the core that comes back to an interpreter that has ended aborts the process.
    program = (
        "import sys, time, espalier.catalog.catalog as catalog\n"
        "from espalier import _core\n"
        "from espalier.base.background import in_background\n"
        "from espalier.errors import Error\n"
        "def work():\n"
        "    while True:\n"
        "        _core.prove('allgather/ring', 64, 0)\n"
        "ours = catalog.listing\n"
        "def listing(pattern):\n"
        "    in_background(work)\n"
        "    time.sleep(0.1)\n"
        f"    {ending}\n"
        "catalog.listing = listing\n"
        "sys.argv = ['espalier', 'list']\n"
        "from espalier.cli import main\n"
        "raise SystemExit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(repository / "python")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "terminate" not in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_does_not_wait_for_threads_when_it_is_ended(
    number: signal.Signals, code: int
) -> None:
    program = (
        "import sys, time, espalier.catalog.catalog as catalog\n"
        "from espalier.base.background import each_in_background\n"
        "def work(item):\n"
        "    print('begun', flush=True)\n"
        "    time.sleep(60)\n"
        "catalog.listing = lambda pattern: each_in_background(work, [1])\n"
        "sys.argv = ['espalier', 'list']\n"
        "from espalier.cli import main\n"
        "raise SystemExit(main())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(repository / "python")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        running.send_signal(number)
        assert running.wait(timeout=20) == code
