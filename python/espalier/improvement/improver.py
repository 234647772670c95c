# SPDX-License-Identifier: Apache-2.0
"""A whole improvement: from the user's command to a profile that his program gains from.

1. One run counts what the program calls, how long that takes, and who sends how much to whom. If
   another placement of the ranks would keep bytes inside nodes, it is proposed, or tried.
2. The machine is known, or it is probed.
3. The calls and sizes at which most time is spent are tuned, with the ranks of the program.
4. Whole runs are compared, with and without, in turns.
5. Rules by which the program lost time are taken back, and what is left is compared again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from espalier import _core, installation
from espalier.base import calls
from espalier.base.interruption import Interrupted
from espalier.compare import comparison
from espalier.compare.experiment import ESPALIER, Design, FailedRunError
from espalier.errors import ArgumentError
from espalier.improvement import (
    budget,
    guard,
    machine_file,
    outcome,
    placement,
    plain_form,
    points,
    stakes,
)
from espalier.improvement.findings import Findings
from espalier.improvement.observation import Observation, observe
from espalier.io.console import say
from espalier.io.output_files import locked
from espalier.launch.measuring import check_launcher, require_program
from espalier.machines import machines, priced
from espalier.profiles import merging, profiles
from espalier.profiles.profiles import Shape
from espalier.sampling.goal import ESTIMATE, EXHAUSTIVE
from espalier.sampling.job import start_job
from espalier.sampling.native_algorithms import offered, with_native_algorithms
from espalier.sampling.samples import NATIVE
from espalier.tuning import tuner
from espalier.tuning.modelled import Question, model_profile
from espalier.tuning.session import IF_UNWRITTEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from espalier.improvement.findings import Wish
    from espalier.improvement.guard import Rule
    from espalier.improvement.stakes import Stake
    from espalier.launch.preload import Target
    from espalier.sampling.job import Job as StartedJob
    from espalier.sampling.samples import Request
    from espalier.sampling.setting import Setting

# Of the time budget, if the machine has to be probed.
_SHARE_OF_PROBE = 0.25
_MOST_SECONDS_OF_PROBE = 60.0
_LEAST_SECONDS_TO_TUNE = 10.0
# No model says which of them are worth the time.
_MOST_NATIVE_ALGORITHMS = 6
# So many times as many runs tell chance from a loss.
_MORE = 2
_SLOWER_AS_A_WHOLE = "the program as a whole was not faster"


@dataclass(frozen=True)
class WholeRuns:
    """The program that is compared with and without the profile, and how often."""

    target: Target
    repetitions: int = 6
    counts_traffic: bool = True
    tries_placement: bool = False


def improve(wish: Wish, runs: WholeRuns) -> dict[str, Any]:
    """Improve, write the profile, and return the document of the report.

    Raises:
        FailedRunError: the program fails, with or without Espalier, or shows no MPI calls.
        Interrupted: after Ctrl-C or a signal, once the program was observed.
    """
    start = time.monotonic()
    check_launcher(wish.command)
    _check(wish)
    say(f"step 1 of 4: running the program once to count its calls: {wish.command.text()}")
    folder = wish.files.output.parent
    findings = Findings(wish, observe(runs.target, folder, counts_traffic=runs.counts_traffic))

    def steps() -> None:
        placed = _place(findings, runs)
        _tune_calls(findings)
        if findings.is_kept:
            _compare(findings, placed)

    return _carry_out(findings, steps, start)


def tune_for(wish: Wish, run: dict[str, Any]) -> dict[str, Any]:
    """Tune for the calls of a run that was counted before, and return the document of the report.

    Args:
        wish: With the launcher of that run.
        run: What the run left behind (`espalier-run-explanation`).

    Raises:
        ArgumentError: the launcher starts another number of ranks.
        Interrupted: after Ctrl-C or a signal.
    """
    start = time.monotonic()
    _check(wish)
    say(f"step 1 of 3: the calls are those of {run['folder']}")
    findings = Findings(wish, Observation(run["seconds"], run))
    return _carry_out(findings, lambda: _tune_calls(findings), start)


def _check(wish: Wish) -> None:
    """Find out before anything runs what would fail in the end."""
    wish.goal().check()
    merging.check(wish.files.output, wish.vendor)
    if wish.machine:
        priced.load(wish.machine)
    if wish.effort != ESTIMATE:
        program = installation.measurement_program(wish.vendor)
        require_program(program, f"espalier-measure-{wish.vendor}")


def _carry_out(findings: Findings, steps: Callable[[], None], start: float) -> dict[str, Any]:
    cause: BaseException | None = None
    try:
        steps()
    except Interrupted as interrupted:
        cause = interrupted.cause
    except (KeyboardInterrupt, SystemExit) as error:
        cause = error
    findings.seconds = time.monotonic() - start
    document = outcome.make_document(findings, is_complete=cause is None)
    if cause is not None:
        say(f"to go on where this ended: {findings.wish.files.repeat}")
        raise Interrupted(document, cause)
    return document


def _place(findings: Findings, runs: WholeRuns) -> WholeRuns:
    """Propose another placement, and go on with it if it was tried and is significantly faster.

    The calls are counted again then: a communicator of rows may lie on other nodes.
    """
    sent = findings.observation.sent
    if sent is None:
        return runs
    proposal = placement.propose(sent, findings.wish.command, findings.wish.files.output)
    findings.placement = proposal
    if proposal is None or proposal.command is None or not runs.tries_placement:
        return runs
    about = (2 * runs.repetitions + 1) * findings.observation.seconds
    say(
        f"comparing {runs.repetitions} times whole runs as ranks are placed now and as"
        f" {proposal.file} places them, in turns; about {about:.0f} s"
    )
    proposal = placement.try_out(proposal, runs.target, runs.repetitions)
    findings.placement = proposal
    if not proposal.is_kept or proposal.command is None:
        return runs
    say(f"ranks are placed so from now on; counting the calls again: {proposal.command.text()}")
    target = replace(runs.target, command=proposal.command)
    findings.wish = replace(findings.wish, command=proposal.command)
    findings.observation = observe(target, findings.wish.files.output.parent)
    return replace(runs, target=target)


@dataclass(frozen=True)
class _Started:
    """Ranks of the launcher, and how long it took to start them."""

    job: StartedJob
    seconds: float


def _tune_calls(findings: Findings) -> None:
    wish = findings.wish
    findings.stakes = stakes.all_stakes(findings.observation.run)
    findings.tuned = stakes.worth_tuning(findings.stakes, findings.num_ranks)
    if not findings.tuned:
        return
    begin = time.monotonic()
    job = start_job(wish.launcher, wish.vendor)
    started = _Started(job, time.monotonic() - begin)
    if job.header["num_ranks"] != findings.num_ranks:
        raise ArgumentError(
            f"expected a launcher that starts {findings.num_ranks} ranks, as the program had;"
            f" '{wish.launcher.text()}' started {job.header['num_ranks']}",
            "give the launcher's options of the program's run",
        )
    findings.num_nodes = job.header["num_nodes"]
    machine = _machine(findings, job)
    left = max(_LEAST_SECONDS_TO_TUNE, wish.seconds - (time.monotonic() - begin))
    _tune(findings, started, machine, left)


def _machine(findings: Findings, started: StartedJob) -> machines.Machine:
    wish = findings.wish
    step = f"step 2 of {wish.num_steps}"
    if wish.machine:
        say(f"{step}: the machine is given as {wish.machine}")
        return machines.load(wish.machine)
    path = machine_file.path_beside(wish.files.output)
    known = machine_file.kept(path, started.header)
    if known is not None:
        say(f"{step}: the machine is known from {path}; remove it to probe again")
        return known
    seconds = min(_MOST_SECONDS_OF_PROBE, _SHARE_OF_PROBE * wish.seconds)
    say(f"{step}: probing the machine for about {seconds:.0f} s; {path} keeps it")
    return machine_file.probe(wish.launcher.words(), path, seconds, started.vendor)


def _tune(findings: Findings, started: _Started, machine: machines.Machine, seconds: float) -> None:
    """Tune communicators of one shape after the other, those with most at stake first."""
    say(
        f"step 3 of {findings.wish.num_steps}: tuning"
        f" {_percent(stakes.share_of(findings.tuned))} of the program's time for about"
        f" {seconds:.0f} s"
    )
    parts = {part.shape: part for part in _parts(findings, started.job, machine)}
    if findings.wish.effort == ESTIMATE:
        for part in parts.values():
            _estimate_shape(findings, part, machine)
        return
    lists_all = findings.wish.effort == EXHAUSTIVE
    points_of = {
        shape: points.points_of(part.stakes, part.setting, lists_all=lists_all)
        for shape, part in parts.items()
    }
    chosen = budget.portions(points_of, seconds, started.seconds)
    for shape, portion in chosen.items():
        _tune_shape(findings, parts[shape], portion)


@dataclass(frozen=True)
class _Part:
    """What is at stake on communicators of one shape, where their ranks are, and what measures."""

    shape: Shape
    stakes: Sequence[Stake]
    setting: Setting
    job: StartedJob


def _parts(findings: Findings, started: StartedJob, machine: machines.Machine) -> Iterator[_Part]:
    nodes = started.header.pop("node_of_rank", ())
    started.header["placement"] = _core.placement_of(nodes)
    num_ranks = findings.num_ranks
    if whole := [stake for stake in findings.tuned if stake.shape.num_ranks == num_ranks]:
        world = Shape(num_ranks, started.header["num_nodes"])
        yield _Part(world, whole, machine_file.setting_of(machine, num_ranks), started)
    for shape, part in stakes.by_shape(findings.tuned).items():
        if shape.num_ranks != num_ranks:
            groups = stakes.groups_of(part)
            setting = machine_file.setting_of(machine, num_ranks, groups[0])
            placement = _placement_of(groups, nodes)
            job = started.on_groups(groups, shape.num_nodes, placement)
            yield _Part(shape, part, setting, job)


def _placement_of(groups: Sequence[Sequence[int]], nodes: Sequence[int]) -> str:
    """Return how the ranks of all groups lie on nodes; empty if groups differ, or nobody knows."""
    if not nodes:
        return ""
    found = {_core.placement_of([nodes[rank] for rank in group]) for group in groups}
    return found.pop() if len(found) == 1 else ""


def _tune_shape(findings: Findings, part: _Part, portion: budget.Portion) -> None:
    wish, shape = findings.wish, part.shape
    menus = offered(part.job.vendor, shape.num_ranks, part.job.command)
    requests = with_native_algorithms(
        budget.requests_of(portion.points), menus, _MOST_NATIVE_ALGORITHMS
    )
    say(
        f"communicators of {shape.text()}: {len(requests)} calls and sizes, {portion.seconds:.0f} s"
    )
    goal = wish.goal(
        collectives=tuple(dict.fromkeys(request.collective for request in requests)),
        sizes=tuple(sorted({request.bytes for request in requests if request.bytes})) or (1,),
        seconds=portion.seconds,
    )
    job = tuner.Job(tuple(wish.launcher.words()), wish.files, part.job.vendor)
    try:
        findings.tunings[shape] = tuner.tune_requests(job, goal, part.job, requests)
    except Interrupted as interrupted:
        findings.tunings[shape] = interrupted.document
        raise
    finally:
        findings.rules += findings.tunings.get(shape, {"rules": []})["rules"]
    _check_plain_form(findings, part, requests, portion.seconds)


def _check_plain_form(
    findings: Findings, part: _Part, requests: Sequence[Request], seconds: float
) -> None:
    """Take back what is slower in the form that the program does not use, and rules do not know."""
    rules = findings.tunings[part.shape]["rules"]
    wanted = plain_form.checks(rules, requests, part.shape.num_ranks)
    lost = plain_form.losses(part.job.measurer, wanted, seconds, findings.wish.confidence)
    if lost:
        _rewrite(findings, lambda rules: plain_form.without(rules, lost), part.shape)


def _estimate_shape(findings: Findings, part: _Part, machine: machines.Machine) -> None:
    """Take what the model finds fastest; whether it is, only whole runs will tell."""
    wish, shape = findings.wish, part.shape
    # The model is one of calls that the program waits in.
    wanted = [stake.point for stake in part.stakes if not calls.is_nonblocking(stake.call)]
    if not wanted:
        return
    question = Question(
        setting=part.setting,
        num_nodes=shape.num_nodes,
        collectives=tuple(dict.fromkeys(call for call, _ in wanted)),
        sizes=tuple(sorted({max(1, size) for _, size in wanted})),
    )
    about = {
        "command": wish.files.repeat,
        "machine": priced.described(machine, part.setting.placement),
        "mpi": part.job.header["mpi"],
    }
    profile = model_profile(question, about)
    merging.add(wish.files.output, profile, IF_UNWRITTEN)
    rules = profile["rules"]
    decided = [
        {"collective": call, "bytes": size, **_rule_for(call, size, rules)} for call, size in wanted
    ]
    findings.tunings[shape] = {"points": decided, "rules": rules, "warnings": []}
    findings.rules += rules


def _rule_for(call: str, size: int, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return the algorithm for a size, and why, of rules for all sizes of a call."""
    rule = next(
        rule
        for rule in rules
        if rule["collective"] == call and (rule["max_bytes"] is None or size <= rule["max_bytes"])
    )
    return {"algorithm": rule["algorithm"], "reason": rule["reason"]}


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"


