# SPDX-License-Identifier: Apache-2.0
"""What disturbs measurements: the clock, the noise of the system, changing frequencies."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.base.units import time_text
from espalier.conditions.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SPIN_SECONDS = 0.3
_GAP_SECONDS = 10e-6
_MOST_LOST = 0.02
_COARSE_SECONDS = 1e-6
_SLOW_SOURCES = ("hpet", "acpi_pm", "jiffies", "refined-jiffies")


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def smallest_step(num_steps: int = 2000) -> float:
    """Return the smallest step of the clock that was seen, in seconds."""
    steps: list[int] = []
    last = time.perf_counter_ns()
    while len(steps) < num_steps:
        now = time.perf_counter_ns()
        if now > last:
            steps.append(now - last)
        last = now
    return min(steps) * 1e-9


def _clock() -> Finding:
    step = smallest_step()
    source = _read("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    facts = {"step_seconds": step, "source": source}
    text = f"source {source or 'unknown'}, smallest step seen from Python {time_text(step)}"
    if source in _SLOW_SOURCES or step > _COARSE_SECONDS:
        advice = "have the kernel use tsc (or kvm-clock); short operations cannot be timed well"
        return Finding("timing", "clock", "warning", text, advice, facts)
    return Finding("timing", "clock", "ok", text, "", facts)


def spin(seconds: float) -> list[int]:
    """Read the clock over and over; return the gaps in nanoseconds that are long."""
    gaps: list[int] = []
    last = time.perf_counter_ns()
    end = last + int(seconds * 1e9)
    least = int(_GAP_SECONDS * 1e9)
    while last < end:
        now = time.perf_counter_ns()
        if now - last > least:
            gaps.append(now - last)
        last = now
    return gaps


def judge_noise(gaps: Sequence[int], seconds: float) -> Finding:
    """Say how much time was taken away, given gaps in nanoseconds."""
    lost = sum(gaps) * 1e-9 / seconds
    longest = max(gaps, default=0) * 1e-9
    facts = {"lost_fraction": lost, "longest_seconds": longest, "num_gaps": len(gaps)}
    text = f"{100 * lost:.2g} % of the time lost in {len(gaps)} interruptions"
    if gaps:
        text += f", the longest {time_text(longest)}"
    if lost > _MOST_LOST:
        advice = "stop what else runs; otherwise expect wide intervals and repeat measurements"
        return Finding("timing", "noise", "warning", text, advice, facts)
    return Finding("timing", "noise", "ok", text, "", facts)


def _frequency() -> Finding | None:
    governor = _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if governor is None:
        return None
    facts = {"governor": governor}
    text = f"frequency governor {governor}"
    if governor in ("powersave", "conservative", "ondemand"):
        advice = "for measurements: cpupower frequency-set -g performance"
        return Finding("timing", "frequency", "warning", text, advice, facts)
    return Finding("timing", "frequency", "ok", text, "", facts)


def timing() -> Iterator[Finding]:
    """Look at the clock, interruptions and frequency."""
    yield _clock()
    yield judge_noise(spin(_SPIN_SECONDS), _SPIN_SECONDS)
    if finding := _frequency():
        yield finding
