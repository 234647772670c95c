# SPDX-License-Identifier: Apache-2.0
"""Our collectives beside those of other MPIs, cell by cell."""