def _compare(findings: Findings, runs: WholeRuns) -> None:
    about = (3 * runs.repetitions + 1) * findings.observation.seconds
    say(
        f"step 4 of 4: comparing whole runs, {runs.repetitions} times plain, with native calls and"
        f" with Espalier, in turns; about {about:.0f} s"
    )
    found = _run_comparison(findings.wish, runs)
    findings.comparisons.append(found)
    if found["wall"] is None:
        return
    found = _without_losses(findings, runs, found)
    if not findings.is_kept:
        return
    if found["wall"] is not None and guard.may_be_chance(found):
        say(
            f"the program's calls save {_percent(guard.saved_share(found))} of its time, but whole"
            f" runs differ too much to show it; comparing {_MORE * runs.repetitions} times more"
        )
        more = replace(runs, repetitions=_MORE * runs.repetitions)
        found = _run_comparison(findings.wish, more)
        findings.comparisons.append(found)
    if found["wall"] is not None and guard.is_slower(found["wall"]):
        _rewrite(findings, lambda rules: guard.all_native(rules, _SLOWER_AS_A_WHOLE))


def _without_losses(findings: Findings, runs: WholeRuns, found: dict[str, Any]) -> dict[str, Any]:
    """Take back what a comparison says of rules, and return the one that holds for what is left."""
    gone = _rewrite(findings, lambda rules: guard.kept(rules, found))
    if not gone:
        return found
    if not findings.is_kept:
        say("neither the program nor any of its calls became faster; all rules are taken back")
        return found
    share = guard.share_of(gone, found)
    is_other = share >= guard.NOTICEABLE
    then = "comparing again" if is_other else f"they decided for {_percent(share)} of the time"
    say(f"rules that did not make the program's own calls faster are taken back; {then}")
    if is_other:
        found = _run_comparison(findings.wish, runs)
        findings.comparisons.append(found)
    return found


