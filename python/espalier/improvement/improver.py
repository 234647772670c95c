# SPDX-License-Identifier: Apache-2.0
"""A whole improvement: from the user's command to a profile that his program gains from.

1. One run counts what the program calls, and how long that takes.
2. The machine is known, or it is probed.
3. The calls and sizes at which most time is spent are tuned, with the ranks of the program.
4. Whole runs are compared, with and without, in turns.
5. Rules by which the program lost time are taken back, and what is left is compared again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.base.interruption import Interrupted
from espalier.compare import comparison
from espalier.compare.analysis import SLOWER
from espalier.compare.experiment import Design
from espalier.errors import ArgumentError
from espalier.improvement import guard, machine_file, outcome, points, stakes
from espalier.improvement.findings import Findings
from espalier.improvement.observation import observe
from espalier.io.console import json_text, say
from espalier.io.output_files import locked, write_whole
from espalier.machines import machines
from espalier.profiles import merging, profiles
from espalier.profiles.profiles import Shape
from espalier.sampling.goal import Goal
from espalier.sampling.job import start_job
from espalier.sampling.samples import NATIVE
from espalier.tuning import tuner
from espalier.tuning.session import IF_UNWRITTEN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from espalier.improvement.findings import Wish
    from espalier.improvement.guard import Rule
    from espalier.improvement.stakes import Stake
    from espalier.sampling.job import Job as StartedJob

# Of the time budget, if the machine has to be probed.
_SHARE_OF_PROBE = 0.25
_MOST_SECONDS_OF_PROBE = 60.0
_LEAST_SECONDS_TO_TUNE = 10.0
_SLOWER_AS_A_WHOLE = "the program as a whole was slower"


def improve(wish: Wish) -> dict[str, Any]:
    """Improve, write the profile, and return the document of the report.

    Raises:
        FailedRunError: the program fails, with or without Espalier, or shows no MPI calls.
        Interrupted: after Ctrl-C or a signal, once the program was observed.
    """
    start = time.monotonic()
    merging.check(wish.files.output, wish.target.vendor)
    if wish.machine:
        machines.load(wish.machine)
    say(f"step 1 of 4: running the program once to count its calls: {wish.target.command.text()}")
    findings = Findings(wish, observe(wish.target))
    cause: BaseException | None = None
    try:
        _take_steps(findings)
    except Interrupted as interrupted:
        cause = interrupted.cause
    except (KeyboardInterrupt, SystemExit) as error:
        cause = error
    findings.seconds = time.monotonic() - start
    document = outcome.make_document(findings, is_complete=cause is None)
    if cause is not None:
        say(f"to go on where this ended: {wish.files.repeat}")
        raise Interrupted(document, cause)
    return document


def _take_steps(findings: Findings) -> None:
    wish = findings.wish
    findings.stakes = stakes.all_stakes(findings.observation.run)
    findings.tuned = stakes.worth_tuning(findings.stakes, findings.num_ranks)
    if not findings.tuned:
        return
    started = start_job(wish.launcher, wish.target.vendor)
    findings.num_nodes = started.header["num_nodes"]
    begin = time.monotonic()
    machine = _machine(findings, started)
    left = max(_LEAST_SECONDS_TO_TUNE, wish.seconds - (time.monotonic() - begin))
    _tune(findings, started, machine, left)
    if findings.is_kept:
        _compare(findings)


def _machine(findings: Findings, started: StartedJob) -> machines.Machine:
    wish = findings.wish
    if wish.machine:
        say(f"step 2 of 4: the machine is given as {wish.machine}")
        return machines.load(wish.machine)
    path = machine_file.path_beside(wish.files.output)
    known = machine_file.kept(path, started.header)
    if known is not None:
        say(f"step 2 of 4: the machine is known from {path}; remove it to probe again")
        return known
    seconds = min(_MOST_SECONDS_OF_PROBE, _SHARE_OF_PROBE * wish.seconds)
    say(f"step 2 of 4: probing the machine for about {seconds:.0f} s; {path} keeps it")
    return machine_file.probe(wish.launcher.words(), path, seconds, started.vendor)


def _tune(
    findings: Findings, started: StartedJob, machine: machines.Machine, seconds: float
) -> None:
    """Tune communicators of one shape after the other; the time is shared by what is at stake."""
    say(
        f"step 3 of 4: tuning {100 * stakes.share_of(findings.tuned):.2g} % of the program's time"
        f" for about {seconds:.0f} s"
    )
    started.header.pop("node_of_rank", None)
    world = Shape(started.header["num_ranks"], started.header["num_nodes"])
    shapes = stakes.by_shape(findings.tuned)
    shares = {shape: stakes.share_of(part) for shape, part in shapes.items()}
    for shape, part in shapes.items():
        part_seconds = max(_LEAST_SECONDS_TO_TUNE, seconds * shares[shape] / sum(shares.values()))
        if shape.num_ranks == world.num_ranks:
            _tune_shape(findings, world, _Part(part, started, part_seconds), machine)
        else:
            groups = stakes.groups_of(part)
            job = started.on_groups(groups, shape.num_nodes)
            _tune_shape(findings, shape, _Part(part, job, part_seconds, groups), machine)


@dataclass(frozen=True)
class _Part:
    """What is at stake on communicators of one shape, and what measures there."""

    stakes: Sequence[Stake]
    job: StartedJob
    seconds: float
    groups: Sequence[Sequence[int]] = ()


def _tune_shape(findings: Findings, shape: Shape, part: _Part, machine: machines.Machine) -> None:
    wish = findings.wish
    group = part.groups[0] if part.groups else None
    setting = machine_file.setting_of(machine, findings.num_ranks, group)
    wanted = points.affordable(points.points_of(part.stakes, setting), part.seconds)
    requests = points.requests_of(wanted)
    say(f"communicators of {shape.text()}: {len(requests)} calls and sizes, {part.seconds:.0f} s")
    goal = Goal(
        collectives=tuple(dict.fromkeys(request.collective for request in requests)),
        sizes=tuple(sorted({request.bytes for request in requests if request.bytes})) or (1,),
        seconds=part.seconds,
    )
    job = tuner.Job(tuple(wish.launcher.words()), wish.files, part.job.vendor)
    try:
        findings.tunings[shape] = tuner.tune_requests(job, goal, part.job, requests)
    except Interrupted as interrupted:
        findings.tunings[shape] = interrupted.document
        raise
    finally:
        findings.rules += findings.tunings.get(shape, {"rules": []})["rules"]


def _compare(findings: Findings) -> None:
    wish = findings.wish
    about = (3 * wish.repetitions + 1) * findings.observation.seconds
    say(
        f"step 4 of 4: comparing whole runs, {wish.repetitions} times plain, with native calls and"
        f" with Espalier, in turns; about {about:.0f} s"
    )
    found = _run_comparison(wish)
    findings.comparisons.append(found)
    if found["wall"] is None:
        return
    if _rewrite(findings, lambda rules: guard.kept(rules, found)):
        if not findings.is_kept:
            say("neither the program nor any of its calls became faster; all rules are taken back")
            return
        say("rules that did not make the program's own calls faster are taken back; comparing again")
        found = _run_comparison(wish)
        findings.comparisons.append(found)
    if found["wall"] is not None and found["wall"]["verdict"] == SLOWER:
        _rewrite(findings, lambda rules: guard.all_native(rules, _SLOWER_AS_A_WHOLE))


def _run_comparison(wish: Wish) -> dict[str, Any]:
    design = Design(profile=wish.files.output, repetitions=wish.repetitions)
    answer = comparison.compare(comparison.Question(wish.target, design, wish.files.repeat))
    if answer.cause is not None:
        raise answer.cause
    if answer.document["failure"] is not None:
        raise ArgumentError(
            f"{wish.files.output}: {answer.document['failure']['text']}",
            "the program fails with this profile: please report it; it is kept for that",
        )
    return answer.document


def _rewrite(findings: Findings, change: Callable[[list[Rule]], list[Rule]]) -> bool:
    """Change the rules for the program's own shapes in the profile; false if nothing changed."""
    path = findings.wish.files.output

    def is_mine(rule: Rule) -> bool:
        return Shape(rule["num_ranks"], rule["num_nodes"]) in findings.tunings

    with locked(path):
        profile = profiles.read(path).document
        mine = [rule for rule in profile["rules"] if is_mine(rule)]
        changed = change(mine)
        if changed == mine:
            return False
        findings.rules = changed
        findings.taken_back += [
            rule for rule in changed if rule not in mine and rule["algorithm"] == NATIVE
        ]
        others = [rule for rule in profile["rules"] if not is_mine(rule)]
        profile["rules"] = sorted([*others, *changed], key=merging.order_of)
        write_whole(path.resolve(), json_text(profile), "profile", IF_UNWRITTEN)
    return True
