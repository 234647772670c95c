# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""What a preloaded process does as a whole: exit codes, messages, statistics files.

Usage: behaviour.py CONFIG.json CASE. Standard library only. The configuration names the vendor, its
launcher with options, the shims and the test programs; CASE is the name of a function case_<CASE>
of one of the modules behaviour_*.py.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import behaviour_communicators
import behaviour_devices
import behaviour_endings
import behaviour_files
import behaviour_learning
import behaviour_libraries
import behaviour_manners
import behaviour_memory
import behaviour_native
import behaviour_neighbors
import behaviour_node
import behaviour_programs
import behaviour_records
import behaviour_settings
import behaviour_site
import behaviour_started
import behaviour_started_neighbors
import behaviour_traffic
import behaviour_valgrind
import behaviour_watching
from behaviour_context import Context, NotThereError

MODULES = (
    behaviour_communicators,
    behaviour_devices,
    behaviour_endings,
    behaviour_files,
    behaviour_learning,
    behaviour_libraries,
    behaviour_manners,
    behaviour_memory,
    behaviour_native,
    behaviour_neighbors,
    behaviour_node,
    behaviour_programs,
    behaviour_records,
    behaviour_settings,
    behaviour_site,
    behaviour_started,
    behaviour_started_neighbors,
    behaviour_traffic,
    behaviour_valgrind,
    behaviour_watching,
)


def main() -> int:
    """Run one case in a folder of its own."""
    config = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    name = f"case_{sys.argv[2]}"
    case = next(getattr(module, name) for module in MODULES if hasattr(module, name))
    with tempfile.TemporaryDirectory(prefix="espalier-shim-") as folder:
        quiet = {name: "" for name in os.environ if name.startswith("ESPALIER_")}
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        try:
            # What is tried differs from run to run: cases that are about learning switch it on.
            learn = {"ESPALIER_LEARN": "off", "XDG_STATE_HOME": folder}
            case(Context(config, Path(folder), {**quiet, **root, **learn}))
        except NotThereError as error:
            print(f"skipped: {error} is not built")
        except AssertionError as error:
            print(f"{config['vendor']}: expected {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
