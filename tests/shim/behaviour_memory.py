# SPDX-License-Identifier: Apache-2.0
"""What was learned is kept in a file, which others use, or which cannot be used."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from typing import TYPE_CHECKING

from behaviour_context import RULE, Context, expect
from behaviour_lessons import PROGRAM, learn, learn_something, remembered, rules_of

if TYPE_CHECKING:
    from pathlib import Path


def case_memory_keeps_what_others_wrote(context: Context) -> None:
    """Rules of other shapes stay."""
    memory = remembered(context)
    (other,) = rules_of(memory)
    learn_something(context, memory)
    rules = rules_of(memory)
    expect(other in rules, f"{other}", rules)
    expect(len(rules) > 1, "new rules", rules)


def case_two_programs_remember(context: Context) -> None:
    """Programs that end at the same time lose nothing of each other."""
    memory = context.folder / "memory.json"
    learn_something(context, memory)
    before = {(rule["collective"], rule["min_bytes"]) for rule in rules_of(memory)}
    settings = {"ESPALIER_LEARN": "50%", "ESPALIER_MEMORY": str(memory)}
    program = context.program(PROGRAM)
    jobs = [context.start(program, "30", num_ranks=2, **settings) for _ in range(2)]
    codes = [job.wait(timeout=60) for job in jobs]
    expect(codes == [0, 0], "two successes", codes)
    after = {(rule["collective"], rule["min_bytes"]) for rule in rules_of(memory)}
    expect(before <= after, f"{before}", after)


def unusable(context: Context, memory: Path | str, part: str) -> None:
    """One line, and the program goes on."""
    outcome = learn(context, memory, 20)
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect(outcome.lines[0].startswith("espalier: ESPALIER_MEMORY: "), "its name", outcome.lines)
    expect(part in outcome.lines[0], part, outcome.lines[0])


def case_memory_broken(context: Context) -> None:
    """A file that is no profile stays as it is."""
    memory = context.folder / "memory.json"
    memory.write_text('{"schema": "espalier-prof', encoding="utf-8")
    unusable(context, memory, "remove the file or name another one")
    expect(memory.read_text(encoding="utf-8").endswith("-prof"), "the file as it was", memory)


def case_memory_empty(context: Context) -> None:
    """A file that somebody made and nobody wrote to is one of which nothing is known yet."""
    memory = context.folder / "memory.json"
    memory.touch(mode=0o600)
    memory.chmod(0o600)
    outcome = learn(context, memory)
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    expect(len(json.loads(memory.read_text(encoding="utf-8"))["trials"]) > 0, "trials", memory)
    expect(memory.stat().st_mode & 0o777 == 0o600, "its permissions", oct(memory.stat().st_mode))


def case_memory_of_a_later_version(context: Context) -> None:
    """Rules that name algorithms of a later version are left to that one."""
    memory = context.folder / "memory.json"
    unknown = {**RULE, "num_ranks": 77, "algorithm": "bcast/carrier_pigeon"}
    document = {
        "schema": "espalier-profile",
        "version": 1,
        "mpi": {"vendor": context.vendor, "version": "1"},
        "rules": [unknown],
    }
    memory.write_text(json.dumps(document), encoding="utf-8")
    outcome = learn(context, memory, 60)
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    after = json.loads(memory.read_text(encoding="utf-8"))
    expect(len(after["trials"]) > 0, "trials", after)
    expect(unknown in after["rules"], "the rule", after["rules"])


def case_memory_of_another_mpi(context: Context) -> None:
    """So does what another MPI learned."""
    memory = context.folder / "memory.json"
    text = json.dumps(
        {
            "schema": "espalier-profile",
            "version": 1,
            "mpi": {"vendor": "another", "version": "1"},
            "rules": [RULE],
        }
    )
    memory.write_text(text, encoding="utf-8")
    unusable(context, memory, "another MPI")
    expect(memory.read_text(encoding="utf-8") == text, "the file as it was", memory)


def case_memory_impossible(context: Context) -> None:
    """What cannot be written is lost, and that is said."""
    outcome = learn(context, "/dev/null/memory.json")
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect("what was learned is lost" in outcome.lines[0], "the loss", outcome.lines[0])


def case_memory_in_use(context: Context) -> None:
    """A file that the command line is changing is left alone."""
    memory = remembered(context)
    text = memory.read_text(encoding="utf-8")
    lines: list[str] = []
    with (context.folder / ".memory.json.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for _ in range(5):
            outcome = learn(context, memory)
            expect(outcome.code == 0, "exit code 0", outcome)
            lines += outcome.lines
            if lines:
                break
    expect(len(lines) == 1, "one line", lines)
    expect("what was learned is lost" in lines[0], "the loss", lines)
    expect(memory.read_text(encoding="utf-8") == text, "the file as it was", memory)


def case_memory_without_a_home(context: Context) -> None:
    """Nobody asked for a file in the usual place: that it cannot be written is said if asked."""
    settings = {"XDG_STATE_HOME": "/dev/null", "ESPALIER_LEARN": ""}
    outcome = context.launch(context.program(PROGRAM), "300", num_ranks=2, **settings)
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    told = [
        line
        for line in context.launch(
            context.program(PROGRAM), "300", num_ranks=2, ESPALIER_VERBOSE="1", **settings
        ).lines
        if "what was learned is lost" in line
    ]
    expect(len(told) == 1, "one line", told)


def case_killed_while_learning(context: Context) -> None:
    """A rank that is killed ends the job as it does natively, and leaves the file as it was."""
    memory = remembered(context)
    text = memory.read_text(encoding="utf-8")
    ranks = context.folder / "ranks"
    job = context.start(
        *("sh", "-c", 'echo $$ >>"$0"; exec "$@"', str(ranks)),
        *(context.program(PROGRAM), "1000000"),
        num_ranks=2,
        ESPALIER_LEARN="50%",
        ESPALIER_MEMORY=str(memory),
    )
    end = time.monotonic() + 20
    while time.monotonic() < end and not (ranks.exists() and len(ranks.read_text().split()) == 2):
        time.sleep(0.1)
    time.sleep(1)
    os.kill(int(ranks.read_text(encoding="utf-8").split()[0]), signal.SIGKILL)
    expect(job.wait(timeout=30) != 0, "a failure", job.returncode)
    rules_of(memory)
    expect(memory.read_text(encoding="utf-8") == text, "the file as it was", memory)
