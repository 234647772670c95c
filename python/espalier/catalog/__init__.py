# SPDX-License-Identifier: Apache-2.0
"""The algorithms that there are: finding them, drawing, counting and proving their schedules."""
