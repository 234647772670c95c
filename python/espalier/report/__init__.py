# SPDX-License-Identifier: Apache-2.0
"""Reports: what is best, by how much, how sure, on what, what could be wrong, how to repeat."""
