# SPDX-License-Identifier: Apache-2.0
"""Decisions of a profile as rules of an MPI library, as far as it has the same algorithms."""
