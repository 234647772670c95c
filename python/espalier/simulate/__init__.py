# SPDX-License-Identifier: Apache-2.0
"""MPI programs and collectives on machines that only exist in a simulator."""
