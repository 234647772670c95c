# SPDX-License-Identifier: Apache-2.0
"""Folders with a minimal Debian system, in which programs run as on a machine of its own.

They need root and debootstrap. Packages come from where this machine gets its own.
Usage: chroot.py FOLDER SUITE PACKAGE...     makes one, unless it is there
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_SECONDS_TO_MAKE = 1200
_NOBODY = "guest"
# What a command mounts ends with it, the first process of its namespace, whatever ends that.
_SPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
_ENTER = """
set -e
mount -t proc proc "$0/proc"
mount -t tmpfs -o size=256m tmpfs "$0/dev/shm"
exec chroot "$@"
"""


def why_not() -> str:
    """Say what is missing here to make such folders; empty if nothing is."""
    if os.geteuid() != 0:
        return "chroot needs root"
    missing = [name for name in ("debootstrap", "unshare", "chroot") if not shutil.which(name)]
    return f"{missing[0]} is not on the PATH" if missing else ""


def _archive() -> str:
    """Return the address of the Debian archive that apt uses here."""
    command = ("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return lines[0]


@dataclass(frozen=True)
class Chroot:
    """A folder with a Debian system."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, suite: str, packages: list[str]) -> Chroot:
        """Fill a folder with a suite of Debian ("trixie") and packages; it takes minutes.

        A folder that is not completed is removed.

        Raises:
            subprocess.CalledProcessError: it failed; its output says why.
            subprocess.TimeoutExpired: it took too long.
        """
        made = cls(folder)
        try:
            made._fill(suite, packages)
        except BaseException:
            made.remove()
            raise
        return made

    def _fill(self, suite: str, packages: list[str]) -> None:
        command = ("debootstrap", "--variant=minbase", suite, self.folder, _archive())
        subprocess.run(
            [*_SPACES, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS_TO_MAKE,
            check=True,
        )
        self.run("useradd", "--create-home", "--shell", "/bin/sh", _NOBODY)
        install = ("apt-get", "install", "-q", "-y", "--no-install-recommends")
        self.run("apt-get", "update", "-q")
        self.run("env", "DEBIAN_FRONTEND=noninteractive", *install, *packages, seconds=600)

    def remove(self) -> None:
        """Remove the folder, if it is there. Nothing is mounted in it while no command runs."""
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def put(self, source: Path, folder: str) -> str:
        """Copy a file or a folder into a folder of the system; return its path in there."""
        target = self.folder / folder.lstrip("/") / source.name
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)
        return f"{folder}/{source.name}"

    def run(self, *command: str, is_root: bool = True, seconds: float = 300) -> str:
        """Run a command in the system, as root or as a user with few rights; return what it prints.

        Raises:
            subprocess.CalledProcessError: it failed; its output is in `output`.
        """
        who = [] if is_root else [f"--userspec={_NOBODY}:{_NOBODY}"]
        home = "/root" if is_root else f"/home/{_NOBODY}"
        variables = {"HOME": home, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
        words = ["env", "-i", "-C", home, *(f"{name}={value}" for name, value in variables.items())]
        inside = [str(self.folder), *who, str(self.folder), *words, *command]
        return subprocess.run(
            [*_SPACES, "sh", "-c", _ENTER, *inside],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
            check=True,
        ).stdout


def main() -> int:
    """Make the system that the command line asks for, under another name until it is complete."""
    folder, (suite, *packages) = Path(sys.argv[1]), sys.argv[2:]
    if folder.exists():
        return 0
    if reason := why_not():
        print(f"{folder.name} is left out: {reason}", file=sys.stderr)
        return 0
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    Chroot(unfinished).remove()
    try:
        Chroot.make(unfinished, suite, packages)
    except subprocess.CalledProcessError as error:
        print(error.output[-4000:], file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"interrupted: {folder.name} is not complete", file=sys.stderr)
        return 128 + signal.SIGINT
    unfinished.rename(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
