# SPDX-License-Identifier: Apache-2.0
"""Measure candidates of collectives, and say how far models of the machine agree."""

from __future__ import annotations

import dataclasses
import functools
import json
import statistics
import time
from typing import TYPE_CHECKING, Any

from espalier import __version__, _core
from espalier.base.interruption import Interrupted
from espalier.conditions import conditions, metadata
from espalier.conditions.cautions import Caution, to_json
from espalier.errors import ArgumentError, MpiError
from espalier.io.console import document, progress, say
from espalier.launch.measuring import parse_launcher
from espalier.models.agreement import agreement, deviation
from espalier.models.predictors import predictors
from espalier.sampling.candidates import candidates_for, real_size
from espalier.sampling.goal import check_sizes
from espalier.sampling.job import start_job
from espalier.sampling.measurement import Effort
from espalier.sampling.samples import Point, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.base.intervals import Interval
    from espalier.models.agreement import Agreement
    from espalier.models.predictors import Predictor
    from espalier.sampling.job import Job
    from espalier.sampling.samples import Problem
    from espalier.sampling.setting import Setting

SCHEMA = "espalier-model-validation"
VERSION = 1
_CLOSE = 0.05


@dataclasses.dataclass(frozen=True)
class Task:
    """What to measure, and which models to judge by it.

    With `is_all`, the collectives are all that there are, and those are left out that have fewer
    than two candidates.
    """

    collectives: tuple[str, ...]
    sizes: tuple[int, ...]
    patterns: tuple[str, ...]
    models: tuple[str, ...]
    seconds: float
    repeat: str
    seed: int = 1
    is_all: bool = False

    def check(self) -> None:
        """Raise ArgumentError for what is known to be wrong before ranks are started."""
        check_sizes(self.sizes)


@dataclasses.dataclass
class _Found:
    points: list[Point] = dataclasses.field(default_factory=list)
    problems: list[Problem] = dataclasses.field(default_factory=list)

    def take(self, result: Point | Problem) -> None:
        if isinstance(result, Point):
            self.points.append(result)
        else:
            self.problems.append(result)


def start(words: Sequence[str], vendor: str | None) -> Job:
    """Start the ranks that measure.

    Raises:
        ArgumentError: the launcher options are not clear, are those of several programs, or start
            fewer than two ranks.
    """
    return start_job(parse_launcher(words), vendor)


def validate(task: Task, setting: Setting, job: Job) -> dict[str, Any]:
    """Measure, compare, and return the document of the report.

    Raises:
        ArgumentError: there is nothing to compare, or a model predicts no time at all.
        Interrupted: after Ctrl-C or a signal, once a point was measured.
    """
    began = time.monotonic()
    # They are asked before anything is measured, and again for the document.
    models: dict[str, Predictor] = {
        name: functools.cache(predict) for name, predict in predictors(setting, task.models).items()
    }
    requests = _requests(task, setting.num_ranks)
    _check_predictions(requests, models)
    found = _Found()
    cause: BaseException | None = None
    effort = _effort(task, len(requests), job.header.get("is_simulated", False))
    work = {(one.collective, one.bytes): effort.usual_seconds(one) for one in requests}
    with progress("measuring", sum(work.values()), task.seconds) as bar:

        def take(result: Point | Problem) -> None:
            found.take(result)
            if isinstance(result, Point):
                bar.advance(work[result.place], f"{result.collective} {result.bytes} B")

        try:
            job.measurer.run(requests, effort, take)
        except (KeyboardInterrupt, SystemExit, MpiError) as error:
            bar.close()
            if not found.points:
                raise
            cause = error
    about = {
        "command": task.repeat,
        "complete": cause is None and len(found.points) == len(requests),
        "seconds": round(time.monotonic() - began, 1),
        "points_left": len(requests) - len(found.points),
    }
    result = _document(found, models, setting, job.header, about)
    if cause is not None:
        raise Interrupted(result, cause)
    return result


def _requests(task: Task, num_ranks: int) -> list[Request]:
    requests: list[Request] = []
    left_out = []
    for call in task.collectives:
        if call not in _core.calls():
            raise ArgumentError(
                f"expected a collective of {', '.join(_core.calls())}, got '{call}'"
            )
        candidates = tuple(candidates_for(call, num_ranks, task.patterns))
        if len(candidates) < 2 and task.is_all:
            left_out.append(call)
            continue
        if len(candidates) < 2:
            raise ArgumentError(
                f"expected at least 2 candidates for {call} on {num_ranks} ranks,"
                f" got {len(candidates)}",
                "use fewer --algorithms patterns, or leave them out",
            )
        sizes = dict.fromkeys(real_size(call, size, num_ranks) for size in task.sizes)
        requests += [Request(call, size, candidates) for size in sizes]
    _tell_left_out(left_out, num_ranks, is_anything_left=bool(requests))
    return sorted(requests, key=lambda request: request.bytes)


