# SPDX-License-Identifier: Apache-2.0
"""Units, durations, statistics and threads: what any package may need and no MPI is in."""
