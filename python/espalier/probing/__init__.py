# SPDX-License-Identifier: Apache-2.0
"""Finding the levels and links of a machine from the times of messages between its ranks."""