def _run_comparison(wish: Wish, runs: WholeRuns) -> dict[str, Any]:
    output = wish.files.output
    design = Design(profile=output, repetitions=runs.repetitions, folder=output.parent)
    answer = comparison.compare(comparison.Question(runs.target, design, wish.files.repeat))
    if answer.cause is not None:
        raise answer.cause
    failure = answer.document["failure"]
    if failure is not None:
        raise FailedRunError(
            f"{wish.files.output}: {failure['text']}",
            _advice(failure),
            exit_code=failure["exit_code"],
        )
    return answer.document


def _advice(failure: dict[str, Any]) -> str:
    """Return what to do about a run that ended a comparison."""
    unchecked = "the profile is kept, but was not checked by whole runs: try the command again"
    if failure["advice"]:
        return f"{failure['advice']}; {unchecked}"
    if failure["kind"] == ESPALIER:
        return "the program fails with this profile: please report it; it is kept for that"
    return (
        f"the program failed in a run that the profile has no part in ({failure['kind']});"
        f" {unchecked}"
    )


def _rewrite(
    findings: Findings, change: Callable[[list[Rule]], list[Rule]], only: Shape | None = None
) -> list[Rule]:
    """Change the rules for the program's own calls in the profile; return what became native."""
    path = findings.wish.files.output
    parts = findings.parts_of_program(only)

    def is_mine(rule: Rule) -> bool:
        shape = Shape(rule["num_ranks"], rule["num_nodes"])
        return "topology" not in rule and (rule["collective"], shape) in parts

    with locked(path):
        profile = profiles.read(path).document
        mine = [rule for rule in profile["rules"] if is_mine(rule)]
        changed = change(mine)
        if changed == mine:
            return []
        kept = [rule for rule in findings.rules if not is_mine(rule)]
        findings.rules = kept + changed
        gone = [rule for rule in changed if rule not in mine and rule["algorithm"] == NATIVE]
        findings.taken_back += gone
        others = [rule for rule in profile["rules"] if not is_mine(rule)]
        profile["rules"] = sorted([*others, *changed], key=merging.order_of)
        profiles.write(path.resolve(), profile, IF_UNWRITTEN)
    return gone
