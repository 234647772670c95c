# SPDX-License-Identifier: Apache-2.0
"""Whether this host permits emulated clusters."""

from __future__ import annotations

import os
import shutil
import subprocess

from espalier.errors import UnsupportedError

_TOOLS = ("ip", "tc", "unshare", "nsenter", "setsid", "setpriv", "mount", "umount", "hostname")
# Where administrators' programs are, which not every PATH names.
SEARCH_PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
# Names the cluster in which a process is: what another one there leaves, nobody would remove.
INSIDE = "ESPALIER_CLUSTER"
ADVICE = "emulated clusters need root on Linux with iproute2, and cannot be nested"
_SECONDS = 60.0
_SPACES = ("--mount", "--net", "--uts", "--ipc", "--pid", "--fork")
_TRIAL = """
ip link add name one type veth peer name two && ip link add name three type bridge || exit 21
tc qdisc add dev one root tbf rate 1mbit burst 16kb limit 1mb || exit 22
"""
_MISSING = {
    21: "expected a kernel with virtual networks (veth, bridge)",
    22: "expected a kernel that limits rates (sch_tbf)",
}


def obstacle(*, has_rate: bool = True) -> str:
    """Return why clusters cannot be emulated here, "" if they can.

    Args:
        has_rate: whether links are to be limited in rate.
    """
    if reason := _obstacle_of_caller():
        return reason
    missing = [tool for tool in _TOOLS if shutil.which(tool, path=SEARCH_PATH) is None]
    if missing:
        return (
            f"expected the programs {' '.join(missing)}, found none (Debian: iproute2, util-linux)"
        )
    words = ["unshare", *_SPACES, "sh", "-c", _TRIAL]
    trial = subprocess.run(
        words,
        env={**os.environ, "PATH": SEARCH_PATH},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_SECONDS,
        check=False,
    )
    if trial.returncode == 0 or (trial.returncode == 22 and not has_rate):
        return ""
    what = _MISSING.get(trial.returncode, "expected to be allowed to create namespaces")
    return f"{what}, got: {last_line(trial.stderr)}"


def check_caller() -> None:
    """Raise UnsupportedError for users and places that cannot see into clusters."""
    if reason := _obstacle_of_caller():
        raise UnsupportedError(reason, ADVICE)


def _obstacle_of_caller() -> str:
    if INSIDE in os.environ:
        return f"expected to be outside of emulated clusters, got cluster '{os.environ[INSIDE]}'"
    if os.geteuid() != 0:
        return "expected to be root, which creating network namespaces needs"
    return ""


def last_line(text: str) -> str:
    """Return the last line of an output, which is where programs say what is wrong."""
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "nothing"
