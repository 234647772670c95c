# SPDX-License-Identifier: Apache-2.0
"""Units, durations, intervals around measurements, and threads: what needs nothing else."""
