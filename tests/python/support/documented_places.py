# SPDX-License-Identifier: Apache-2.0
"""A folder for the commands of a page, and the files that pages presuppose."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from places import repository
from profile_makers import profile, rule
from simulated_programs import simulated

from espalier import installation
from espalier.clusters import permission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    # What makes a file, by its name.
    Makers = dict[str, Callable[["Place", str], None]]

# Open MPI refuses root, and more ranks than processors, without these.
_OPENMPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
_LINKS = ("bin", "benchmarks", "examples", "python", ".venv")
_APP = repository / "tests" / "support" / "documented_app.c"
TIME_LIMIT_S = 120


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Place:
    """A folder that looks like a checkout, and the home of the user beside it."""

    folder: Path
    home: Path
    environment: dict[str, str]

    def run(self, script: str) -> Done:
        """Run lines of a shell; what takes too long is ended, with all that it started."""
        process = subprocess.Popen(
            ["/bin/bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=TIME_LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            err += f"\nnot ended after {TIME_LIMIT_S} s"
        return Done(process.returncode, out, err)

    def path(self, name: str) -> Path:
        """Return the path of a file that a command names."""
        return self.home / name[2:] if name.startswith("~/") else self.folder / name

    def age(self, name: str) -> int | None:
        """Return when a file was written; nothing if it is not there, or empty."""
        path = self.path(name)
        status = path.stat() if path.exists() else None
        return status.st_mtime_ns if status is not None and status.st_size else None

    def need(self, script: str) -> None:
        """Run lines of a shell that make a file."""
        done = self.run(script)
        assert done.code == 0, f"{script}\n{done.err}"


def build_folder() -> Path:
    """Return the folder of the build that is tested."""
    return installation.build_folder() or Path("nowhere")


def make_place(folder: Path) -> Place:
    """Make a place in an empty folder."""
    checkout, home, launchers = (folder / name for name in ("checkout", "home", "launchers"))
    for made in (checkout / "build", home, launchers):
        made.mkdir(parents=True)
    for name in _LINKS:
        (checkout / name).symlink_to(repository / name)
    build = build_folder()
    (checkout / "build" / "release").symlink_to(build)
    for name in ("mpirun", "mpiexec", "mpicc"):
        found = shutil.which(f"{name}.openmpi")
        if found is not None:
            (launchers / name).symlink_to(found)
    environment = {**os.environ, **_OPENMPI, "HOME": str(home)}
    environment["PATH"] = f"{launchers}:{repository / 'bin'}:{environment['PATH']}"
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "PYTHONPATH"):
        environment.pop(name, None)
    if build == repository / "build" / "release":
        environment.pop("ESPALIER_BUILD_DIR", None)
    return Place(checkout, home, environment)


def obstacle(line: str) -> str:
    """Return why a command cannot run on this machine, "" if it can."""
    return next(_obstacles(line), "")


def _obstacles(line: str) -> Iterator[str]:
    if re.search(r"espalier cluster (?!status)", line):
        yield from filter(None, [permission.obstacle()])
    if re.search(r" simulate |halo .*--machine", line):
        (is_missing,), reason = simulated.args, simulated.kwargs["reason"]
        yield from [reason] * is_missing
    for pattern, program in (
        (r"\bmpirun\b", "mpirun.openmpi"),
        (r"\bmpicc\b", "pkg-config"),
        (r"mpich\b", "mpiexec.mpich"),
        (r"gmk_m3|dgord", "dgord"),
    ):
        if re.search(pattern, line) and shutil.which(program) is None:
            yield f"there is no {program}"
    if re.search(r"examples/\S+\.py", line) and importlib.util.find_spec("mpi4py") is None:
        yield "there is no mpi4py"
    for program in re.findall(r"build/release/(bin/\S+)", line):
        if not (build_folder() / program).is_file():
            yield f"{program} is not built"


def _compile(place: Place, name: str, compiler: str = "mpicc", *options: str) -> None:
    place.need(f"{compiler} -O1 {' '.join(options)} -o {name} {_APP}")


def _model_profile(place: Place, name: str, vendor: str = "openmpi") -> None:
    machine = "1n[latency=1us,bandwidth=1GB/s] x 4c[latency=300ns,bandwidth=8GB/s]"
    place.need(
        f"bin/espalier model profile --machine '{machine}' --for {vendor} -o {name} "
        "--collectives bcast,allgather --sizes 1KiB"
    )


def _write_profile(place: Place, name: str) -> None:
    """Write a profile; those with names of other lengths differ."""
    end = 1000 * len(name)
    rules = [
        rule("bcast/binomial", 0, end - 1, gain=(1.3, 1.1)),
        rule("native", end, call="bcast"),
    ]
    mpi = {"vendor": "mpich" if name == "mpich.json" else "openmpi", "version": "of a test"}
    (place.folder / name).write_text(json.dumps(profile(*rules, mpi=mpi)))


def _write_profile_as_tuned(place: Place, name: str) -> None:
    """Write a profile for the MPI library of this machine, as a program has seen it."""
    (learned,) = (place.folder / "anna").glob(".local/state/espalier/*.json")
    _write_profile(place, name)
    written = json.loads(place.path(name).read_text())
    written["mpi"] = json.loads(learned.read_text())["mpi"]
    place.path(name).write_text(json.dumps(written))


def _write_matrix(place: Place, name: str) -> None:
    rows = [[0 if i == j else 2 if i // 4 == j // 4 else 6 for j in range(8)] for i in range(8)]
    text = "\n".join(",".join(map(str, row)) for row in rows)
    (place.folder / name).write_text(f"{text}\n")


def _halo_lines() -> list[str]:
    """Return the lines of the page, with fewer and shorter exchanges."""
    text = (repository / "docs/explanation/mapping/halo.md").read_text(encoding="utf-8")
    found = re.search(r"^factors .*?(?=^```)", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    lines = re.sub("^factors [^#]*", "factors 1 ", found[0])
    return re.sub("repetitions [^#]*", "repetitions 2 3 ", lines).splitlines(keepends=True)


def _write_halo(place: Place, name: str) -> None:
    (place.folder / name).write_text("".join(_halo_lines()))


def _write_halo_of_few(place: Place, name: str) -> None:
    # Levels by hand are those of 192 ranks.
    (place.folder / name).write_text("".join(one for one in _halo_lines() if "dims_ml" not in one))


def _learn(place: Place, name: str) -> None:
    """Leave what a program of the user remembers."""
    place.need(f"XDG_STATE_HOME=$PWD/{name}/.local/state bin/espalier run -- mpirun -n 4 ./app")


def _write_work(place: Place, name: str) -> None:
    (place.folder / "work.c").write_text("void my_function(void) {}\n")
    place.need(f"cc -shared -fPIC -o {name} work.c")


def _install(place: Place, name: str) -> None:
    place.need(f"cmake --install build/release --prefix {name} && {name}/bin/espalier --help")


def _copy_consumer(place: Place, name: str) -> None:
    shutil.copy(repository / "tests" / "packaging" / "consumer" / "program.c", place.folder / name)


def _write_input(place: Place, name: str) -> None:
    (place.folder / name).write_text("what ./app reads\n")


_APP_OF_OPENMPI: Makers = {"app": _compile}
_PROFILE: Makers = {"profile.json": _model_profile}
# The files that a page presupposes.
PRESUPPOSED: dict[str, Makers] = {
    "README.md": _APP_OF_OPENMPI,
    "docs/explanation/emulated-hosts.md": {"program": _compile},
    "docs/explanation/mapping/halo.md": {
        "halo.txt": _write_halo,
        "few_ranks.txt": _write_halo_of_few,
    },
    "docs/explanation/mapping/launch.md": {"app": _compile, "program": _compile},
    "docs/explanation/orderings.md": {"rtt.csv": _write_matrix},
    "docs/explanation/peers.md": {"espalier-profile.json": _model_profile},
    "docs/explanation/shared-memory.md": _APP_OF_OPENMPI,
    "docs/howto/compare_a_program.md": {
        **_APP_OF_OPENMPI,
        **_PROFILE,
        "input.txt": _write_input,
    },
    "docs/howto/find_a_hang.md": {
        "app": lambda place, name: _compile(place, name, "mpicc", "-DLATE_SECONDS=3")
    },
    "docs/howto/improve_a_program.md": {**_APP_OF_OPENMPI, "input.txt": _write_input},
    "docs/howto/install.md": {**_APP_OF_OPENMPI, "~/espalier": _install, "app.c": _copy_consumer},
    "docs/howto/keep_profiles.md": {
        **_APP_OF_OPENMPI,
        "~/espalier": _install,
        "anna": _learn,
        "profile.json": _write_profile_as_tuned,
        "monday.json": _write_profile,
        "tuesday.json": _write_profile,
        "node1.json": _write_profile,
        "node2.json": _write_profile,
        "mpich.json": _write_profile,
    },
    "docs/howto/learn_while_a_program_runs.md": _APP_OF_OPENMPI,
    "docs/howto/run_under_a_launcher.md": {
        "app": lambda place, name: _compile(place, name, "mpicc.mpich"),
        "profile.json": lambda place, name: _model_profile(place, name, "mpich"),
    },
    "docs/howto/select_native_algorithms.md": _APP_OF_OPENMPI,
    "docs/howto/tune_a_cluster.md": _APP_OF_OPENMPI,
    "docs/reference/nonblocking_collectives.md": {
        **_APP_OF_OPENMPI,
        **_PROFILE,
        "work.so": _write_work,
    },
}
