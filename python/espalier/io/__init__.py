# SPDX-License-Identifier: Apache-2.0
"""Results on the terminal, documents with a schema, and files that are written whole."""
