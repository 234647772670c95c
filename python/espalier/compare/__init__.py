# SPDX-License-Identifier: Apache-2.0
"""Running a program with Espalier and without, in turns, and judging whether it is faster."""
