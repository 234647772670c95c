# SPDX-License-Identifier: Apache-2.0
"""Settings of the kernel and of preloaded programs."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.base import calls
from espalier.conditions.finding import Finding
from espalier.errors import Error
from espalier.io.names import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WHOLE = 100.0  # percent
_KNOWN = (
    "ESPALIER_PROFILE",
    "ESPALIER_FORCE",
    "ESPALIER_OFF",
    "ESPALIER_STATISTICS",
    "ESPALIER_VERBOSE",
    "ESPALIER_WATCH",
    "ESPALIER_LEARN",
    "ESPALIER_MEMORY",
    "ESPALIER_MAPPING",
    "ESPALIER_DIMS",
    "ESPALIER_NODE",
    "ESPALIER_PROGRESS",
    "ESPALIER_MACHINE",
    "ESPALIER_BUILD_DIR",
    "ESPALIER_PYTHON",
    "ESPALIER_TRAFFIC",
    "ESPALIER_CLUSTER",
    "ESPALIER_CLUSTER_ERRAND",
)


def ptrace(scope: str | None) -> Finding:
    """Judge kernel.yama.ptrace_scope; None where the kernel has no such setting."""
    facts = {"ptrace_scope": None if scope is None else int(scope)}
    if scope in (None, "0"):
        text = "ranks of a node may copy from each other directly (CMA)"
        return Finding("kernel", "cma", "ok", text, "", facts)
    text = (
        f"kernel.yama.ptrace_scope is {scope}: ranks of a node may not copy from each other (CMA)"
    )
    advice = (
        "sysctl kernel.yama.ptrace_scope=0; without it large messages in a node are copied twice"
    )
    return Finding("kernel", "cma", "warning", text, advice, facts)


def _kernel() -> Finding:
    try:
        scope = Path("/proc/sys/kernel/yama/ptrace_scope").read_text(encoding="ascii").strip()
    except OSError:
        return ptrace(None)
    return ptrace(scope)


def _profile(path: str) -> Finding:
    from espalier import _core  # noqa: PLC0415 - doctor works without the module
    from espalier.io import documents  # noqa: PLC0415 - doctor works without the module

    summary = _core.check_profile(documents.read_text(Path(path)), printable(path))
    facts = {"num_rules": summary["num_rules"], "tuned_with": summary["vendor"]}
    text = f"{path}: {summary['num_rules']} rules, tuned with {summary['vendor']}"
    return Finding("settings", "ESPALIER_PROFILE", "ok", text, "", facts)


def _force(value: str) -> Finding:
    from espalier import _core  # noqa: PLC0415 - doctor works without the module

    for item in filter(None, value.split(";")):
        call, equals, algorithm = item.partition("=")
        if equals and call.strip() in calls.in_all_forms(_core.neighbor_calls()):
            if algorithm.strip() != "native":
                _core.check_neighbor_choice(call.strip(), algorithm.strip())
            continue
        if not equals or call.strip() not in calls.with_persistent(_core.calls()):
            known = ", ".join([*_core.calls(), *_core.neighbor_calls()])
            text = f"expected call=algorithm with a call of {known}, got '{item}'"
            return Finding("settings", "ESPALIER_FORCE", "problem", text, "it would be ignored")
        if algorithm.strip() != "native":
            collective = _core.collective_of(call.strip())
            name = algorithm.strip()
            _core.canonical(name if "/" in name else f"{collective}/{name}")
    return Finding("settings", "ESPALIER_FORCE", "ok", f"{value}: overrides any profile")


def _off(value: str) -> Finding:
    if value in ("", "0"):
        return Finding("settings", "ESPALIER_OFF", "ok", "not off")
    text = "every call goes to the MPI library, nothing is measured"
    return Finding("settings", "ESPALIER_OFF", "warning", text, "unset ESPALIER_OFF")


def _statistics(value: str) -> Finding:
    folder = Path(value)
    parent = folder if folder.exists() else folder.resolve().parent
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        text = f"expected a folder that can be written, got '{value}'"
        return Finding("settings", "ESPALIER_STATISTICS", "problem", text, "create it")
    return Finding("settings", "ESPALIER_STATISTICS", "ok", f"each rank writes to {value}")


def _mapping(value: str) -> Finding:
    name = "ESPALIER_MAPPING"
    if value not in ("", "on", "quiet", "off"):
        text = f"expected on, quiet or off, got '{value}'"
        return Finding("settings", name, "problem", text, "it is off")
    if value in ("", "off"):
        return Finding("settings", name, "ok", "communicators keep their order of ranks")
    return Finding("settings", name, "ok", "programs that permit it get another order of ranks")


def _dims(value: str) -> Finding:
    name = "ESPALIER_DIMS"
    if value not in ("", "native", "balanced"):
        text = f"expected native or balanced, got '{value}'"
        return Finding("settings", name, "problem", text, "it is native")
    return Finding("settings", name, "ok", value or "native")


def _node(value: str) -> Finding:
    name = "ESPALIER_NODE"
    texts = {
        "auto": "ranks of a node share memory where that was faster",
        "on": "ranks of a node share memory",
        "off": "ranks of a node send messages",
    }
    if value and value not in texts:
        text = f"expected auto, on or off, got '{value}'"
        return Finding("settings", name, "problem", text, "it is auto")
    return Finding("settings", name, "ok", texts[value or "auto"])


def _progress(value: str) -> Finding:
    name = "ESPALIER_PROGRESS"
    if value not in ("", "calls", "thread"):
        text = f"expected calls or thread, got '{value}'"
        return Finding("settings", name, "problem", text, "it is calls")
    if value == "thread":
        text = "a thread of each rank moves nonblocking collectives on (Open MPI)"
    else:
        text = "nonblocking collectives move on in calls of the MPI library"
    return Finding("settings", name, "ok", text)


def _watch(value: str) -> Finding:
    name = "ESPALIER_WATCH"
    if value in ("", "off", "0"):
        return Finding("settings", name, "ok", "nobody watches for hangs")
    if not re.fullmatch(r"[0-9]{1,8}(ms|s|min)?", value) or not value.strip("0mins"):
        text = f"expected a time as in 30s, 500ms or 2min, or off, got '{value}'"
        return Finding("settings", name, "problem", text, "it is off")
    return Finding("settings", name, "ok", f"ranks that wait longer than {value} say for whom")


def _learn(value: str) -> Finding:
    name = "ESPALIER_LEARN"
    if value in ("", "off", "0"):
        return Finding("settings", name, "ok", "programs do not learn")
    if value in ("on", "1"):
        return Finding("settings", name, "ok", "programs learn while they run")
    number = value.removesuffix("%")
    is_share = value != number and re.fullmatch(r"[0-9]+(\.[0-9]*)?", number) is not None
    if not is_share or float(number) > _WHOLE:
        text = f"expected on, off or what it may cost as in 2%, got '{value}'"
        return Finding("settings", name, "problem", text, "it is on")
    return Finding("settings", name, "ok", f"programs learn while they run, for up to {value}")


def _machine(value: str) -> Finding:
    from espalier import _core  # noqa: PLC0415 - doctor works without the module
    from espalier.io import documents  # noqa: PLC0415 - doctor works without the module

    if not value:
        return Finding("settings", "ESPALIER_MACHINE", "ok", "what programs see from inside")
    is_file = value.endswith(".json") or documents.is_file(value)
    text = documents.read_text(Path(value)) if is_file else value
    _core.machine_json(printable(text), printable(value))
    return Finding("settings", "ESPALIER_MACHINE", "ok", value)


_JUDGES = {
    "ESPALIER_LEARN": _learn,
    "ESPALIER_MACHINE": _machine,
    "ESPALIER_WATCH": _watch,
    "ESPALIER_MAPPING": _mapping,
    "ESPALIER_DIMS": _dims,
    "ESPALIER_NODE": _node,
    "ESPALIER_PROGRESS": _progress,
    "ESPALIER_PROFILE": _profile,
    "ESPALIER_FORCE": _force,
    "ESPALIER_OFF": _off,
    "ESPALIER_STATISTICS": _statistics,
}


def variable(name: str, value: str) -> Finding:
    """Judge one variable of the environment whose name starts with ESPALIER_."""
    if name not in _KNOWN:
        close = difflib.get_close_matches(name, _KNOWN, 1, 0.5)
        advice = f"did you mean {close[0]}?" if close else f"known are {', '.join(_KNOWN)}"
        return Finding("settings", name, "warning", "not a setting of Espalier", advice)
    judge = _JUDGES.get(name)
    if judge is None:
        return Finding("settings", name, "ok", value)
    try:
        return judge(value)
    except (Error, ImportError) as error:
        advice = "without a valid one every call goes to the MPI library"
        return Finding("settings", name, "problem", str(error), advice)


def _preloaded(environment: Mapping[str, str]) -> Finding | None:
    libraries = [
        Path(word).name for word in environment.get("LD_PRELOAD", "").replace(":", " ").split()
    ]
    if not libraries:
        return None
    others = [name for name in libraries if not name.startswith("libespalier")]
    if not others:
        return Finding("settings", "LD_PRELOAD", "ok", ", ".join(libraries))
    text = f"preloads {', '.join(others)}"
    advice = "if that is an MPI profiler: only the first library in LD_PRELOAD sees MPI calls"
    return Finding("settings", "LD_PRELOAD", "warning", text, advice)


def settings(environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Look at the kernel and at the variables that preloaded programs read."""
    yield _kernel()
    names = sorted(name for name in environment if name.startswith("ESPALIER_"))
    for name in names:
        yield variable(name, environment[name])
    if "ESPALIER_PROFILE" not in names and "ESPALIER_FORCE" not in names:
        learns = environment.get("ESPALIER_LEARN", "on") not in ("off", "0")
        how = "by what programs learned, or natively" if learns else "natively"
        yield Finding("settings", "ESPALIER_PROFILE", "ok", f"not set: calls run {how}")
    if finding := _preloaded(environment):
        yield finding
