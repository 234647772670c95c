// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/attribute.hpp"

#include "espalier/mpi/success.hpp"

namespace espalier::mpi {

Attribute::Attribute(MPI_Comm_delete_attr_function* on_delete, void* extra) {
  require_success(
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key_, extra),
      "MPI_Comm_create_keyval"
  );
}

std::optional<void*> Attribute::of(MPI_Comm comm) const {
  std::optional<void*> value;
  require_success(find(comm, value), "MPI_Comm_get_attr");
  return value;
}

int Attribute::find(MPI_Comm comm, std::optional<void*>& value) const noexcept {
  void* found = nullptr;
  int is_found = 0;
  int const code = PMPI_Comm_get_attr(comm, key_, reinterpret_cast<void*>(&found), &is_found);
  if (code == MPI_SUCCESS && is_found != 0) {
    value = found;
  }
  return code;
}

void Attribute::set(MPI_Comm comm, void* value) const {
  require_success(PMPI_Comm_set_attr(comm, key_, value), "MPI_Comm_set_attr");
}

void Attribute::remove(MPI_Comm comm) const noexcept {
  PMPI_Comm_delete_attr(comm, key_);
}

void Attribute::free() noexcept {
  PMPI_Comm_free_keyval(&key_);
}

}  // namespace espalier::mpi
