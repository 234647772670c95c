# SPDX-License-Identifier: Apache-2.0
"""The algorithms: finding them by name, drawing, counting and proving their schedules."""
