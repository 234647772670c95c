# SPDX-License-Identifier: Apache-2.0

# Finds the Python that the extension module is built for, and nanobind: those of the virtual
# environment .venv when it exists (make install-deps creates it), otherwise whatever
# Python_EXECUTABLE or the system says.

if(NOT Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()
find_package(Python 3.10 COMPONENTS Interpreter Development.Module QUIET)
if(NOT Python_FOUND)
  project_missing(
    Python
    "It has to be 3.10 or later. Or build without it: -DESPALIER_WITH_PYTHON=OFF"
  )
endif()

execute_process(
  COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET
)
find_package(nanobind CONFIG QUIET)
if(NOT nanobind_FOUND)
  message(
    FATAL_ERROR
    "nanobind is not installed for ${Python_EXECUTABLE}. Run 'make install-deps', or build without "
    "Python: -DESPALIER_WITH_PYTHON=OFF"
  )
endif()
