// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/collective.hpp"

#include <array>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/names.hpp"

namespace espalier::schedule {
namespace {

constexpr std::array collectives{
    Collective::barrier,
    Collective::bcast,
    Collective::scatter,
    Collective::gather,
    Collective::reduce,
    Collective::allreduce,
    Collective::reduce_scatter,
    Collective::scan,
    Collective::exscan,
    Collective::allgather,
    Collective::alltoall,
};

constexpr std::array<std::string_view, collectives.size()> names{
    "barrier",
    "bcast",
    "scatter",
    "gather",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "scan",
    "exscan",
    "allgather",
    "alltoall",
};

BlockRun part(Role const& role, int num_output_blocks) noexcept {
  int const size = num_output_blocks / role.num_ranks;
  return {.begin = role.rank * size, .size = size};
}

}  // namespace

std::span<Collective const> all_collectives() noexcept {
  return collectives;
}

std::string_view to_string(Collective collective) noexcept {
  return names[static_cast<std::size_t>(collective)];
}

Collective parse_collective(std::string_view text) {
  auto const name_of = [](Collective collective) { return to_string(collective); };
  if (auto const found = find_named(collectives, text, name_of)) {
    return *found;
  }
  throw Error(
      ErrorCode::argument,
      "expected a collective (" + list_names(collectives, name_of) + "), got '" +
          std::string(text) + "'"
  );
}

bool has_root(Collective collective) noexcept {
  switch (collective) {
  case Collective::bcast:
  case Collective::scatter:
  case Collective::gather:
  case Collective::reduce:
    return true;
  default:
    return false;
  }
}

bool reduces(Collective collective) noexcept {
  switch (collective) {
  case Collective::reduce:
  case Collective::allreduce:
  case Collective::reduce_scatter:
  case Collective::scan:
  case Collective::exscan:
    return true;
  default:
    return false;
  }
}

bool has_parts(Collective collective) noexcept {
  switch (collective) {
  case Collective::scatter:
  case Collective::gather:
  case Collective::reduce_scatter:
  case Collective::allgather:
  case Collective::alltoall:
    return true;
  default:
    return false;
  }
}

BlockRun contributed(Role const& role, int num_output_blocks) noexcept {
  BlockRun const all{.begin = 0, .size = num_output_blocks};
  switch (role.collective) {
  case Collective::barrier:
  case Collective::alltoall:
    return {};
  case Collective::bcast:
  case Collective::scatter:
    return role.rank == role.root ? all : BlockRun{};
  case Collective::gather:
  case Collective::allgather:
    return part(role, num_output_blocks);
  default:
    return all;
  }
}

BlockRun promised(Role const& role, int num_output_blocks) noexcept {
  BlockRun const all{.begin = 0, .size = num_output_blocks};
  switch (role.collective) {
  case Collective::barrier:
    return {};
  case Collective::scatter:
  case Collective::reduce_scatter:
    return part(role, num_output_blocks);
  case Collective::gather:
  case Collective::reduce:
    return role.rank == role.root ? all : BlockRun{};
  case Collective::exscan:
    return role.rank > 0 ? all : BlockRun{};
  default:
    return all;
  }
}

std::string_view to_string(OperandOrder order) noexcept {
  switch (order) {
  case OperandOrder::any:
    return "any";
  case OperandOrder::rank:
    return "rank";
  case OperandOrder::left:
    return "left";
  }
  return "unknown";
}

}  // namespace espalier::schedule
