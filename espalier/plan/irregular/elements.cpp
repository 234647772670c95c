// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/irregular/elements.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/irregular/library.hpp"

namespace espalier::plan {
namespace {

using mpi::require_success;

#ifdef OPEN_MPI
constexpr int class_of_misplaced_in_place = MPI_ERR_ARG;
constexpr bool is_reported_without_data = true;
#else
constexpr int class_of_misplaced_in_place = MPI_ERR_BUFFER;
constexpr bool is_reported_without_data = false;
#endif

int int_of(std::int64_t number) {
  if (number > std::numeric_limits<int>::max()) {
    throw Error(
        ErrorCode::unsupported,
        "expected less than 2 GiB of elements with gaps in a call with aliased or unequal buffers, "
        "got " +
            std::to_string(number) + " bytes"
    );
  }
  return static_cast<int>(number);
}

std::uintptr_t number_of(void const* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

exec::TypeShape shape_of(MPI_Datatype type) {
  return type == MPI_DATATYPE_NULL ? exec::TypeShape{.is_gapless = true} : exec::describe(type);
}

std::int64_t size_bytes(Elements const& elements) {
  return elements.is_empty() ? 0 : elements.count * shape_of(elements.type).size_bytes;
}

void* at_extent(void const* address, std::int64_t count, MPI_Datatype type) {
  std::int64_t const offset = count == 0 ? 0 : count * shape_of(type).extent_bytes;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): MPI_BOTTOM is an address like any other.
  return reinterpret_cast<void*>(number_of(address) + static_cast<std::uintptr_t>(offset));
}

void require_possible(Elements const& elements) {
  if (elements.address == MPI_IN_PLACE && (is_reported_without_data || elements.count != 0)) {
    throw ClassError(class_of_misplaced_in_place, "expected a buffer, got MPI_IN_PLACE");
  }
  if (elements.count < 0) {
    throw ClassError(
        MPI_ERR_COUNT, "expected a count of at least 0, got " + std::to_string(elements.count)
    );
  }
  if (elements.count > 0 && elements.type == MPI_DATATYPE_NULL) {
    throw ClassError(
        MPI_ERR_TYPE,
        "expected a type for " + std::to_string(elements.count) + " elements, got MPI_DATATYPE_NULL"
    );
  }
  bool const has_data = size_bytes(elements) > 0;
  if (has_data && elements.address == nullptr && shape_of(elements.type).is_gapless) {
    throw ClassError(
        MPI_ERR_BUFFER,
        "expected memory for " + std::to_string(elements.count) + " elements, got a null pointer"
    );
  }
}

bool is_questionable(Elements const& elements, MPI_Comm self) noexcept {
  return elements.type == MPI_DATATYPE_NULL || !is_committed(elements.type, self);
}

bool share_memory(Elements const& a, Elements const& b) {
  std::int64_t const a_bytes = size_bytes(a);
  std::int64_t const b_bytes = size_bytes(b);
  if (a_bytes == 0 || b_bytes == 0) {
    return false;
  }
  if (!shape_of(a.type).is_gapless || !shape_of(b.type).is_gapless) {
    return a.address != nullptr && a.address == b.address && a.type == b.type;
  }
  return number_of(a.address) < number_of(b.address) + static_cast<std::uintptr_t>(b_bytes) &&
         number_of(b.address) < number_of(a.address) + static_cast<std::uintptr_t>(a_bytes);
}

std::vector<std::byte> packed(Elements const& elements) {
  std::vector<std::byte> data(static_cast<std::size_t>(size_bytes(elements)));
  if (data.empty()) {
    return data;
  }
  if (shape_of(elements.type).is_gapless) {
    std::memcpy(data.data(), elements.address, data.size());
    return data;
  }
  // An own type, since that of the user need not be committed. The data are packed without a head.
  auto const type = exec::MpiType::duplicate(elements.type);
  int position = 0;
  require_success(
      PMPI_Pack(
          elements.address,
          int_of(elements.count),
          type.get(),
          data.data(),
          int_of(static_cast<std::int64_t>(data.size())),
          &position,
          MPI_COMM_SELF
      ),
      "MPI_Pack"
  );
  return data;
}

int unpack(std::vector<std::byte> const& data, Elements const& to) {
  exec::TypeShape const shape = shape_of(to.type);
  auto const num_bytes = std::min(static_cast<std::int64_t>(data.size()), size_bytes(to));
  auto* const address =
      const_cast<void*>(to.address);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  if (num_bytes > 0 && shape.is_gapless) {
    std::memcpy(address, data.data(), static_cast<std::size_t>(num_bytes));
  } else if (num_bytes > 0) {
    auto const type = exec::MpiType::duplicate(to.type);
    int position = 0;
    require_success(
        PMPI_Unpack(
            data.data(),
            int_of(num_bytes),
            &position,
            address,
            int_of(num_bytes / shape.size_bytes),
            type.get(),
            MPI_COMM_SELF
        ),
        "MPI_Unpack"
    );
  }
  if (num_bytes == static_cast<std::int64_t>(data.size())) {
    return MPI_SUCCESS;
  }
  return guard([&]() -> int {
    throw ClassError(
        MPI_ERR_TRUNCATE,
        "expected at most " + std::to_string(num_bytes) + " bytes from this rank itself, got " +
            std::to_string(data.size())
    );
  });
}

}  // namespace espalier::plan
