# SPDX-License-Identifier: Apache-2.0
"""Nothing of a command survives that it should not: crashes, hangs, Ctrl-C, our own death."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from places import repository

from espalier.errors import MpiError
from espalier.launch import processes
from espalier.launch.processes import Streams, run


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_for(path: Path, count: int = 1, seconds: float = 10.0) -> list[int]:
    """Return the process numbers that a script wrote, one a line."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        lines = path.read_text().split() if path.exists() else []
        if len(lines) >= count:
            return [int(line) for line in lines]
        time.sleep(0.02)
    raise AssertionError(f"{path} was not filled in time")


def gone(pids: list[int], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(is_alive(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


# A launcher with two ranks, one of which is in a session of its own, as Hydra's are.
_TREE = 'sleep 1000 & echo $! >>"$0"; setsid sleep 1000 & echo $! >>"$0"; '


def tree(path: Path, then: str) -> list[str]:
    return ["bash", "-c", _TREE + then, str(path)]


@pytest.mark.parametrize("code", [0, 3, 137])
def test_the_exit_code_is_the_commands(code):
    assert run(["bash", "-c", f"exit {code}"], Streams()).exit_code == code


def test_a_signal_counts_as_in_a_shell():
    assert run(["bash", "-c", "kill -ABRT $$"], Streams()).exit_code == 134


def test_output_and_environment_go_through(tmp_path):
    with (tmp_path / "out").open("w+b") as out:
        run(["bash", "-c", "echo $A; cat"], Streams(stdout=out), environment={"A": "1"})
        out.seek(0)
        assert out.read() == b"1\n"


@pytest.mark.parametrize(("name", "code"), [("/no/such/thing", 127), ("/etc/passwd", 126)])
def test_what_cannot_be_started_is_named(name, code):
    with pytest.raises(MpiError, match=f"expected to start '{name}'") as error:
        run([name], Streams())
    assert error.value.exit_code == code


def test_a_hanging_command_is_ended_with_all_its_processes(tmp_path):
    pids = tmp_path / "pids"
    ended = run(tree(pids, "wait"), Streams(), timeout_seconds=0.5)
    assert ended.timed_out
    assert gone(wait_for(pids, 2), 0.5)


@pytest.mark.parametrize("has_descriptors", [True, False])
def test_the_end_is_seen_when_it_comes(monkeypatch, has_descriptors):
    """Looks at intervals would make a short run seem longer; old kernels have nothing else."""
    looks = []
    sleep = time.sleep

    def counted(seconds):
        looks.append(seconds)
        sleep(seconds)

    def refused(_pid):
        raise OSError

    if not has_descriptors:
        monkeypatch.setattr(os, "pidfd_open", refused)
    monkeypatch.setattr(subprocess.time, "sleep", counted)
    assert run(["sleep", "0.2"], Streams(), timeout_seconds=10).exit_code == 0
    assert bool(looks) != has_descriptors


def test_what_ignores_the_request_to_end_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "GRACE_SECONDS", 0.3)
    pids = tmp_path / "pids"
    words = tree(pids, 'trap "" TERM; (trap "" TERM; echo $BASHPID >>"$0"; sleep 1000); wait')
    ended = run(words, Streams(), timeout_seconds=0.5)
    assert ended.timed_out
    assert gone(wait_for(pids, 3), 0.5)


def test_a_crashed_launcher_leaves_no_ranks(tmp_path):
    pids = tmp_path / "pids"
    ended = run(tree(pids, "kill -SEGV $$"), Streams())
    assert ended.exit_code == 139
    assert gone(wait_for(pids, 2), 0.5)


def test_what_a_successful_command_leaves_is_left(tmp_path):
    pids = tmp_path / "pids"
    words = ["bash", "-c", 'sleep 1000 >/dev/null & echo $! >>"$0"', str(pids)]
    assert run(words, Streams()).exit_code == 0
    (left,) = wait_for(pids)
    assert is_alive(left)
    os.kill(left, signal.SIGKILL)


def test_an_exception_ends_the_command(tmp_path):
    pids = tmp_path / "pids"

    def look() -> None:
        if pids.exists():
            raise MpiError("enough")

    with pytest.raises(MpiError, match="enough"):
        run(tree(pids, "wait"), Streams(), on_look=look)
    assert gone(wait_for(pids, 2), 0.5)


_CHILD = """
import sys
from espalier.launch.processes import Streams, run
try:
    sys.exit(run(sys.argv[1:], Streams(stdin=None)).exit_code)
except KeyboardInterrupt:
    sys.exit(130)
"""


def start(words: list[str], **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD, *words],
        env={**os.environ, "PYTHONPATH": str(repository / "python")},
        **{"stdin": subprocess.DEVNULL, **options},
    )


def test_ctrl_c_ends_everything(tmp_path):
    pids = tmp_path / "pids"
    process = start(tree(pids, "wait"))
    ranks = wait_for(pids, 2)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    assert gone(ranks, 0.5)


def test_a_closed_terminal_ends_everything(tmp_path):
    pids = tmp_path / "pids"
    process = start(tree(pids, "wait"))
    ranks = wait_for(pids, 2)
    process.send_signal(signal.SIGHUP)
    assert process.wait(10) == 129
    assert gone(ranks, 0.5)


def test_a_hangup_that_is_ignored_ends_nothing(tmp_path):
    """`nohup` ignores the signal, for us and for what we start."""
    pids = tmp_path / "pids"
    words = ["bash", "-c", 'echo $$ >>"$0"; kill -HUP $$; sleep 1; exit 7', str(pids)]
    process = start(words, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_for(pids)
    process.send_signal(signal.SIGHUP)
    assert process.wait(10) == 7


def test_the_launcher_hears_of_our_death(tmp_path):
    pids = tmp_path / "pids"
    process = start(["bash", "-c", 'echo $$ >>"$0"; exec sleep 1000', str(pids)])
    launcher = wait_for(pids)
    process.kill()
    process.wait(10)
    assert gone(launcher)


def test_input_goes_through():
    process = start(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out, _ = process.communicate(b"some lines\n", timeout=10)
    assert out == b"some lines\n"


@pytest.fixture(autouse=True)
def _end_what_a_failed_test_leaves(tmp_path):
    yield
    pids = tmp_path / "pids"
    for pid in pids.read_text().split() if pids.exists() else []:
        if is_alive(int(pid)):
            os.kill(int(pid), signal.SIGKILL)


def on_a_terminal(words: list[str]) -> tuple[int, int]:
    """Start words with a terminal of their own; return process and our side of the terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["PYTHONPATH"] = str(repository / "python")
        os.execv(  # noqa: S606
            sys.executable, [sys.executable, "-c", _CHILD, *words]
        )
    return pid, terminal


def read_until(terminal: int, wanted: bytes) -> bytes:
    seen = b""
    deadline = time.monotonic() + 10
    while wanted not in seen and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 1000)
    assert wanted in seen
    return seen


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_program_can_read_from_the_terminal():
    pid, terminal = on_a_terminal(["bash", "-c", "read line; echo got $line"])
    os.write(terminal, b"hello\n")
    read_until(terminal, b"got hello")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_ctrl_c_on_the_terminal_reaches_the_program(tmp_path):
    pids = tmp_path / "pids"
    words = ["bash", "-c", 'trap "echo asked; exit 5" INT; echo $$ >>"$0"; sleep 1000 & wait']
    pid, terminal = on_a_terminal([*words, str(pids)])
    program = wait_for(pids)
    os.write(terminal, b"\x03")
    read_until(terminal, b"asked")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
    assert gone(program)
