# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, and the exit code each kind gives the command line.

A text says what was expected and what was found; the advice says what to do. Both lower case,
without a full stop.
"""

from __future__ import annotations


class Error(Exception):
    """Anything Espalier reports in one line; use a subclass."""

    exit_code = 1

    def __init__(self, text: str, advice: str = "", *, exit_code: int | None = None) -> None:
        """Keep what was expected and found, and the advice."""
        super().__init__(text, advice)
        self.text = text
        self.advice = advice
        if exit_code is not None:
            self.exit_code = exit_code

    def __str__(self) -> str:
        """Return the line for the user."""
        return f"{self.text}; {self.advice}" if self.advice else self.text


class InputError(Error):
    """The user asked for something that is wrong or does not exist."""

    exit_code = 2


class ArgumentError(InputError):
    """A value is outside the documented range."""


class UnsupportedError(InputError):
    """Correct, but not something this algorithm or this build does."""


class FormatError(InputError):
    """A file or text is not what its header says."""


class EnvironmentFault(Error):  # noqa: N818 - the kind, of which the classes below are the errors
    """The machine, its MPI or its files do not do what is needed."""


class FileError(EnvironmentFault):
    """A file could not be read or written."""


class MpiError(EnvironmentFault):
    """An MPI is missing, or its launcher or one of its calls failed."""


class OutOfMemoryError(EnvironmentFault):
    """An allocation failed."""


class NotBuiltError(EnvironmentFault):
    """A compiled part of Espalier is missing."""
