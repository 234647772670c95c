# SPDX-License-Identifier: Apache-2.0
"""Environment variables for the ranks of a command, and only for the ranks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.launch.options import HYDRA, OPENMPI, SRUN, Family

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from espalier.launch.command import LaunchCommand

_PRELOAD = "LD_PRELOAD"


@dataclass(frozen=True)
class Start:
    """What to execute: the words, and variables to add to the launcher's own environment."""

    words: list[str]
    environment: dict[str, str]


def with_environment(command: LaunchCommand, variables: Mapping[str, str]) -> Start:
    """Return how to start a command so that its ranks have these variables.

    The user's own options stay as they are, except that a library named by LD_PRELOAD goes in
    front of what the user preloads already, by option or by environment.
    """
    if not variables:
        return Start(command.words(), {})
    front = [*command.wrapper, command.launcher]
    if command.family in (OPENMPI, HYDRA):
        return Start([*front, *_with_flags(command, variables)], {})
    settings = _before_inherited(variables)
    if command.family is SRUN:
        options = _srun_export(list(command.options), settings)
        return Start([*front, *options, *command.program], _for_srun(settings))
    # All ranks of a simulation are in the launcher's own process.
    return Start([*front, *command.options, *command.program], settings)


def _join(ours: str, theirs: str) -> str:
    return f"{ours}:{theirs}" if theirs else ours


def _before_inherited(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables, with our library in front of what the environment preloads."""
    settings = dict(variables)
    if _PRELOAD in settings:
        settings[_PRELOAD] = _join(settings[_PRELOAD], os.environ.get(_PRELOAD, ""))
    return settings


def _with_flags(command: LaunchCommand, variables: Mapping[str, str]) -> list[str]:
    """Return options and programs, with the variables set for every program.

    Open MPI's -x holds for the program it precedes. Hydra's -genv holds for all of them wherever it
    stands, except for those with an -env of their own.
    """
    is_openmpi = command.family is OPENMPI
    parts = command.parts
    are_set = [_sets_preload(command.family, part.options) for part in parts]
    words: list[str] = []
    for i, part in enumerate(parts):
        words += [":"] if i else []
        if i == 0 or is_openmpi:
            settings = _before_inherited(variables)
            if are_set[i] if is_openmpi else any(are_set):
                settings.pop(_PRELOAD, None)
            words += _flags(command.family, settings)
        words += _merge_preload(command.family, part.options, variables.get(_PRELOAD))
        words += part.program
    return words


def _flags(family: Family, variables: Mapping[str, str]) -> list[str]:
    flags: list[str] = []
    for name, value in variables.items():
        flags += ["-x", f"{name}={value}"] if family is OPENMPI else ["-genv", name, value]
    return flags


def _merge_preload(family: Family, options: Sequence[str], ours: str | None) -> list[str]:
    """Put our library in front where the options set LD_PRELOAD."""
    if ours is None:
        return list(options)
    merged: list[str] = []
    for i, word in enumerate(options):
        value = _preload_value(family, options, i)
        name = "" if family is HYDRA else f"{_PRELOAD}="
        merged.append(word if value is None else name + _join(ours, value))
    return merged


def _sets_preload(family: Family, options: Sequence[str]) -> bool:
    """Return whether options set LD_PRELOAD, under Hydra for all programs."""
    return any(
        _preload_value(family, options, i) is not None
        and (family is OPENMPI or options[i - 2].lstrip("-") == "genv")
        for i in range(len(options))
    )


def _preload_value(family: Family, options: Sequence[str], i: int) -> str | None:
    """Return what word i sets LD_PRELOAD to, None if it does not."""
    name, given, value = options[i].partition("=")
    before = options[i - 1].lstrip("-") if i else ""
    if family is OPENMPI and before == "x" and name == _PRELOAD:
        return value if given else os.environ.get(_PRELOAD, "")
    two_before = options[i - 2].lstrip("-") if i > 1 else ""
    if family is HYDRA and two_before in {"genv", "env"} and before == _PRELOAD:
        return options[i]
    return None


def _for_srun(variables: Mapping[str, str]) -> dict[str, str]:
    # srun hands its environment to the ranks. --export cannot hold commas, and LD_PRELOAD is for
    # the ranks, not for srun.
    return {name: value for name, value in variables.items() if name != _PRELOAD}


def _srun_export(options: list[str], variables: Mapping[str, str]) -> list[str]:
    preload = variables.get(_PRELOAD)
    added = [f"{_PRELOAD}={preload}"] if preload else []
    for i, word in enumerate(options):
        name, given, value = word.partition("=")
        if name == "--export" and (given or i + 1 < len(options)):
            rest = options[i + 1 :]
            named = value if given else rest.pop(0)
            listed = [f"--export={named}", *_for_srun(variables), *added]
            return [*options[:i], ",".join(listed), *rest]
    return [",".join(["--export=ALL", *added]), *options]
