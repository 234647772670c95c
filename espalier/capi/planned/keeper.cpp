// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/planned/keeper.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "espalier/mpi/large_counts.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {

bool has_native_large_counts() noexcept {
#if MPI_VERSION >= 4
  return mpi::has_large_counts();
#else
  return false;
#endif
}

void Keeper::keep(exec::Integers& list, int size) {
  if (list == nullptr) {
    return;
  }
  if (!list.is_wide()) {
    auto const* const first = static_cast<int const*>(list.data());
    list = numbers_.emplace_back(first, first + size).data();
    return;
  }
  auto const* const first = static_cast<std::int64_t const*>(list.data());
  std::for_each(first, first + size, [this](std::int64_t number) { keep(number); });
  if (narrows_) {
    list = numbers_.emplace_back(first, first + size).data();
  } else {
    list = exec::Integers::wide(wide_numbers_.emplace_back(first, first + size).data());
  }
}

void Keeper::keep(std::int64_t number) const {
  if (narrows_ && !std::in_range<int>(number)) {
    throw plan::ClassError(
        MPI_ERR_COUNT,
        "expected counts and displacements below 2^31 for the native collective of an MPI library "
        "that has no others, got " +
            std::to_string(number) + "; name an algorithm of Espalier"
    );
  }
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
