# SPDX-License-Identifier: Apache-2.0

# Runs at the start of an installation: turns a prefix such as `here`, or a `~/there` that the shell
# left as it was, into a full path, by which the prefix is found again when it is uninstalled.
string(REGEX REPLACE "^~(/|$)" "$ENV{HOME}\\1" CMAKE_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_PREFIX}")
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX NORMALIZE)
  string(REGEX REPLACE "/$" "" CMAKE_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
endif()
