# SPDX-License-Identifier: Apache-2.0
"""Starting MPI programs with the user's launcher, preloaded or not, and what they leave."""
