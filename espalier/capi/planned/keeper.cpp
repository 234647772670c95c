// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/planned/keeper.hpp"

namespace espalier::capi {

void Keeper::keep(exec::Integers& list, int size) {
  if (list == nullptr) {
    return;
  }
  auto const* const first = static_cast<int const*>(list.data());
  list = numbers_.emplace_back(first, first + size).data();
}

void Keeper::keep(MPI_Datatype& type) {
  if (type != MPI_DATATYPE_NULL) {
    type = types_.emplace_back(exec::MpiType::duplicate(type)).get();
  }
}

void Keeper::keep(MPI_Datatype const*& types, int size) {
  if (types == nullptr) {
    return;
  }
  auto& copies = lists_of_types_.emplace_back(types, types + size);
  for (MPI_Datatype& type : copies) {
    keep(type);
  }
  types = copies.data();
}

}  // namespace espalier::capi
