# SPDX-License-Identifier: Apache-2.0
"""Starting the user's MPI programs: launcher command lines, processes, and what went wrong."""
