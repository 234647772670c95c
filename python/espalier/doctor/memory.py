# SPDX-License-Identifier: Apache-2.0
"""What preloaded programs start from: what programs of this user learned, and the site's rules."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from espalier import installation
from espalier.conditions.finding import Finding
from espalier.errors import Error
from espalier.io.kept_beside import MEASUREMENTS
from espalier.io.names import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TOPIC = "memory"
_FOR_ADMINISTRATORS = "who installed Espalier writes it anew with 'espalier profile share'"
_FOR_USERS = "remove it, and programs learn anew"
_FOR_MEASUREMENTS = "remove it, and programs measure anew"


def state_folder(environment: Mapping[str, str]) -> Path | None:
    """Return the folder in which programs keep what they learn; None if they have none."""
    if state := environment.get("XDG_STATE_HOME"):
        return Path(state) / "espalier"
    home = environment.get("HOME")
    return Path(home) / ".local" / "state" / "espalier" if home else None


def memory(environment: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Look at the user's files and at the site's."""
    yield from _of_user(environment)
    for vendor in installation.vendors:
        yield from _of_site(vendor)


def _of_user(environment: Mapping[str, str]) -> Iterator[Finding]:
    folder = state_folder(environment)
    files = [] if folder is None else sorted(folder.glob("*.json"))
    for file in files:
        yield _measured(file) or _judged("user", file, _FOR_USERS)
    if not files:
        text = "nothing is kept: there is no home folder"
        if folder is not None:
            text = f"no program has learned yet; what it learns is kept in {folder}"
        yield Finding(_TOPIC, "user", "ok", text, "", {"folder": folder and str(folder)})


def _of_site(vendor: str) -> Iterator[Finding]:
    library = installation.shim_library(vendor)
    folder = installation.site_folder(vendor)
    if library is None or folder is None:
        return
    files = sorted(folder.glob("*.json"))
    for file in files:
        if complaint := _distrust(file, library):
            yield Finding(_TOPIC, f"site {vendor}", "problem", complaint, _FOR_ADMINISTRATORS)
        elif os.access(file, os.R_OK):
            yield _judged(f"site {vendor}", file, _FOR_ADMINISTRATORS)
        else:
            text = f"{file}: not for this user, and ignored"
            yield Finding(_TOPIC, f"site {vendor}", "ok", text, "", {"path": str(file)})
    if not files:
        text = f"no rules are shared in {folder}"
        yield Finding(_TOPIC, f"site {vendor}", "ok", text, "", {"folder": str(folder)})


def _distrust(file: Path, library: Path) -> str:
    """Return why programs do not use a site file, as shim/site.cpp decides; empty if they do."""
    about = file.stat()
    if about.st_mode & stat.S_IWOTH:
        mode = stat.S_IMODE(about.st_mode)
        return f"{file}: expected a file that not everybody can write, got mode {mode:o}"
    if about.st_uid not in (0, os.geteuid(), library.stat().st_uid):
        return (
            f"{file}: expected a file of root or of the owner of {library}, got one of user"
            f" {about.st_uid}"
        )
    return ""


def _measured(file: Path) -> Finding | None:
    """Judge a file of measurements; None if it is none."""
    try:
        document = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("schema") not in MEASUREMENTS:
        return None
    known, what = MEASUREMENTS[document["schema"]]
    version, entries = document.get("version"), document.get("entries")
    facts = {"path": str(file), "schema": document["schema"]}
    if version != known or not isinstance(entries, list):
        text = f"{file}: expected version {known} and a list of entries, got version {version!r}"
        text += f" and {type(entries).__name__}"
        return Finding(_TOPIC, "user", "problem", text, _FOR_MEASUREMENTS, facts)
    facts["num_entries"] = len(entries)
    return Finding(_TOPIC, "user", "ok", f"{file}: {len(entries)} {what}", "", facts)


def _judged(name: str, file: Path, advice: str) -> Finding:
    try:
        from espalier import _core  # noqa: PLC0415 - doctor works without the module
        from espalier.io import documents  # noqa: PLC0415 - doctor works without the module

        summary = _core.check_profile(documents.read_text(file), printable(file))
    except (Error, ImportError) as error:
        return Finding(_TOPIC, name, "problem", str(error), advice, {"path": str(file)})
    facts = {"path": str(file), "num_rules": summary["num_rules"], "mpi": summary["vendor"]}
    text = f"{file}: {summary['num_rules']} rules for {summary['vendor']}"
    return Finding(_TOPIC, name, "ok", text, "", facts)
