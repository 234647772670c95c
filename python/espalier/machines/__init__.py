# SPDX-License-Identifier: Apache-2.0
"""Machines as texts and files, where ranks lie on them, and the machine of a running job."""
