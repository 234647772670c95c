# SPDX-License-Identifier: Apache-2.0
"""What a probe measured: in memory and at once in a file, for an interruption to lose nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from espalier.io.console import say
from espalier.probing.samples import Header, Result, Samples
from espalier.probing.scan_plan import ALONE, MATRIX, compare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class RunRecord:
    """The results of all launches, kept as if they came from one.

    The file has the form that espalier-probe writes: a header, the results, an end. It is begun
    with the first result: until then, what an earlier probe left there stays. If it cannot be
    written any more, that is said once, and measuring goes on.
    """

    def __init__(self, path: Path | None) -> None:
        """Start with nothing; None for no file."""
        self.path = path
        self.header: Header | None = None
        self.results: list[Result] = []
        self.is_complete = True
        self.num_sets_left = 0
        self._num_tests = 0
        self._next_tests = 0
        self._is_open = path is not None
        # What the file is begun with; None once it is.
        self._head: Mapping[str, Any] | None = None

    def begin(self, value: Mapping[str, Any]) -> Header:
        """Take the header of a launch; the first one is kept."""
        header = Header.of(value)
        if self.header is None:
            self.header, self._head = header, value
        self._next_tests = self._num_tests
        return header

    def add(self, value: Mapping[str, Any]) -> None:
        """Keep a result; tests are counted through all launches."""
        index = self._next_tests + value["test_index"]
        self._num_tests = max(self._num_tests, index + 1)
        value = {**value, "test_index": index}
        self.results.append(Result.of(value))
        if self._head is not None:
            self._write(self._head, "w")
            self._head = None
        self._write(value)

    def count_left(self, num_sets: int) -> None:
        """Say that a launch had no time for some sets."""
        self.num_sets_left += num_sets
        self.is_complete = self.is_complete and num_sets == 0

    def end(self, *, complete: bool) -> None:
        """Finish the file if it was begun; not complete if the probe was interrupted.

        How many sets were left is not known then, and 0 without `complete` says so.
        """
        if not complete:
            self.is_complete, self.num_sets_left = False, 0
        if not self.results:
            return
        self._write({"kind": "end", "complete": self.is_complete, "sets_left": self.num_sets_left})

    def samples(self) -> Samples:
        """Return all of it."""
        if self.header is None:
            raise ValueError("nothing was recorded")
        return Samples(self.header, tuple(self.results), self.is_complete, self.num_sets_left)

    def _write(self, value: Mapping[str, Any], mode: str = "a") -> None:
        if not self._is_open or self.path is None:
            return
        try:
            with self.path.open(mode, encoding="utf-8") as file:
                file.write(json.dumps(value) + "\n")
        except OSError as error:
            self._is_open = False
            say(f"warning: {self.path}: {error.strerror}; going on without keeping measurements")

    @property
    def is_kept(self) -> bool:
        """Return whether all of it is in the file."""
        return self._is_open


def scan_part(samples: Samples) -> Samples:
    """Return the round trips of which levels are made.

    Where pairs that ran together disturbed each other, those that ran alone count.
    """
    found = [result for result in samples.results if result.label == MATRIX]
    comparison = compare(samples.results)
    alone = [result for result in found if len(result.pairs) == 1]
    if comparison is not None and comparison.is_disturbed and alone:
        found = alone
    return replace(samples, results=tuple(found))


def detail_part(samples: Samples) -> Samples:
    """Return everything but the scan."""
    return replace(samples, results=_without(samples.results, {MATRIX, ALONE}))


def _without(results: Sequence[Result], labels: set[str]) -> tuple[Result, ...]:
    return tuple(result for result in results if result.label not in labels)
