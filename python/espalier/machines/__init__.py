# SPDX-License-Identifier: Apache-2.0
"""Machines as texts and files, where ranks lie on them, and what a running job shows of one."""
