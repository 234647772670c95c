// SPDX-License-Identifier: Apache-2.0

/// @file
/// Shared arrays of espalier_array.h: made and freed, and where their elements are.

#include <algorithm>
#include <memory>
#include <span>

#include "espalier/base/error.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/arrays/array_arguments.hpp"
#include "espalier/capi/onesided/arrays/array_object.hpp"

namespace {

using espalier::capi::check_pointer;
using espalier::onesided::ArrayDimension;
using espalier::onesided::ArrayIndex;
using espalier::onesided::OwnedBlock;

espalier_distribution described(espalier_array const& array) {
  espalier_distribution result = ESPALIER_DISTRIBUTION_INIT;
  std::span<ArrayDimension const> const dims = array.distribution.dims();
  result.ndims = static_cast<int>(dims.size());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    result.extents[dim] = dims[dim].extent;
    result.block[dim] = dims[dim].block;
    result.grid[dim] = dims[dim].grid;
  }
  return result;
}

espalier_remote place_of(espalier_array const& array, std::int64_t const* element) {
  ArrayIndex index{};
  std::copy_n(element, array.distribution.dims().size(), index.begin());
  auto const place = array.distribution.element_place(index);
  return {
      .rank = array.team->team.conduit_rank(place.rank),
      .offset = array.offset + static_cast<std::uint64_t>(place.position) * array.element_bytes,
  };
}

}  // namespace

using espalier::capi::on;

extern "C" {

int espalier_distribution_bytes(
    espalier_distribution const* distribution,
    MPI_Datatype datatype,
    int num_members,
    uint64_t* num_bytes
) {
  return on(MPI_COMM_SELF, [&] {
    check_pointer(num_bytes, "num_bytes");
    espalier::capi::check_count(num_members, "num_members");
    *num_bytes = espalier::capi::array_bytes(
        espalier::capi::read(distribution, num_members),
        espalier::capi::checked_element_bytes(datatype)
    );
  });
}

int espalier_array_create(
    espalier_team* team,
    espalier_distribution const* distribution,
    MPI_Datatype datatype,
    uint64_t offset,
    espalier_array** array
) {
  return on(team, [&](espalier_team& self) {
    check_pointer(reinterpret_cast<void const*>(array), "array");
    *array = nullptr;
    auto made = std::make_unique<espalier_array>(espalier_array{
        .team = team,
        .distribution = espalier::capi::read(distribution, self.team.num_ranks()),
        .datatype = datatype,
        .element_bytes = espalier::capi::checked_element_bytes(datatype),
        .offset = offset,
    });
    espalier::capi::check_room(*made);
    ++self.num_arrays;
    *array = made.release();
  });
}

int espalier_array_free(espalier_array** array) {
  return on(
      array == nullptr ? static_cast<espalier_array*>(nullptr) : *array,
      [&](espalier_array& self) {
        --self.team->num_arrays;
        delete *array;
        *array = nullptr;
      }
  );
}

int espalier_array_distribution(espalier_array const* array, espalier_distribution* distribution) {
  return on(array, [&](espalier_array const& self) {
    check_pointer(distribution, "distribution");
    *distribution = described(self);
  });
}

int espalier_array_place(
    espalier_array const* array, int64_t const element[], espalier_remote* place
) {
  return on(array, [&](espalier_array const& self) {
    check_pointer(element, "element");
    check_pointer(place, "place");
    *place = place_of(self, element);
  });
}

int espalier_region_has_affinity(espalier_region const* region, int* has_affinity) {
  return on(region == nullptr ? nullptr : region->array, [&](espalier_array const& self) {
    check_pointer(has_affinity, "has_affinity");
    int const rank = self.team->team.rank();
    bool const is_owner =
        std::ranges::any_of(espalier::capi::blocks_of(region), [&](OwnedBlock const& one) {
          return one.rank == rank;
        });
    *has_affinity = is_owner ? 1 : 0;
  });
}

}  // extern "C"
