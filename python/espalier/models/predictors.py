# SPDX-License-Identifier: Apache-2.0
"""Models as functions: what a choice takes on a machine, in microseconds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from espalier import _core
from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from espalier.sampling.setting import Setting

    Predictor = Callable[[str, int], float]


def predictors(setting: Setting, names: Sequence[str]) -> dict[str, Predictor]:
    """Return the models of these names; each takes a choice and the bytes of the whole result.

    Raises:
        ArgumentError: for an unknown name.
    """
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        raise ArgumentError(f"expected models of {', '.join(MODELS)}, got '{unknown[0]}'")
    return {name: functools.partial(MODELS[name], setting) for name in names}


def replay_us(setting: Setting, choice: str, num_bytes: int) -> float:
    """Return the time of the last rank when the schedule is replayed with shared links."""
    result = _core.replay(
        choice, setting.num_ranks, 0, setting.machine, setting.placement, num_bytes
    )
    return 1e6 * result["seconds"]


def sharing_us(setting: Setting, choice: str, num_bytes: int) -> float:
    """Return the same where messages share links equally, instead of waiting for each other."""
    seconds = _core.shared_time(
        choice, setting.num_ranks, 0, setting.machine, setting.placement, num_bytes
    )
    return 1e6 * seconds


def levels_us(setting: Setting, choice: str, num_bytes: int) -> float:
    """Return Hockney's time with a latency and a bandwidth for each level, nothing shared."""
    seconds = _core.levels_time(
        choice, setting.num_ranks, 0, setting.machine, setting.placement, num_bytes
    )
    return 1e6 * seconds


def hockney_us(setting: Setting, choice: str, num_bytes: int) -> float:
    """Return Hockney's time with one latency and bandwidth, those of the slowest level in use."""
    seconds = _core.hockney_time(
        choice, setting.num_ranks, 0, setting.machine, setting.placement, num_bytes
    )
    return 1e6 * seconds


MODELS: dict[str, Callable[[Setting, str, int], float]] = {
    "replay": replay_us,
    "sharing": sharing_us,
    "levels": levels_us,
    "hockney": hockney_us,
}
