# SPDX-License-Identifier: Apache-2.0
"""Learning while a program runs: what is tried, what it costs, and what it leaves alone."""

from __future__ import annotations

import json
from pathlib import Path

from behaviour_context import Context, expect
from behaviour_lessons import (
    PROGRAM,
    learn,
    learn_something,
    remembered,
    rules_of,
    trials,
    trials_after,
)

LONG = 2000


def case_learning_is_counted(context: Context) -> None:
    """Trials are rows of the statistics, their costs are within the bound or one trial above."""
    memory = context.folder / "memory.json"
    outcome = learn(context, memory, ESPALIER_STATISTICS=str(context.statistics))
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    report = context.reports()[0]
    tried = [row for row in report["calls"] if row["reason"].startswith("learning:")]
    expect(len({row["algorithm"] for row in tried}) > 3, "several candidates", tried)
    costs = report["learning"]
    expect(costs["lost_seconds"] > 0, "costs", costs)
    slowest = max(row["seconds"] / row["count"] for row in report["calls"])
    expect(
        costs["lost_seconds"] <= costs["bound_seconds"] + 20 * slowest, "within the bound", costs
    )


def case_contexts_come_with_trials(context: Context) -> None:
    """Communicators that come to no trial are not made ready for messages of ours."""
    memory = context.folder / "memory.json"
    outcome = context.launch(
        *(context.program(PROGRAM), "60", "2"),
        ESPALIER_LEARN="100%",
        ESPALIER_MEMORY=str(memory),
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    # Six are made. The five duplicates are used for two calls of a function each; of two halves one
    # has two ranks, and the other one is a rank alone.
    made = [report["own_communicators"]["count"] for report in context.reports()]
    expect(made == [1, 0, 1], "the half of two ranks alone", made)


def case_memory_serves_the_next_run(context: Context) -> None:
    """What was learned is a profile that the next run uses from its first call."""
    memory = context.folder / "folder" / "memory.json"
    learn_something(context, memory)
    rules = rules_of(memory)
    expect(len(rules) > 0, "rules", rules)
    outcome = learn(context, memory, 3, ESPALIER_STATISTICS=str(context.statistics))
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    known = {(rule["collective"], rule["algorithm"]) for rule in rules if rule["num_ranks"] == 2}
    calls = context.reports()[0]["calls"]
    used = {
        (row["function"].removeprefix("MPI_").lower(), row["algorithm"])
        for row in calls
        if "learned while a program ran" in row["reason"]
    }
    expect(len(used) > 0, "rules that serve", calls)
    expect(used <= known, f"only {known}", used)


def case_undecided_trials_go_on(context: Context) -> None:
    """What earlier runs tried and did not decide is added to."""
    memory = remembered(context)
    document = json.loads(memory.read_text(encoding="utf-8"))
    shape = {"num_ranks": 2, "num_nodes": 1, "min_bytes": 2048, "max_bytes": 4095}
    before = trials({"collective": "allgather", **shape}, 1e-6, "native", "allgather/ring")
    before |= {"num_rounds": 10}
    before["candidates"][1]["wins_and_pairs"] = [4, 8]
    memory.write_text(json.dumps({**document, "trials": [before]}), encoding="utf-8")
    # How many calls pay for a round depends on the machine, and on what else it does: one trial
    # that lost its processor for 50 ms is paid by 10,000 calls of 10 us. Each run goes on with the
    # round of the last one, and has a bound of its own.
    for num_calls in (40, 400, *[4000] * 10):
        after = trials_after(context, memory, num_calls, before)
        if after["num_rounds"] > 10:
            break
    expect(after["num_rounds"] > 10, "more rounds", after)
    pairs = after["candidates"][1]["wins_and_pairs"][1]
    expect(pairs - 8 == after["num_rounds"] - 10, "as many more pairs as rounds", after)


def case_trials_of_several_communicators(context: Context) -> None:
    """Communicators that go on with each other's trials count each of them once."""
    memory = context.folder / "memory.json"
    outcome = context.launch(
        *(context.program(PROGRAM), "2", "400"),
        num_ranks=2,
        ESPALIER_LEARN="50%",
        ESPALIER_MEMORY=str(memory),
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    calls: dict[tuple[str, str, int], int] = {}
    for row in context.reports()[0]["calls"]:
        key = (row["function"].removeprefix("MPI_").lower(), row["algorithm"], row["min_bytes"])
        calls[key] = calls.get(key, 0) + row["count"]
    found = 0
    for kind in json.loads(memory.read_text(encoding="utf-8"))["trials"]:
        if kind["max_bytes"] is None:
            continue
        for one in kind["candidates"][1:]:
            made = calls.get((kind["collective"], one["algorithm"], kind["min_bytes"]), 0)
            pairs = one["wins_and_pairs"][1]
            expect(pairs <= made, f"at most {made} pairs", (kind["collective"], one))
            found += pairs
    expect(found > 0, "pairs", memory.read_text(encoding="utf-8"))


def case_runs_in_vain_cost_less(context: Context) -> None:
    """A program in which nothing was found may lose less, and its runs are counted."""
    memory = remembered(context)
    name = f"2 x {Path(context.program(PROGRAM)).name} 3"
    document = json.loads(memory.read_text(encoding="utf-8"))
    document["programs"] = [{"program": name, "runs_in_vain": 9, "seconds_at_stake": 0.05}]
    bounds = []
    for text in (document, {**document, "programs": []}):
        memory.write_text(json.dumps(text), encoding="utf-8")
        outcome = learn(context, memory, 3, ESPALIER_STATISTICS=str(context.statistics))
        expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
        bounds.append(context.reports()[0]["learning"]["bound_seconds"])
    expect(bounds[0] < bounds[1], "a lower bound", bounds)

    # Without the trials of those runs, after which its calls would seem too few to learn from.
    memory.write_text(json.dumps(document), encoding="utf-8")
    learn(context, memory, 40)
    programs = json.loads(memory.read_text(encoding="utf-8"))["programs"]
    expect(programs[0]["program"] == name.removesuffix("3") + "40", "the program first", programs)


def case_runs_with_a_profile_are_counted_apart(context: Context) -> None:
    """That nothing was found beside the rules of a profile says nothing of runs without one."""
    memory = remembered(context)
    profile = context.profile()
    learn(context, memory, 40, ESPALIER_PROFILE=profile)
    (counted,) = json.loads(memory.read_text(encoding="utf-8"))["programs"]
    name = f"2 x {Path(context.program(PROGRAM)).name} 40"
    expect(counted["program"] == f"{name}, with a profile", name, counted)

    document = json.loads(memory.read_text(encoding="utf-8"))
    document["programs"] = [{**counted, "runs_in_vain": 9, "seconds_at_stake": 0.0}]
    bounds = []
    for settings in ({"ESPALIER_PROFILE": profile}, {}):
        memory.write_text(json.dumps(document), encoding="utf-8")
        learn(context, memory, 40, ESPALIER_STATISTICS=str(context.statistics), **settings)
        bounds.append(context.reports()[0]["learning"]["bound_seconds"])
    expect(bounds[0] < 0.5 * bounds[1], "a lower bound with the profile", bounds)


def case_program_rests(context: Context) -> None:
    """A program in which learning was in vain makes native calls, unless its cost is asked for."""
    memory = remembered(context)
    name = f"2 x {Path(context.program(PROGRAM)).name} 3"
    document = json.loads(memory.read_text(encoding="utf-8"))
    # It would have learned in one of a million runs.
    in_vain = {"runs_in_vain": 9, "seconds_at_stake": 0, "seconds": 1, "cost_seconds": 1e4}
    document |= {"programs": [{"program": name, **in_vain}], "rules": []}
    memory.write_text(json.dumps(document), encoding="utf-8")
    before = memory.read_bytes()

    def lines_of(share: str) -> list[str]:
        settings = {"ESPALIER_LEARN": share, "ESPALIER_MEMORY": str(memory)}
        outcome = context.launch(
            context.program(PROGRAM), "3", num_ranks=2, ESPALIER_VERBOSE="1", **settings
        )
        expect(outcome.code == 0, "exit code 0", outcome)
        return outcome.lines

    lines = lines_of("on")
    reason = "learning took 10000000 ms of 1.00 s and found nothing faster in the last 9 runs"
    expect(lines[0].endswith("resting, as " + reason), reason, lines)
    expect(not any("learning lost" in line for line in lines), "no learning", lines)
    expect(memory.read_bytes() == before, "the same memory", memory)
    lines = lines_of("1%")
    expect("resting" not in lines[0], "it learns as it was told", lines)
    expect(any("learning lost" in line for line in lines), "what it cost", lines)
    expect(any("what it knows saved about" in line for line in lines), "what it saved", lines)


def case_learning_by_default(context: Context) -> None:
    """A program that is only preloaded learns, and remembers in the usual place."""
    settings = {"XDG_STATE_HOME": str(context.folder), "ESPALIER_LEARN": ""}
    for _ in range(5):
        outcome = context.launch(context.program(PROGRAM), "300", num_ranks=2, **settings)
        expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
        files = list((context.folder / "espalier").glob("*.json"))
        if files:
            break
    expect(len(files) == 1, "one file", files)
    expect(json.loads(files[0].read_text(encoding="utf-8"))["trials"] != [], "trials", files)


def case_too_little_to_learn(context: Context) -> None:
    """A program that ends at once leaves no file."""
    # On a busy machine it may take longer.
    folders = [context.folder / str(number) for number in range(5)]
    for folder in folders:
        settings = {"XDG_STATE_HOME": str(folder), "ESPALIER_LEARN": ""}
        outcome = context.launch(context.program("mpi_shim_program"), num_ranks=2, **settings)
        expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
        if not (folder / "espalier").exists():
            return
    expect(False, "a run without a file", folders)


def case_gains_may_be_lost_again(context: Context) -> None:
    """Calls that follow what was learned allow trials half of what they save."""
    memory = remembered(context)
    document = json.loads(memory.read_text(encoding="utf-8"))
    shape = {"num_ranks": 2, "num_nodes": 1}
    kind = {"collective": "allgather", **shape, "min_bytes": 2048, "max_bytes": 4095}
    document["rules"].append({**kind, "algorithm": "allgather/ring", "reason": "learned"})
    bounds = []
    for saved in (0.0, 10.0):
        known = trials(kind, 1e-4, "native", "allgather/ring")
        known["candidates"][0]["seconds"] = 1.0 + saved
        known["candidates"][1]["seconds"] = 1.0
        memory.write_text(json.dumps({**document, "trials": [known]}), encoding="utf-8")
        outcome = learn(context, memory, 3, ESPALIER_STATISTICS=str(context.statistics))
        expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
        (report, *_) = context.reports()
        bounds.append(report["learning"]["bound_seconds"])
    calls = sum(row["count"] for row in report["calls"] if row["algorithm"] == "allgather/ring")
    expect(calls > 0, "calls that follow the rule", report["calls"])
    # A share of the time of the program counts too, and it takes less than a second of that.
    gained = bounds[1] - bounds[0]
    expect(abs(gained - calls * 10.0 / 2) < 1, f"half of {calls} times 10 s", gained)


def case_decided_calls_take_no_turn(context: Context) -> None:
    """What is tried first is what takes most time and has no rule yet."""
    memory = remembered(context)
    document = json.loads(memory.read_text(encoding="utf-8"))
    shape = {"num_ranks": 2, "num_nodes": 1}
    decided = {"collective": "reduce", **shape, "min_bytes": 1 << 40, "max_bytes": (1 << 41) - 1}
    open_ = {"collective": "allgather", **shape, "min_bytes": 2048, "max_bytes": 4095}
    document["rules"].append({**decided, "algorithm": "native", "reason": "decided"})
    document["trials"] = [
        trials(decided, 1.0),
        trials(open_, 1e-6, "native", "allgather/ring"),
    ]
    memory.write_text(json.dumps(document), encoding="utf-8")
    # On a busy machine the first calls may take what there is to spend. A kind that gets no turn
    # early begins with call 1000.
    after = trials_after(context, memory, 900, open_)
    # What an exchange costs is known with the next one.
    knows_cost = after["exchange_seconds"] != document["trials"][1]["exchange_seconds"]
    expect(
        knows_cost or after["num_rounds"] == 1,
        "trials in the first calls, after which ranks exchanged what they took",
        after,
    )


def case_calls_that_cost_more_than_they_take(context: Context) -> None:
    """Calls are left alone, without a look at them, if a race would cost more than they take."""
    memory = remembered(context)
    document = json.loads(memory.read_text(encoding="utf-8"))
    shape = {"num_ranks": 2, "num_nodes": 1, "min_bytes": 2048, "max_bytes": 4095}
    seen = trials({"collective": "allgather", **shape}, 1e-6)
    for exchange_seconds, is_tried in ((1.0, False), (1e-9, True)):
        document["trials"] = [{**seen, "exchange_seconds": exchange_seconds}]
        memory.write_text(json.dumps(document), encoding="utf-8")
        after = trials_after(context, memory, 200, seen)
        has_exchanged = after["exchange_seconds"] != exchange_seconds
        expect(has_exchanged == is_tried, f"exchanges: {is_tried}", after)


def case_looks_again_where_nothing_won(context: Context) -> None:
    """A long program looks for better candidates when all that were found have lost."""
    memory = remembered(context)
    document = json.loads(memory.read_text(encoding="utf-8"))
    shape = {"num_ranks": 2, "num_nodes": 1, "min_bytes": 2048, "max_bytes": 4095}
    lost = trials({"collective": "allgather", **shape}, 1.0, "native", "allgather/bruck")
    lost["num_rounds"] = 5
    for candidate in lost["candidates"]:
        candidate.update(predicted_seconds=1.0, seconds=1.0)
    lost["candidates"][1].update(wins_and_pairs=[0, 5], is_out=True)
    memory.write_text(json.dumps({**document, "trials": [lost]}), encoding="utf-8")
    after = trials_after(context, memory, LONG, lost)
    (native, *others) = [candidate["algorithm"] for candidate in after["candidates"]]
    expect(after["is_thorough"] and after["num_rounds"] == 0, "a race that begins anew", after)
    expect(native == "native" and others not in ([], ["allgather/bruck"]), "others", others)
    open_ = [rule for rule in rules_of(memory) if rule["collective"] == "allgather"]
    expect(all(rule["min_bytes"] != 2048 for rule in open_), "nothing is decided", open_)


def case_learn_nonsense(context: Context) -> None:
    """A wrong value is one line."""
    outcome = context.launch(
        context.program("mpi_shim_program"), ESPALIER_LEARN="much", ESPALIER_MEMORY="off"
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect("expected on, off or what it may cost" in outcome.lines[0], "help", outcome.lines)
