# SPDX-License-Identifier: Apache-2.0
"""The library of the C interface for the MPI that mpi4py has loaded."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from espalier import installation
from espalier.errors import (
    ArgumentError,
    Error,
    MpiError,
    NotBuiltError,
    OutOfMemoryError,
    UnsupportedError,
)

_VENDORS = {"Open MPI": "openmpi", "MPICH": "mpich"}
_WRONG = (
    "ERR_ARG",
    "ERR_BUFFER",
    "ERR_COMM",
    "ERR_COUNT",
    "ERR_DIMS",
    "ERR_INFO_VALUE",
    "ERR_OP",
    "ERR_RANK",
    "ERR_REQUEST",
    "ERR_ROOT",
    "ERR_TOPOLOGY",
    "ERR_TYPE",
)


def mpi() -> Any:
    """Return the module `mpi4py.MPI`.

    Raises:
        MpiError: it is missing.
    """
    try:
        from mpi4py import MPI  # noqa: PLC0415 - the rest of the package does without
    except ImportError as error:
        raise MpiError(
            "expected mpi4py, found none", "install it for the MPI of this job: pip install mpi4py"
        ) from error
    return MPI


@functools.cache
def library() -> ctypes.CDLL:
    """Return the library of the MPI that mpi4py has loaded."""
    version = mpi().Get_library_version()
    vendor = next((name for text, name in _VENDORS.items() if version.startswith(text)), None)
    if vendor is None:
        raise UnsupportedError(f"expected {' or '.join(_VENDORS)}, got '{version.splitlines()[0]}'")
    path = installation.api_library(vendor)
    if path is None:
        raise NotBuiltError(
            f"expected libespalier-api-{vendor}.so, found none",
            f"build it: cmake --build build/release --target espalier_api_{vendor}",
        )
    return ctypes.CDLL(str(path))


def check(code: int) -> None:
    """Raise what the last call of the library said, unless it succeeded."""
    if code == 0:
        return
    text = ctypes.create_string_buffer(1024)
    library().espalier_last_error(text, len(text))
    raise _kind(code)(text.value.decode())


def _kind(code: int) -> type[Error]:
    names = mpi()
    error_class = names.Get_error_class(code)
    if error_class in {getattr(names, name) for name in _WRONG}:
        return ArgumentError
    return OutOfMemoryError if error_class == names.ERR_NO_MEM else MpiError
