# SPDX-License-Identifier: Apache-2.0
"""Espalier: proved and tuned MPI collectives. This package imports without MPI."""

from espalier import installation
from espalier.errors import Error

__all__ = ["Error", "__version__"]

__version__ = "0.1.0"

# In a checkout the compiled module lies in the build folder, so that builds do not overwrite
# each other's.
__path__.extend(str(folder) for folder in installation.module_folders())
