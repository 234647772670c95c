# SPDX-License-Identifier: Apache-2.0
"""Does Espalier make this program faster? Runs with and without, in turns."""
