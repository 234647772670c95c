// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/kind_of_calls.hpp"

#include <cstddef>
#include <string>
#include <tuple>

#include <nlohmann/json.hpp>

#include "espalier/plan/settings/statistics.hpp"
#include "espalier/profile/call_in_file.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::plan {

bool operator<(KindOfCalls const& left, KindOfCalls const& right) noexcept {
  auto const order = [](KindOfCalls const& kind) {
    return std::tuple(
        kind.call,
        kind.form,
        kind.shape.num_ranks,
        kind.shape.num_nodes,
        kind.shape.placement,
        kind.shape.topology,
        kind.shape.max_neighbors,
        kind.min_bytes
    );
  };
  return order(left) < order(right);
}

KindOfCalls
kind_of(profile::Call call, profile::Shape shape, std::int64_t bytes, profile::Form form) noexcept {
  KindOfCalls kind{.call = call, .shape = shape, .form = form};
  if (profile::has_known_size(call, shape)) {
    std::size_t const size = size_class(bytes);
    kind.min_bytes = min_bytes_of(size);
    kind.max_bytes = max_bytes_of(size);
  }
  return kind;
}

bool ranks_meet(profile::Call call) noexcept {
  using schedule::Collective;
  if (profile::is_neighborhood(call) || profile::has_lists(call)) {
    return false;
  }
  switch (profile::collective_of(call)) {
  case Collective::barrier:
  case Collective::allreduce:
  case Collective::reduce_scatter:
  case Collective::allgather:
  case Collective::alltoall:
    return true;
  case Collective::bcast:
  case Collective::scatter:
  case Collective::gather:
  case Collective::reduce:
  case Collective::scan:
  case Collective::exscan:
    return false;
  }
  return false;
}

bool ranks_run_ahead(profile::Call call) noexcept {
  return !ranks_meet(call) && call != profile::Call::allgatherv;
}

bool carries_much_data(KindOfCalls const& kind) noexcept {
  constexpr std::int64_t much_data = 32768;
  std::int64_t const num_blocks = std::max(kind.shape.max_neighbors, 1);
  return !profile::has_known_size(kind.call, kind.shape) ||
         kind.min_bytes >= much_data / num_blocks;
}

void set_members(nlohmann::json& object, KindOfCalls const& kind) {
  object["collective"] = profile::to_string(kind.call_form());
  object["num_ranks"] = kind.shape.num_ranks;
  object["num_nodes"] = kind.shape.num_nodes;
  if (kind.shape.placement != profile::Placement::any) {
    object["placement"] = profile::to_string(kind.shape.placement);
  }
  if (kind.shape.topology != profile::Topology::none) {
    object["topology"] = profile::to_string(kind.shape.topology);
    object["max_neighbors"] = kind.shape.max_neighbors;
  }
  object["min_bytes"] = kind.min_bytes;
  object["max_bytes"] = kind.max_bytes ? nlohmann::json(*kind.max_bytes) : nlohmann::json();
}

KindOfCalls kind_from_members(Field const& object) {
  Field const name = object.at("collective");
  auto const [call, form] = profile::rule_call_in_file(name);
  if (form == profile::Form::persistent) {
    name.fail("a blocking or a nonblocking call");
  }
  KindOfCalls kind{.call = call, .form = form};
  kind.shape = profile::shape_in_file(object, kind.call);
  kind.min_bytes = object.at("min_bytes").integer(0);
  if (Field const max_bytes = object.at("max_bytes"); !max_bytes.is_null()) {
    kind.max_bytes = max_bytes.integer(kind.min_bytes);
  }
  return kind;
}

}  // namespace espalier::plan
