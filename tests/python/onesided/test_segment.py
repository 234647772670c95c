# SPDX-License-Identifier: Apache-2.0
"""Arrays of a segment: where they lie, and who keeps its memory."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np
import pytest

from espalier.errors import ArgumentError
from espalier.onesided.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Callable

NUM_BYTES = 1024
_memory = (ctypes.c_uint64 * (NUM_BYTES // 8))()


@pytest.fixture
def segment() -> Segment:
    """Return a segment of 0s that nobody uses."""
    ctypes.memset(_memory, 0, NUM_BYTES)
    return Segment(ctypes.addressof(_memory), NUM_BYTES)


def test_arrays_are_the_memory(segment: Segment) -> None:
    matrix = segment.array((2, 3), np.float32, 8)
    matrix[1, 2] = 1.5
    assert matrix.shape == (2, 3)
    assert matrix.flags.c_contiguous
    assert matrix.flags.writeable
    assert segment.array(6, np.float32, 8)[5] == 1.5
    assert ctypes.c_float.from_buffer(_memory, 28).value == 1.5


def test_arrays_may_be_of_structures_and_without_elements(segment: Segment) -> None:
    pair = np.dtype([("key", np.int64), ("weight", np.float64)])
    assert segment.array((4,), pair, 16)["weight"].shape == (4,)
    assert segment.array(0, float, NUM_BYTES).size == 0
    assert segment.array((), float, 0).shape == ()
    assert Segment(0, 0).array(0, float, 0).size == 0


def test_offsets_are_bytes(segment: Segment) -> None:
    numbers = segment.array(10, float, 64)
    assert segment.offset(numbers[3:].ctypes.data, 8, "array") == 64 + 24
    last = segment.array(1, np.uint8, NUM_BYTES - 1)
    assert segment.offset(last.ctypes.data, 1, "array") == NUM_BYTES - 1
    for address, num_bytes in [
        (segment.address - 1, 1),
        (segment.address + NUM_BYTES, 1),
        (segment.address + NUM_BYTES - 1, 2),
        (segment.address, NUM_BYTES + 1),
    ]:
        with pytest.raises(ArgumentError, match="of the own segment as array, got another"):
            segment.offset(address, num_bytes, "array")


@pytest.mark.parametrize(
    ("shape", "dtype", "offset", "text"),
    [
        (129, float, 0, "inside a segment of 1024 bytes, got 1032 bytes at offset 0"),
        (128, float, 8, "got 1024 bytes at offset 8"),
        (1, np.uint8, 1024, "got 1 bytes at offset 1024"),
        ((2**40, 2**40), float, 0, "inside a segment"),
        (1, float, 4, "multiple of 8, got 4"),
        (1, float, -8, r"offset in \[0, 18446744073709551616\), got -8"),
        (1, float, 2**64, "got 18446744073709551616"),
        (1, float, 0.5, "whole number as offset, got 0.5"),
        (-1, float, 0, "shape in .*, got -1"),
        ((2, -3), float, 0, "shape in .*, got -3"),
        ((2, 1.5), float, 0, "whole number as shape, got 1.5"),
        (2.0, float, 0, "whole number as shape, got 2.0"),
        (1, object, 0, "Python objects"),
    ],
)
def test_what_is_refused(
    segment: Segment, shape: object, dtype: object, offset: object, text: str
) -> None:
    with pytest.raises(ArgumentError, match=text):
        segment.array(shape, dtype, offset)


DERIVED: dict[str, Callable[[np.ndarray], object]] = {
    "itself": lambda array: array,
    "slice": lambda array: array[2:4],
    "transpose": lambda array: array.reshape(2, 4).T,
    "another type": lambda array: array.view(np.int32),
    "memoryview": lambda array: memoryview(array)[1:],
    "from its buffer": lambda array: np.frombuffer(array, dtype=np.uint8),
    "iterator": np.nditer,
}


@pytest.mark.parametrize("derive", DERIVED.values(), ids=DERIVED.keys())
def test_everything_that_shows_the_memory_counts(
    segment: Segment, derive: Callable[[np.ndarray], object]
) -> None:
    assert not segment.has_arrays()
    user = derive(segment.array(8, float, 0))
    assert segment.has_arrays()
    assert segment.has_arrays()
    del user
    assert not segment.has_arrays()
    again = segment.array(8, float, 0)
    assert segment.has_arrays()
    del again


def test_copies_do_not_count(segment: Segment) -> None:
    total = segment.array(8, float, 0).sum()
    copy = segment.array(8, float, 0) + 1
    assert total == 0
    assert copy.sum() == 8
    assert not segment.has_arrays()


def test_arrays_in_cycles_of_nobody_do_not_count(segment: Segment) -> None:
    cycle: list[object] = [segment.array(8, float, 0)]
    cycle.append(cycle)
    del cycle
    assert not segment.has_arrays()
