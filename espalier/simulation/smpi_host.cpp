// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a rank on a simulated machine sees of its host. SMPI 3.32 gives every core the name of its
/// own host, and a wrong MPI_Comm_split_type. Linked into programs as an object, which goes before
/// the functions of the library.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <simgrid/actor.h>
#include <simgrid/host.h>

#include <mpi.h>

namespace {

char const* property(char const* name) {
  return sg_host_get_property_value(sg_host_self(), name);
}

/// On platforms that do not say what a node is, every host is one.
char const* name_of_node() {
  char const* const found = property("node");
  return found != nullptr ? found : sg_host_get_name(sg_host_self());
}

/// A color for MPI_Comm_split, the same for all ranks of a node.
int number_of_node() {
  if (char const* const group = property("group")) {
    return std::atoi(group);
  }
  std::uint32_t number = 2166136261U;
  for (char const letter : std::string_view(name_of_node())) {
    number = (number ^ static_cast<unsigned char>(letter)) * 16777619U;
  }
  return static_cast<int>(number >> 1U);
}

}  // namespace

extern "C" {

int PMPI_Get_processor_name(char* name, int* length) {
  std::strncpy(name, name_of_node(), MPI_MAX_PROCESSOR_NAME - 1);
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  *length = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
}

int MPI_Get_processor_name(char* name, int* length) {
  return PMPI_Get_processor_name(name, length);
}

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* result) {
  if (type != MPI_COMM_TYPE_SHARED && type != MPI_UNDEFINED) {
    return MPI_ERR_ARG;
  }
  return PMPI_Comm_split(comm, type == MPI_UNDEFINED ? type : number_of_node(), key, result);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result) {
  return PMPI_Comm_split_type(comm, type, key, info, result);
}
}
