# SPDX-License-Identifier: Apache-2.0
"""Environment variables for the ranks of a command, and only for the ranks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.launch.options import HYDRA, OPENMPI, SMPI, SRUN, Family

if TYPE_CHECKING:
    from collections.abc import Mapping

    from espalier.launch.command import LaunchCommand


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
    settings = dict(variables)
    options, program = list(command.options), list(command.program)
    if "LD_PRELOAD" in settings:
        options, is_set = _merge_preload(command.family, options, settings["LD_PRELOAD"])
        if is_set:
            del settings["LD_PRELOAD"]
        else:
            inherited = os.environ.get("LD_PRELOAD", "")
            settings["LD_PRELOAD"] = _join(settings["LD_PRELOAD"], inherited)
    front = [*command.wrapper, command.launcher]
    if command.family is SRUN:
        return Start([*front, *_srun_export(options, settings), *program], _for_srun(settings))
    if command.family is SMPI:
        # All ranks are in the launcher's own process.
        return Start([*front, *options, *program], settings)
    flags = _flags(command.family, settings)
    if command.family is OPENMPI and command.is_multi_program:
        # Open MPI's -x holds for the program it precedes, Hydra's -genv for all of them.
        program = _after_each_colon(program, flags)
    return Start([*front, *flags, *options, *program], {})


def _join(ours: str, theirs: str) -> str:
    return f"{ours}:{theirs}" if theirs else ours


def _flags(family: Family, variables: Mapping[str, str]) -> list[str]:
    flags: list[str] = []
    for name, value in variables.items():
        flags += ["-x", f"{name}={value}"] if family is OPENMPI else ["-genv", name, value]
    return flags


def _after_each_colon(words: list[str], flags: list[str]) -> list[str]:
    result: list[str] = []
    for word in words:
        result += [word, *flags] if word == ":" else [word]
    return result


def _merge_preload(family: Family, options: list[str], ours: str) -> tuple[list[str], bool]:
    """Put our library in front where the options set LD_PRELOAD; say whether they do."""
    merged: list[str] = []
    is_set = False
    for i, word in enumerate(options):
        value = _preload_value(family, options, i)
        if value is None:
            merged.append(word)
            continue
        is_set = True
        name = "" if family is HYDRA else "LD_PRELOAD="
        merged.append(name + _join(ours, value))
    return merged, is_set


def _preload_value(family: Family, options: list[str], i: int) -> str | None:
    """Return what word i sets LD_PRELOAD to, None if it does not."""
    name, given, value = options[i].partition("=")
    before = options[i - 1].lstrip("-") if i else ""
    if family is OPENMPI and before == "x" and name == "LD_PRELOAD":
        return value if given else os.environ.get("LD_PRELOAD", "")
    two_before = options[i - 2].lstrip("-") if i > 1 else ""
    if family is HYDRA and two_before in {"genv", "env"} and before == "LD_PRELOAD":
        return options[i]
    return None


def _for_srun(variables: Mapping[str, str]) -> dict[str, str]:
    # srun hands its environment to the ranks. --export cannot hold commas, and LD_PRELOAD is for
    # the ranks, not for srun.
    return {name: value for name, value in variables.items() if name != "LD_PRELOAD"}


def _srun_export(options: list[str], variables: Mapping[str, str]) -> list[str]:
    preload = variables.get("LD_PRELOAD")
    added = [f"LD_PRELOAD={preload}"] if preload else []
    for i, word in enumerate(options):
        name, given, value = word.partition("=")
        if name == "--export" and (given or i + 1 < len(options)):
            rest = options[i + 1 :]
            named = value if given else rest.pop(0)
            listed = [f"--export={named}", *_for_srun(variables), *added]
            return [*options[:i], ",".join(listed), *rest]
    return [",".join(["--export=ALL", *added]), *options]
