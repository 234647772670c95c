# SPDX-License-Identifier: Apache-2.0
"""Grids and graphs of processes on machines: who should be started where."""
