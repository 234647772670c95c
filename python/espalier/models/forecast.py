# SPDX-License-Identifier: Apache-2.0
"""What models say of all candidates of a collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.errors import ArgumentError
from espalier.io.console import document
from espalier.models.predictors import predictors
from espalier.sampling.candidates import candidates_for, real_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.sampling.setting import Setting


def forecast(
    setting: Setting,
    collective: str,
    sizes: Sequence[int],
    patterns: Sequence[str],
    models: Sequence[str],
) -> dict[str, Any]:
    """Return the predicted times of every candidate at every size, the fastest first.

    Raises:
        ArgumentError: for an unknown collective or model, or if no candidate is left.
    """
    if collective not in _core.calls():
        raise ArgumentError(
            f"expected a collective of {', '.join(_core.calls())}, got '{collective}'"
        )
    candidates = candidates_for(collective, setting.num_ranks, patterns, setting)
    if not candidates:
        raise ArgumentError(
            f"expected algorithms for {setting.num_ranks} ranks among {', '.join(patterns)},"
            " got none",
            "'espalier list' prints all algorithms",
        )
    chosen = predictors(setting, models)
    points: list[dict[str, Any]] = []
    for size in dict.fromkeys(real_size(collective, size, setting.num_ranks) for size in sizes):
        times: list[dict[str, Any]] = [
            {
                "algorithm": candidate,
                "predicted_us": {
                    name: predict(candidate, size) for name, predict in chosen.items()
                },
            }
            for candidate in candidates
        ]
        times.sort(key=lambda one: one["predicted_us"][models[0]])
        points.append({"bytes": size, "candidates": times})
    return document(
        "espalier-forecast",
        1,
        collective=collective,
        num_ranks=setting.num_ranks,
        machine=_core.machine_text(setting.machine),
        placement=setting.placement,
        models=list(models),
        points=points,
    )
