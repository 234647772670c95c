# SPDX-License-Identifier: Apache-2.0
"""What verbs show of their documents, one file a verb; figures are in a folder of their own.

A report answers what is best, by how much, how sure, on what, what could be wrong, how to repeat.
"""
