# SPDX-License-Identifier: Apache-2.0
"""The command of a user: what its program is linked with, and what goes under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from espalier.conditions.finding import Finding
from espalier.errors import Error
from espalier.launch import libraries, programs
from espalier.launch.command import parse_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from espalier.launch.command import LaunchCommand

_TOPIC = "command"


def _program(program: programs.Program) -> Finding:
    facts = {"path": str(program.path) if program.path else None, "vendor": program.vendor}
    facts["interface"] = program.interface
    facts["library"] = str(program.library) if program.library else None
    if program.path is None:
        text = f"expected a program, found nothing executable at '{program.name}'"
        return Finding(_TOPIC, "program", "problem", text, "build it or give its path", facts)
    if program.library is not None:
        text = f"'{program.name}' is linked with {program.library}"
    elif program.interface is not None:
        text = f"'{program.name}' is linked with an MPI library that the dynamic linker cannot find"
        advice = "set LD_LIBRARY_PATH to the folder of the library"
        return Finding(_TOPIC, "program", "problem", text, advice, facts)
    else:
        kind = "does not name an MPI library" if program.is_binary else "is a script"
        text = f"'{program.name}' {kind}; what it opens later is known at run time only"
    return Finding(_TOPIC, "program", "ok", text, "", facts)


def _run_time(program: programs.Program) -> Iterator[Finding]:
    """Ask the library itself, as the dynamic linker finds it here."""
    if program.library is None or program.interface is None:
        return
    judgement = libraries.judge(program.library, program.interface)
    facts = {"path": str(program.library), "version": judgement.version}
    if judgement.why_native:
        advice = "the program runs unchanged; use a version that was tested"
        yield Finding(_TOPIC, "run time", "warning", judgement.why_native, advice, facts)
    else:
        yield Finding(_TOPIC, "run time", "ok", f"{judgement.version}, tested", "", facts)


def _pair(parsed: LaunchCommand, program: programs.Program) -> Iterator[Finding]:
    """Compare the library of the program with the one that was installed with the launcher."""
    beside = libraries.beside_launcher(parsed)
    if beside is None or program.library is None or program.vendor != parsed.vendor:
        return
    if program.interface == programs.STANDARD:
        # It stands beside the other library of an installation, under another name.
        beside = beside.with_name(program.library.name)
    if beside.resolve() != program.library.resolve():
        text = f"{parsed.launcher} was installed with {beside}, the program uses another library"
        advice = f"if that is not meant, set LD_LIBRARY_PATH={beside.parent}"
        yield Finding(_TOPIC, "pair", "warning", text, advice, {"beside": str(beside)})


def _choice(parsed: LaunchCommand, program: programs.Program | None) -> Finding:
    if program is not None and (obstacle := program.obstacle):
        advice = "build it with shared libraries and without privileges"
        return Finding(_TOPIC, "preload", "warning", obstacle, advice, {"library": None})
    try:
        vendor = programs.choose_vendor(parsed, program)
    except Error as error:
        return Finding(_TOPIC, "preload", "problem", error.text, error.advice, {"library": None})
    name = f"libespalier-{programs.preloaded_for(vendor, program)}.so"
    text = f"{name}: {programs.why_chosen(parsed, program)}"
    return Finding(_TOPIC, "preload", "ok", text, "", {"library": name})


def command(words: Sequence[str]) -> Iterator[Finding]:
    """Look at a launcher and a program: what they are, and which library goes under them."""
    try:
        parsed = parse_command(words)
    except Error as error:
        yield Finding(_TOPIC, "launcher", "problem", error.text, error.advice)
        return
    text = f"{parsed.launcher} is {parsed.family.title} {parsed.version}"
    yield Finding(_TOPIC, "launcher", "ok", text, "", {"vendor": parsed.vendor})
    program = programs.inspect(parsed.program[0]) if parsed.program else None
    if program is not None:
        yield _program(program)
        yield from _run_time(program)
        yield from _pair(parsed, program)
    yield _choice(parsed, program)