def _tell_left_out(calls: Sequence[str], num_ranks: int, *, is_anything_left: bool) -> None:
    names = ", ".join(calls)
    if not is_anything_left:
        raise ArgumentError(
            f"expected at least 2 candidates for some collective on {num_ranks} ranks, got fewer"
            f" for {names}",
            "use fewer --algorithms patterns, or leave them out",
        )
    if calls:
        say(
            f"note: {names} left out, since there are fewer than 2 candidates to compare on"
            f" {num_ranks} ranks"
        )


def _check_predictions(requests: Sequence[Request], models: dict[str, Predictor]) -> None:
    """Raise ArgumentError if a time is predicted that no measured one can be compared with."""
    for request in requests:
        for name, predict in models.items():
            for candidate in request.algorithms:
                if predict(candidate, request.bytes) <= 0:
                    raise ArgumentError(
                        f"expected times above 0 from the model {name}, got 0 for {candidate}"
                        f" with {request.bytes} B",
                        "give the links of the machine a latency, or leave"
                        f" {request.collective} out of --collectives",
                    )


def _effort(task: Task, num_points: int, is_simulated: bool) -> Effort:
    return Effort(
        seconds=task.seconds,
        seconds_per_point=max(2 * task.seconds / num_points, 0.01),
        # Repetitions of a simulation differ only by what the call before left behind.
        min_repetitions=2 if is_simulated else 10,
        max_repetitions=3 if is_simulated else 200,
        precision=0.01,
        seed=task.seed,
    )


def _document(
    found: _Found,
    models: dict[str, Predictor],
    setting: Setting,
    header: dict[str, Any],
    about: dict[str, Any],
) -> dict[str, Any]:
    points = [_point(point, models) for point in found.points]
    return document(
        SCHEMA,
        VERSION,
        **about,
        created=metadata.now(),
        espalier=__version__,
        machine=metadata.machine(),
        mpi=header["mpi"],
        num_ranks=header["num_ranks"],
        num_nodes=header["num_nodes"],
        model_machine=json.loads(setting.machine),
        model_machine_text=_core.machine_text(setting.machine),
        placement=setting.placement,
        models=list(models),
        points=points,
        summary={name: _summary(name, points) for name in models},
        warnings=to_json(_cautions(found, header, about)),
    )


def _point(point: Point, models: dict[str, Predictor]) -> dict[str, Any]:
    names = point.candidates
    predicted = {
        model: {name: predict(name, point.bytes) for name in names}
        for model, predict in models.items()
    }
    samples = {name: point.samples_us[name] for name in names}
    return {
        "collective": point.collective,
        "bytes": point.bytes,
        "num_samples": len(point.native_us),
        "native_us": statistics.median(point.native_us),
        "candidates": {
            name: {
                "measured_us": statistics.median(samples[name]),
                "predicted_us": {model: predicted[model][name] for model in models},
            }
            for name in names
        },
        "agreement": {
            model: _agreement(agreement(predicted[model], samples, point.native_us))
            for model in models
        },
    }


def _agreement(found: Agreement) -> dict[str, Any]:
    return {
        "kendall": found.kendall,
        "chosen": found.chosen,
        "best": found.best,
        "regret": found.regret,
        "slowdown": _interval(found.slowdown),
        "against_native": _interval(found.against_native),
        "bias": found.bias,
        "error": found.error,
    }


def _interval(interval: Interval) -> dict[str, float]:
    return {"median": interval.value, "low": interval.low, "high": interval.high}


def _summary(model: str, points: Sequence[dict[str, Any]]) -> dict[str, Any]:
    if not points:
        return {}
    found = [point["agreement"][model] for point in points]
    correlations = [one["kendall"] for one in found if one["kendall"] is not None]
    regrets = [one["regret"] for one in found]
    return {
        "kendall_median": statistics.median(correlations) if correlations else None,
        "regret_median": statistics.median(regrets),
        "regret_mean": statistics.fmean(regrets),
        "regret_max": max(regrets),
        "share_close": statistics.fmean(regret <= _CLOSE for regret in regrets),
        "by_size": _by_size(model, points),
    }


def _by_size(model: str, points: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for size in sorted({point["bytes"] for point in points}):
        ratios = [
            one["predicted_us"][model] / one["measured_us"]
            for point in points
            if point["bytes"] == size
            for one in point["candidates"].values()
        ]
        bias, error = deviation(ratios)
        rows.append({"bytes": size, "bias": bias, "error": error, "count": len(ratios)})
    return rows


def _cautions(found: _Found, header: dict[str, Any], about: dict[str, Any]) -> list[Caution]:
    cautions = conditions.of_machine() + conditions.of_job(header)
    cautions += conditions.of_noise(
        [point.native_us for point in found.points], "repetitions of the native call"
    )
    wrong = [problem for problem in found.problems if problem.reason == "wrong"]
    cautions += [
        Caution("wrong", f"{one.algorithm} gave a wrong {one.collective} ({one.text})", "report it")
        for one in wrong
    ]
    if about["points_left"]:
        cautions.append(
            Caution(
                "time",
                f"{about['points_left']} points were not measured",
                "give more with --time-budget, or fewer --sizes or --algorithms",
            )
        )
    return cautions
