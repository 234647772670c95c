// SPDX-License-Identifier: Apache-2.0

/// The nodes that the tests of this program see, see PrivateComm.

#include "tests/mpi/fake_nodes.hpp"

extern "C" int
PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return fake_nodes::split_type(comm, type, key, info, made);
}
