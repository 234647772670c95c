# SPDX-License-Identifier: Apache-2.0
"""Pack a wheel from a build that is there, without compiling anything.

Usage: make_wheel.py BUILD FOLDER. BUILD is a folder such as build/release; the wheel goes to
FOLDER, and its path is printed. The tag names the oldest C library with which every file works, and
Python 3.10, whose stable interface the core module has. The same commit and build give the same
bytes: times are $SOURCE_DATE_EPOCH, or that of the commit. Exit code 1 if a file needs a library
that other machines may lack.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import dynamic_section  # noqa: E402
from repository import output_of  # noqa: E402

_FIRST_OF_ZIP = 315532800  # 1980-01-01


def time_of_files() -> tuple[int, int, int, int, int, int]:
    """Return the time that all files of the wheel get, as zip files have it."""
    named = os.environ.get("SOURCE_DATE_EPOCH")
    seconds = int(named or output_of(ROOT, "log", "-1", "--format=%ct"))
    then = time.gmtime(max(seconds, _FIRST_OF_ZIP))
    return (then.tm_year, then.tm_mon, then.tm_mday, then.tm_hour, then.tm_min, then.tm_sec)


def stage_build(build: Path, folder: Path) -> None:
    """Copy the component `wheel` of a build, stripped, without folders to look for libraries in."""
    install = ["cmake", "--install", str(build), "--component", "wheel", "--strip"]
    command = [*install, "--prefix", str(folder)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def stage_package(folder: Path) -> None:
    """Copy the Python files that git knows, and those that stand beside them."""
    python = ROOT / "python"
    listed = output_of(
        ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "python/espalier"
    )
    for name in listed.splitlines():
        source = ROOT / name
        if source.is_file():
            target = folder / source.relative_to(python)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def tag_of(folder: Path) -> str:
    """Return the tag of what is staged.

    Raises:
        ValueError: a file needs a library that is neither part of the C library nor an MPI library.
    """
    needs = [dynamic_section.read(file) for file in dynamic_section.binaries_in(folder)]
    if strange := sorted({text for one in needs for text in one.strange()}):
        raise ValueError("\n".join(strange))
    minor = max(one.glibc_minor for one in needs)
    return f"cp310-abi3-manylinux_2_{minor}_{platform.machine()}"


def stage_metadata(folder: Path, tag: str) -> str:
    """Write the folder dist-info but its RECORD; return its name."""
    code = (
        "import sys, scikit_build_core.build as build;"
        "print(build.prepare_metadata_for_build_wheel(sys.argv[1]))"
    )
    name = subprocess.run(
        [sys.executable, "-c", code, folder],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.split()[-1]
    (folder / name / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: espalier\nRoot-Is-Purelib: false\nTag: {tag}\n",
        encoding="utf-8",
    )
    return name


def _record(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def pack(staged: Path, metadata: str, wheel: Path) -> None:
    """Write all that is staged, in the order of names, with its RECORD at the end."""
    times = time_of_files()
    files = sorted(path for path in staged.rglob("*") if path.is_file())
    # By convention the metadata stand last.
    files.sort(key=lambda path: path.relative_to(staged).parts[0] == metadata)
    record = f"{metadata}/RECORD"
    lines = ""
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:

        def add(name: str, data: bytes, mode: int) -> None:
            entry = zipfile.ZipInfo(name, times)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)

        for file in files:
            name, data = file.relative_to(staged).as_posix(), file.read_bytes()
            add(name, data, 0o755 if os.access(file, os.X_OK) else 0o644)
            lines += _record(name, data)
        add(record, f"{lines}{record},,\n".encode(), 0o644)


def make(build: Path, folder: Path) -> Path:
    """Return the path of the wheel that was written.

    Raises:
        ValueError: a file needs a library that other machines may lack.
        subprocess.CalledProcessError: a program failed, and said why on standard error.
    """
    with tempfile.TemporaryDirectory() as temporary:
        staged = Path(temporary)
        stage_build(build, staged)
        stage_package(staged)
        tag = tag_of(staged)
        metadata = stage_metadata(staged, tag)
        folder.mkdir(parents=True, exist_ok=True)
        wheel = folder / f"{metadata.removesuffix('.dist-info')}-{tag}.whl"
        pack(staged, metadata, wheel)
    return wheel


def main() -> int:
    """Make the wheel that the command line asks for."""
    build, folder = map(Path, sys.argv[1:])
    try:
        print(make(build, folder))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
