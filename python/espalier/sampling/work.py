# SPDX-License-Identifier: Apache-2.0
"""What a program does between the start of a nonblocking call and its completion."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from espalier.base.durations import parse_seconds
from espalier.errors import ArgumentError

_MOST_TESTS = 1_000_000


@dataclass(frozen=True)
class Work:
    """Computing for some seconds, or calls of a function `void function(void)` in a library.

    It is done in pieces, with an MPI_Test between them; each piece is one call of the function.
    Without seconds and function the call is completed at once.
    """

    seconds: float = 0.0
    library: str = ""
    function: str = ""
    num_tests: int = 0

    @classmethod
    def parse(cls, text: str | None, num_tests: int = 0) -> Work:
        """Return the work of `30ms`, or of `./work.so:my_function`.

        Raises:
            ArgumentError: it is neither, or there is no such file.
        """
        if not 0 <= num_tests <= _MOST_TESTS:
            raise ArgumentError(f"expected --tests of 0 .. {_MOST_TESTS}, got {num_tests}")
        if text is None:
            if num_tests:
                raise ArgumentError(
                    "expected --work together with --tests, got --tests alone",
                    "as in --work 30ms --tests 10",
                )
            return cls()
        library, colon, function = text.rpartition(":")
        if not colon:
            return cls(seconds=parse_seconds(text), num_tests=num_tests)
        if not library or not function:
            raise ArgumentError(
                f"expected --work LIBRARY:FUNCTION or a time, got '{text}'",
                "as in --work ./work.so:my_function, or --work 30ms",
            )
        path = Path(library).resolve()
        if not path.is_file():
            raise ArgumentError(
                f"expected a library in front of the colon of --work, found no file {library}",
                "cc -shared -fPIC -o work.so work.c makes one",
            )
        return cls(library=str(path), function=function, num_tests=num_tests)

    def text(self) -> str:
        """Return `30 ms of work, 10 tests`; empty if nothing is done."""
        words = ""
        if self.library:
            words = f"work {self.function} of {Path(self.library).name}"
        elif self.seconds:
            words = f"{1000 * self.seconds:g} ms of work"
        tests = "test" if self.num_tests == 1 else "tests"
        return f"{words}, {self.num_tests} {tests}" if self.num_tests else words

    def member(self) -> dict[str, Any]:
        """Return the member of a point in a measurement plan."""
        done: dict[str, Any] = {"seconds": self.seconds}
        if self.library:
            done = {"library": self.library, "function": self.function}
        return {**done, "tests": self.num_tests}
