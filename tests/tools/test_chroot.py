# SPDX-License-Identifier: Apache-2.0
"""A folder with another system that is not completed leaves nothing mounted, and is made again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from places import repository

# As debootstrap, it mounts what the new system sees of the kernel.
_DEBOOTSTRAP = """#!/bin/sh
mkdir -p "$3/proc"
mount -t proc proc "$3/proc"
touch "$3/mounted"
{then}
"""


def begun(folder: Path, then: str) -> subprocess.Popen[str]:
    """Start to make a system in a folder `system` with a debootstrap that mounts, and then..."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    script = tools / "debootstrap"
    script.write_text(_DEBOOTSTRAP.format(then=then), encoding="utf-8")
    script.chmod(0o755)
    return subprocess.Popen(
        [sys.executable, repository / "tools" / "chroot.py", folder / "system", "trixie", "gcc"],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def mounted_in(folder: Path) -> list[str]:
    """Return the folders below a folder into which something is mounted."""
    lines = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    return [line.split()[1] for line in lines if line.split()[1].startswith(f"{folder}/")]


@pytest.fixture(autouse=True)
def needs_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("chroot needs root")


def test_interrupted_it_says_so_and_leaves_nothing_mounted(tmp_path: Path) -> None:
    process = begun(tmp_path, "exec sleep 60")
    end = time.monotonic() + 20
    while not (tmp_path / "system.unfinished" / "mounted").exists() and time.monotonic() < end:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=20)
    assert said == "interrupted: system is not complete\n"
    assert process.returncode == 128 + signal.SIGINT
    assert mounted_in(tmp_path) == []


def test_failing_it_shows_why_and_is_repeated(tmp_path: Path) -> None:
    for _ in range(2):
        process = begun(tmp_path, "echo no such suite; exit 1")
        said, _ = process.communicate(timeout=20)
        assert said == "no such suite\n\n"
        assert process.returncode == 1
    assert mounted_in(tmp_path) == []
    assert not (tmp_path / "system").exists()
