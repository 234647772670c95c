# SPDX-License-Identifier: Apache-2.0
"""Rules that an administrator shares with all users of an installation."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from behaviour_context import RULE, Context, Outcome, expect

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "mpi_shim_learning"
OWN = "bcast/binomial"
SHARED = "bcast/flat"
OTHER_USER = 54321


def bcast(algorithm: str) -> dict[str, Any]:
    """Return a rule for all calls of MPI_Bcast on two ranks."""
    return {**RULE, "num_ranks": 2, "algorithm": algorithm}


def document(context: Context, *rules: dict[str, Any], **changes: object) -> str:
    """Return a profile."""
    found = {
        "schema": "espalier-profile",
        "version": 1,
        "mpi": {"vendor": context.vendor, "version": "1"},
        "rules": list(rules),
    }
    return json.dumps({**found, **changes})


def installed(context: Context) -> Path:
    """Return the library to preload in a prefix of its own, as a link that leads there."""
    folder = context.folder / "prefix" / "lib"
    folder.mkdir(parents=True)
    library = Path(str(context.config["shim"])).resolve()
    shutil.copy(library, folder)
    link = context.folder / library.name
    link.symlink_to(folder / library.name)
    return link


def memory_name(context: Context) -> str:
    """Return how a memory is called here, as a program that learns says it."""
    settings = {"XDG_STATE_HOME": str(context.folder / "name"), "ESPALIER_LEARN": "50%"}
    for _ in range(5):
        context.launch(context.program(PROGRAM), "60", num_ranks=2, **settings)
        for file in (context.folder / "name" / "espalier").glob("*.json"):
            return file.name
    expect(False, "a file with what was learned")
    return ""


def site_file(context: Context, text: str) -> Path:
    """Write the site file of the installation."""
    folder = context.folder / "prefix" / "lib" / "espalier" / "site"
    folder.mkdir(parents=True)
    file = folder / memory_name(context)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o644)
    return file


def run(
    context: Context, library: Path, *, wrapper: Sequence[str] = (), **settings: str
) -> Outcome:
    """Run a program that makes each of its calls three times, with nothing that it learned."""
    shutil.rmtree(context.statistics, ignore_errors=True)
    shutil.rmtree(context.folder / "state", ignore_errors=True)
    words = context.words(context.program(PROGRAM), "3", shim=str(library), num_ranks=2)
    defaults = {
        "ESPALIER_LEARN": "on",
        "ESPALIER_STATISTICS": str(context.statistics),
        "XDG_STATE_HOME": str(context.folder / "state"),
    }
    outcome = context.execute([*wrapper, *words], **{**defaults, **settings})
    expect(outcome.code == 0, "exit code 0", outcome)
    return outcome


def rows(context: Context) -> set[tuple[str, str]]:
    """Return what calls of MPI_Bcast on two ranks ran, and the beginning of the reason."""
    return {
        (row["algorithm"], row["reason"].partition(":")[0])
        for report in context.reports()
        for row in report["calls"]
        if row["function"] == "MPI_Bcast" and row["num_ranks"] == 2
    }


def case_site_serves_all(context: Context) -> None:
    """Programs of a user who has learned nothing start from the rules of the site."""
    library = installed(context)
    site_file(context, document(context, bcast(SHARED)))
    outcome = run(context, library)
    expect(outcome.lines == [], "silence", outcome.lines)
    expect((SHARED, "rule of the site") in rows(context), "the rule", rows(context))
    told = run(context, library, ESPALIER_VERBOSE="1").lines
    expect(any("rules of the site in " in line for line in told), "the file", told)
    for settings in (
        {"ESPALIER_MEMORY": "off"},
        {"ESPALIER_LEARN": "off"},
    ):
        outcome = run(context, library, **settings)
        reasons = {reason for _, reason in rows(context)}
        expect("rule of the site" not in reasons, f"no such rule with {settings}", reasons)
    profile = context.write_profile(document(context, bcast(OWN)))
    run(context, library, ESPALIER_PROFILE=profile)
    expect((OWN, "profile rule 0") in rows(context), "the profile comes first", rows(context))


def case_site_comes_after_own_lessons(context: Context) -> None:
    """What programs of the user learned comes first."""
    library = installed(context)
    other = {**bcast("allgather/ring"), "collective": "allgather"}
    site_file(context, document(context, bcast(SHARED), other))
    memory = context.folder / "memory.json"
    memory.write_text(document(context, bcast(OWN)), encoding="utf-8")
    outcome = run(context, library, ESPALIER_MEMORY=str(memory))
    expect(outcome.lines == [], "silence", outcome.lines)
    expect((OWN, "rule of the memory") in rows(context), "the own rule", rows(context))
    expect(all(name != SHARED for name, _ in rows(context)), "no other", rows(context))
    shared = {
        row["algorithm"]
        for row in context.reports()[0]["calls"]
        if row["reason"].startswith("rule of the site")
    }
    expect(shared == {"allgather/ring"}, "the other rule of the site", shared)


def case_site_names_native_algorithms(context: Context) -> None:
    """Algorithms of the MPI library run as well."""
    library = installed(context)
    binomial = "bcast/native[algorithm=binomial]"
    site_file(context, document(context, bcast(binomial)))
    outcome = run(context, library)
    expect(outcome.lines == [], "silence", outcome.lines)
    expect((binomial, "rule of the site") in rows(context), "the rule", rows(context))


def unusable(context: Context, text: str, part: str, file_mode: int = 0o644) -> Path:
    """Rank 0 says so in one line, calls are native, and the file stays."""
    library = installed(context)
    file = site_file(context, text)
    file.chmod(file_mode)
    unused(context, library, part)
    expect(file.read_text(encoding="utf-8") == text, "the file as it was", file)
    return file


def unused(context: Context, library: Path, part: str) -> None:
    """One line, and native calls."""
    outcome = run(context, library)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect(outcome.lines[0].startswith("espalier: rules of the site: "), "its name", outcome.lines)
    expect(part in outcome.lines[0], part, outcome.lines[0])
    expect({name for name, _ in rows(context)} == {"native"}, "native calls", rows(context))


def case_site_broken(context: Context) -> None:
    """A file that is no profile is one line."""
    unusable(context, document(context, bcast(SHARED))[:-20], "")


def case_site_newer(context: Context) -> None:
    """So is one of a later version."""
    unusable(context, document(context, bcast(SHARED), version=2), "version")


def case_site_of_another_mpi(context: Context) -> None:
    """So is one for another MPI."""
    mpi = {"vendor": "another", "version": "1"}
    unusable(context, document(context, bcast(SHARED), mpi=mpi), "it is for another MPI")


def case_site_open_to_all(context: Context) -> None:
    """What everybody can write is not trusted."""
    unusable(context, document(context, bcast(SHARED)), "got mode 666", 0o666)


def case_site_of_another_user(context: Context) -> None:
    """Nor is what belongs to somebody else, and what must not be read is not missed."""
    if os.geteuid() != 0:
        return
    library = installed(context)
    file = site_file(context, document(context, bcast(SHARED)))
    os.chown(file, OTHER_USER, OTHER_USER)
    unused(context, library, f"got one of user {OTHER_USER}")
    file.chmod(0o600)
    # Root without its privileges.
    outcome = run(
        context, library, wrapper=("setpriv", "--bounding-set", "-all", "--inh-caps", "-all")
    )
    expect(outcome.lines == [], "silence", outcome.lines)
    expect({name for name, _ in rows(context)} == {"native"}, "native calls", rows(context))
