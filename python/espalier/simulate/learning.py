# SPDX-License-Identifier: Apache-2.0
"""What a simulated program is told that learns while it runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from espalier.launch.preload import Settings
    from espalier.simulate.setting import Setting


def variables(
    setting: Setting, told: Settings, environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return settings as variables, so that a program that learns does the same each time.

    A rank sees the processors and networks of the real host, and the files in which programs and
    teams remember change with each run. Unless the user says otherwise, the model knows the
    simulated machine, and nothing is remembered.
    """
    usual = {"ESPALIER_MEMORY": "off"}
    if told.learns or environment.get("ESPALIER_LEARN"):
        usual["ESPALIER_MACHINE"] = setting.machine.name
    missing = {name: value for name, value in usual.items() if not environment.get(name)}
    return {**missing, **told.variables()}
