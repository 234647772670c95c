# SPDX-License-Identifier: Apache-2.0
"""`espalier improve`: from an unchanged MPI program to a profile that makes it faster."""
