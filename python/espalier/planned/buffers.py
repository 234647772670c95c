# SPDX-License-Identifier: Apache-2.0
"""Arrays of a planned collective, as C gets them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from espalier import api
from espalier.errors import ArgumentError
from espalier.onesided import arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from mpi4py import MPI

    from espalier.planned.planning import Ranks

    Array: TypeAlias = npt.NDArray[Any]
    Place: TypeAlias = npt.NDArray[Any] | int | None
    Blocks: TypeAlias = tuple[Any, ...] | list[Any]

LAST_OF_INT = 2**31
LAST_OF_ADDRESS = 2**63


@dataclass(frozen=True)
class Numbers:
    """What C has counts and displacements in; both are below `end`."""

    count: Any
    displacement: Any
    end: int

    def counts(self, values: Sequence[int]) -> Any:
        """Return a list of counts as C has it."""
        return (self.count * len(values))(*values)

    def displacements(self, values: Sequence[int]) -> Any:
        """Return a list of displacements as C has it."""
        return (self.displacement * len(values))(*values)


NARROW = Numbers(ctypes.c_int, ctypes.c_int, LAST_OF_INT)
LARGE = Numbers(ctypes.c_int64, ctypes.c_ssize_t, LAST_OF_ADDRESS)


@dataclass(frozen=True)
class Part:
    """An array, `MPI.IN_PLACE` or nothing, with the elements of each of its equal parts."""

    name: str
    address: int | None
    count: int = 0
    dtype: np.dtype[Any] | None = None

    @property
    def datatype(self) -> int:
        """Return the handle of Fortran of its type."""
        if self.dtype is None:
            return int(api.mpi().DATATYPE_NULL.py2f())
        return int(arguments.mpi_type(self.dtype, self.name).py2f())

    @property
    def values(self) -> tuple[int | None, int, int]:
        """Return address, count and type."""
        return self.address, self.count, self.datatype


@dataclass(frozen=True)
class Side:
    """An array with blocks of different sizes, `MPI.IN_PLACE` or nothing: what C gets."""

    array: Array | None
    address: int | None
    counts: Any = None
    displacements: Any = None
    datatype: int = 0
    datatypes: Any = None

    @property
    def values(self) -> tuple[Any, ...]:
        """Return address, lists and the type of all blocks."""
        return self.address, self.counts, self.displacements, self.datatype

    @property
    def typed_values(self) -> tuple[Any, ...]:
        """Return address and lists, also of types."""
        return self.address, self.counts, self.displacements, self.datatypes


def is_in_place(given: object) -> bool:
    """Tell `MPI.IN_PLACE` from an array."""
    return not isinstance(given, np.ndarray) and given is api.mpi().IN_PLACE


def in_place(name: str) -> Part:
    """Return `MPI.IN_PLACE`, where count and type say nothing."""
    return Part(name, int(api.mpi().IN_PLACE))


def nothing(name: str) -> Part:
    """Return what an argument is on ranks where it does not count."""
    return Part(name, None)


def part(
    given: Place,
    name: str,
    num_parts: int = 1,
    *,
    is_written: bool = False,
    numbers: Numbers = LARGE,
) -> Part:
    """Return an array that consists of equal parts.

    Raises:
        ArgumentError: it is no array that MPI can use, or cannot be divided so.
    """
    address = arguments.contiguous(given, name, is_written=is_written)
    array = arguments.array_of(given, name)
    if array.size % num_parts != 0:
        raise ArgumentError(
            f"expected a multiple of {num_parts} elements as {name}, got {array.size}"
        )
    count = arguments.number(array.size // num_parts, f"elements of a part of {name}", numbers.end)
    arguments.mpi_type(array.dtype, name)
    return Part(name, address, count, array.dtype)


def part_or_in_place(
    given: Place, other: Part, name: str, num_parts: int = 1, *, is_written: bool = False
) -> Part:
    """Return the other array of a call, whose parts are as large as those of the first one."""
    if is_in_place(given):
        return replace(in_place(name), count=other.count, dtype=other.dtype)
    found = part(given, name, num_parts, is_written=is_written)
    if (found.count, found.dtype) != (other.count, other.dtype):
        raise ArgumentError(
            f"expected {num_parts * other.count} elements of {other.dtype} as {name}, to fit "
            f"{other.name}, got {num_parts * found.count} of {found.dtype}"
        )
    return found


def root_of(root: int, ranks: Ranks) -> int:
    """Return a root that is a rank."""
    return arguments.number(root, "root", ranks.size)


def counts_of(given: Sequence[int], name: str, num_blocks: int, end: int) -> list[int]:
    """Return a list with a number in [0, end) for each block."""
    if not hasattr(given, "__len__"):
        raise ArgumentError(f"expected {num_blocks} numbers as {name}, got {given!r}")
    if len(given) != num_blocks:
        raise ArgumentError(f"expected {num_blocks} numbers as {name}, got {len(given)}")
    return [arguments.number(value, name, end) for value in given]


def integers(values: Sequence[int]) -> Any:
    """Return a list of int as C has it."""
    return (ctypes.c_int * len(values))(*values)


def side(
    given: object,
    name: str,
    num_blocks: int,
    *,
    is_written: bool = False,
    numbers: Numbers = LARGE,
) -> Side:
    """Return an array with blocks of different sizes, all of which lie in it.

    Raises:
        ArgumentError: it is no `(array, counts)` or `(array, counts, displacements)`, or blocks
            reach beyond the array.
    """
    array, counts, displacements = _unpacked(given, name, num_blocks, numbers.end)
    whole = part(array, name, is_written=is_written, numbers=numbers)
    for count, displacement in zip(counts, displacements, strict=True):
        if displacement + count > whole.count:
            raise ArgumentError(
                f"expected blocks inside of the {whole.count} elements of {name}, got "
                f"{count} from element {displacement} on"
            )
    return Side(
        array,
        whole.address,
        counts=numbers.counts(counts),
        displacements=numbers.displacements(displacements),
        datatype=whole.datatype,
    )


def _unpacked(
    given: object, name: str, num_blocks: int, end: int
) -> tuple[Array, list[int], list[int]]:
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise ArgumentError(
            f"expected (array, counts) or (array, counts, displacements) as {name}, got "
            f"{type(given).__name__}"
        )
    counts = counts_of(given[1], f"counts of {name}", num_blocks, end)
    if len(given) == 3:
        displacements = counts_of(given[2], f"displacements of {name}", num_blocks, end)
    else:
        displacements = [sum(counts[:block]) for block in range(num_blocks)]
        arguments.number(sum(counts), f"elements of {name}", end)
    return given[0], counts, displacements


def typed_side(
    given: object,
    name: str,
    num_blocks: int,
    *,
    is_written: bool = False,
    numbers: Numbers = LARGE,
) -> Side:
    """Return an array with blocks of different sizes and types; displacements are bytes.

    C has the displacements as MPI_Aint.

    Raises:
        ArgumentError: it is no `(array, counts, displacements, types)`, or blocks reach beyond the
            array.
    """
    if not isinstance(given, tuple | list) or len(given) != 4:
        raise ArgumentError(
            f"expected (array, counts, displacements, types) as {name}, got {type(given).__name__}"
        )
    array, counts, displacements, types = given
    address = arguments.contiguous(array, name, is_written=is_written)
    sizes = counts_of(counts, f"counts of {name}", num_blocks, numbers.end)
    places = counts_of(displacements, f"displacements of {name}", num_blocks, LAST_OF_ADDRESS)
    found = _types_of(types, name, num_blocks)
    _check_inside(array, name, sizes, places, found)
    handles = integers([datatype.py2f() for datatype in found])
    return Side(
        array,
        address,
        counts=numbers.counts(sizes),
        displacements=LARGE.displacements(places),
        datatypes=handles,
    )


def _check_inside(
    array: Array, name: str, counts: list[int], places: list[int], datatypes: list[MPI.Datatype]
) -> None:
    for count, place, datatype in zip(counts, places, datatypes, strict=True):
        if count == 0 or datatype.Get_size() == 0:
            continue
        first, end = _reach(datatype, count)
        if place + first < 0 or place + end > array.nbytes:
            raise ArgumentError(
                f"expected blocks inside of the {array.nbytes} bytes of {name}, got one from byte "
                f"{place + first} to byte {place + end}"
            )


def _types_of(given: Sequence[Any], name: str, num_blocks: int) -> list[Any]:
    if not hasattr(given, "__len__"):
        raise ArgumentError(f"expected {num_blocks} types of {name}, got {given!r}")
    if len(given) != num_blocks:
        raise ArgumentError(f"expected {num_blocks} types of {name}, got {len(given)}")
    return [_type_of(one, name) for one in given]


def _type_of(given: Any, name: str) -> Any:
    mpi = api.mpi()
    is_type_of_mpi = isinstance(given, mpi.Datatype)
    return given if is_type_of_mpi else arguments.mpi_type(np.dtype(given), f"types of {name}")


def _reach(datatype: MPI.Datatype, count: int) -> tuple[int, int]:
    """Return where a block begins and ends, in bytes from its place, before which it may begin.

    A type may have its elements before its place, and a negative extent lays one before the other.
    """
    true_begin, true_extent = datatype.Get_true_extent()
    span = (count - 1) * datatype.Get_extent()[1]
    return int(true_begin + min(0, span)), int(true_begin + true_extent + max(0, span))


def no_side(place: Part | None = None) -> Side:
    """Return what an argument is where its blocks do not count, at a place if there is one."""
    nowhere = nothing("") if place is None else place
    return Side(None, nowhere.address, datatype=nowhere.datatype)
