// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/record.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "espalier/mpi/attribute.hpp"

namespace espalier::capi {
namespace {

int delete_record(MPI_Comm, int, void* value, void*) {
  delete static_cast<MappingRecord*>(value);
  return MPI_SUCCESS;
}

/// Made once, and kept until MPI ends.
mpi::Attribute const& record_attribute() {
  static mpi::Attribute const made(delete_record);
  return made;
}

}  // namespace

MappingRecord make_record(mapping::Mapping const& mapping, mapping::Places const& places) {
  MappingRecord record{.algorithm = mapping.algorithm};
  for (int level = 0; level < places.num_levels(); ++level) {
    auto const idx = static_cast<std::size_t>(level);
    espalier_cart_level& entry = record.levels.emplace_back();
    places.groups(level).name.copy(entry.name, ESPALIER_NAME_LEN - 1);
    entry.num_groups = static_cast<int>(places.sizes(level).size());
    entry.cost = places.groups(level).cost;
    entry.total_before = mapping.before.cuts[idx].total;
    entry.total_after = mapping.after.cuts[idx].total;
    entry.worst_before = mapping.before.cuts[idx].worst;
    entry.worst_after = mapping.after.cuts[idx].worst;
  }
  return record;
}

MappingRecord from_root(mpi::OwnCommunicator const& own, MappingRecord const& record) {
  std::string bytes(record.levels.size() * sizeof(espalier_cart_level), '\0');
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), record.levels.data(), bytes.size());
  }
  bytes = own.from_root(std::move(bytes));
  MappingRecord result{.algorithm = own.from_root(record.algorithm)};
  result.levels.resize(bytes.size() / sizeof(espalier_cart_level));
  if (!bytes.empty()) {
    std::memcpy(result.levels.data(), bytes.data(), bytes.size());
  }
  return result;
}

void attach(MPI_Comm comm, MappingRecord record) {
  auto owner = std::make_unique<MappingRecord>(std::move(record));
  record_attribute().set(comm, owner.get());
  (void)owner.release();  // the attribute's
}

MappingRecord const* find_record(MPI_Comm comm) {
  return static_cast<MappingRecord const*>(record_attribute().of(comm).value_or(nullptr));
}

}  // namespace espalier::capi
