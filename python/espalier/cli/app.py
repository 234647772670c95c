# SPDX-License-Identifier: Apache-2.0
"""The verbs, and what is the same for all of them: errors, interruption, exit codes."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import signal
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from espalier import __version__
from espalier.cli.commands import INTERRUPTED, Ended, Family, command_of
from espalier.errors import Error, FileError, NotBuiltError
from espalier.launch.command import is_launcher

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

# Verb: (function in espalier/cli/<verb>.py, summary). The files are imported when they are used.
verbs = {
    "improve": ("improve", "Make an MPI program faster: tune what it calls, compare whole runs"),
    "doctor": ("doctor", "Say what works here, what does not, and what to do about it"),
    "list": ("list_algorithms", "List the algorithms"),
    "show": ("show", "Draw an algorithm, or print its program"),
    "check": ("check", "Prove that algorithms are correct"),
    "machine": ("machine", "Say what a machine is made of and what messages cost on it"),
    "probe": ("probe", "Measure what messages cost on this machine and write a machine file"),
    "tune": ("tune", "Measure candidates, on this machine or simulated, and write a profile"),
    "run": ("run", "Run an MPI program with Espalier under it"),
    "simulate": ("simulate", "Run an MPI program, or time collectives, on a simulated machine"),
    "compare": ("compare", "Run an MPI program with and without, and report the difference"),
    "peers": ("peers", "Compare collectives with those of other MPIs, simulated or here"),
    "model": ("model", "Predict times from a model of the machine, or check the model"),
    "order": ("order", "Find the order of ranks in which trees are fastest"),
    "map": ("map_processes", "Find where the processes of a grid should run, for a launcher"),
    "halo": ("halo", "Time halo exchanges on Cartesian communicators made in several ways"),
    "cluster": ("cluster", "Emulate a cluster on this machine, and run MPI programs on it"),
    "profile": ("profile", "Keep profiles: show, diff, merge, share, check, export"),
    "explain": ("explain", "Say what a profile chooses and why, or what ran"),
}

# Of writing: nothing more fits there, or it is broken.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_TERMINATED = 128 + signal.SIGTERM


class Verbs(TyperGroup):
    """Commands whose files are imported on use, so that `espalier --help` is quick."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the verbs in the order in which a user meets them."""
        return list(verbs)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Import a verb; None if there is none of this name."""
        if cmd_name not in verbs:
            return None
        function, summary = verbs[cmd_name]
        found = getattr(importlib.import_module(f"espalier.cli.{cmd_name}"), function)
        if isinstance(found, Family):
            return found.group(cmd_name, summary)
        return command_of(found, (cmd_name,), summary)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the table of verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, summary) for name, (_, summary) in verbs.items()])


app = typer.Typer(
    cls=Verbs,
    name="espalier",
    add_completion=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"espalier {__version__}")
        raise typer.Exit


@app.callback(epilog="Start with 'espalier doctor'. 'espalier VERB --help' says more about a verb.")
def _espalier(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Say which version."
        ),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> None:
    """Make MPI programs communicate faster on the machine they run on."""


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    # As an exception, so that whoever started processes ends them on the way out.
    sys.exit(_TERMINATED)


def _take_debug(arguments: Sequence[str]) -> tuple[bool, list[str]]:
    """Return whether --debug was given, and the rest; what follows -- is the user's program."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    kept = [word for word in words[:end] if word != "--debug"]
    return len(kept) < end, kept + words[end:]


def _missing_module(error: ImportError) -> Error | None:
    if "_core" in str(error) and (error.name or "").startswith("espalier"):
        text = f"expected the compiled module of Espalier, found none ({error})"
        return NotBuiltError(text, "run make build")
    return None


def _report(error: BaseException, debug: bool) -> None:
    if debug:
        traceback.print_exception(error)
    text = str(error)
    if not text and hasattr(error, "format_message"):
        text = error.format_message()
    sys.stderr.write(f"espalier: {text or type(error).__name__}\n")


def _usage_text(error: Any) -> str:
    text = error.format_message().rstrip(".")
    text = text[:1].lower() + text[1:]
    context = getattr(error, "ctx", None)
    return f"{text}; see {context.command_path} --help" if context else text


def _hint(arguments: Sequence[str]) -> str:
    """Return what may be wrong if a command was given without -- in front."""
    launcher = next((word for word in arguments if is_launcher(word)), None)
    if launcher is None or "--" in arguments:
        return ""
    return f"; put -- in front of the program's command: -- {launcher} ..."


def _run(arguments: list[str]) -> int:
    result = app(args=arguments, prog_name="espalier", standalone_mode=False)
    return result if isinstance(result, int) else 0


def _guarded(arguments: list[str], debug: bool) -> int:
    try:
        return _run(arguments)
    except Ended as end:
        if end.code == INTERRUPTED:
            sys.stderr.write("espalier: interrupted\n")
        return end.code
    except SystemExit as end:
        if end.code != _TERMINATED:
            raise
        return _TERMINATED
    except Error as error:
        _report(error, debug)
        return error.exit_code
    except ImportError as error:
        missing = _missing_module(error)
        if missing is None:
            raise
        _report(missing, debug)
        return missing.exit_code
    except Exception as error:
        # A mistake on the command line; the class differs between versions of typer.
        if not hasattr(error, "format_message"):
            raise
        _report(Error(_usage_text(error) + _hint(arguments)), debug)
        return 2


def _lost_output(error: BaseException) -> Error | None:
    """Return what to say if standard output takes nothing any more; None if that is not so."""
    if not isinstance(error, OSError) or error.errno not in _FULL or error.filename is not None:
        return None
    try:
        # Nothing else tells whether it was standard output that failed: it fails again.
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError as again:
        # Keep the interpreter from flushing once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FileError(
            f"expected to write standard output, got '{again.strerror}'",
            "free space there, or write elsewhere",
        )
    return None


def _report_defect(error: Exception) -> None:
    where = traceback.extract_tb(error.__traceback__)[-1]
    sys.stderr.write(
        f"espalier: internal error: {type(error).__name__}: {error} "
        f"({where.filename}:{where.lineno}); please report it with the output of --debug\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    debug, rest = _take_debug(sys.argv[1:] if arguments is None else arguments)
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, _terminate)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # Names of files with bytes that are not UTF-8 are printed as they are.
        sys.stdout.reconfigure(errors="surrogateescape")
    try:
        code = _guarded(rest or ["--help"], debug)
        sys.stdout.flush()
    except Exception as error:
        lost = _lost_output(error)
        if lost is not None:
            _report(lost, debug)
        elif debug:
            raise
        else:
            _report_defect(error)
        code = 1
    if arguments is None and threading.active_count() > 1:
        # Threads that compute cannot be interrupted, and nobody wants to wait for them. If one of
        # them comes back from the core to an interpreter that has ended, that aborts the process.
        sys.stderr.flush()
        os._exit(code)
    return code
