// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/core.hpp"
#include "python/rank_cores.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/mapping/orders/binomial_steps.hpp"
#include "espalier/mapping/orders/distances.hpp"
#include "espalier/mapping/orders/node_orders.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/orders/rtt_matrix.hpp"
#include "espalier/mapping/orders/tree_orders.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

using mapping::RankVector;
using mapping::RttMatrix;
using Rows = std::vector<std::vector<double>>;
using Ranks = std::vector<int>;

RttMatrix matrix_of(Rows const& rows) {
  std::vector<double> times;
  for (std::vector<double> const& row : rows) {
    times.insert(times.end(), row.begin(), row.end());
  }
  return RttMatrix(static_cast<int>(rows.size()), std::move(times));
}

RankVector fastest_edge_first(Rows const& rtt, int root) {
  return mapping::fastest_edge_first(matrix_of(rtt), root);
}

RankVector
channel_aware(Rows const& rtt, Ranks const& group_of_rank, double across, double inside, int root) {
  return mapping::channel_aware(
      matrix_of(rtt), group_of_rank, {.across = across, .inside = inside}, root
  );
}

RankVector channel_aware_as_published(Rows const& rtt, double channels, int root) {
  return mapping::channel_aware_as_published(matrix_of(rtt), channels, root);
}

RankVector node_order(std::string_view kind, Ranks const& node_of_rank) {
  if (kind == "smp") {
    return mapping::by_node(node_of_rank);
  }
  if (kind == "round_robin") {
    return mapping::round_robin(node_of_rank);
  }
  if (kind == "folded") {
    return mapping::folded(node_of_rank);
  }
  throw Error(
      ErrorCode::argument, "expected smp, round_robin or folded, got '" + std::string(kind) + "'"
  );
}

nb::list binomial_steps(Ranks const& ranks) {
  nb::list steps;
  for (auto const& messages : mapping::binomial_steps(ranks)) {
    nb::list step;
    for (mapping::TreeMessage const& message : messages) {
      step.append(nb::make_tuple(message.from, message.to, message.blocks));
    }
    steps.append(step);
  }
  return steps;
}

nb::dict tree_times(
    Rows const& rtt,
    Ranks const& ranks,
    Ranks const& group_of_rank,
    double across,
    double inside,
    bool whole
) {
  RttMatrix const matrix = matrix_of(rtt);
  mapping::Channels const channels{.across = across, .inside = inside};
  auto const payload = whole ? mapping::Payload::whole : mapping::Payload::subtree;
  nb::dict result;
  result["steps"] = nb::cast(mapping::step_times(matrix, ranks, group_of_rank, channels, payload));
  result["completion"] = mapping::completion_time(matrix, ranks, group_of_rank, channels, payload);
  return result;
}

Rows rows_of(RttMatrix const& matrix) {
  auto const size = static_cast<std::size_t>(matrix.num_ranks());
  Rows rows(size, std::vector<double>(size));
  for (std::size_t from = 0; from < size; ++from) {
    for (std::size_t to = 0; to < size; ++to) {
      if (from != to) {
        rows[from][to] = matrix(static_cast<int>(from), static_cast<int>(to));
      }
    }
  }
  return rows;
}

nb::dict
machine_distances(std::string_view text, std::string_view placement, int num_ranks, double bytes) {
  machine::MachineFile const file = machine::read_file(text);
  machine::Machine const& machine = file.machine;
  Ranks const core_of = cores_of_ranks(file, placement, num_ranks);
  int const level = mapping::level_of_groups(machine, core_of);
  mapping::Channels const channels = mapping::channels_of(machine, level);
  nb::dict result;
  result["rtt"] = rows_of(RttMatrix::of_machine(machine, core_of, bytes));
  result["has_times"] = mapping::has_times(machine);
  result["group_of_rank"] = mapping::groups_of(machine, core_of);
  result["group_level"] = machine.name(level);
  result["across"] = channels.across;
  result["inside"] = channels.inside;
  return result;
}

}  // namespace

void bind_mapping(nb::module_& module) {
  using nb::arg;
  module.def("standard_order", mapping::standard_order, arg("num_ranks"), arg("root") = 0);
  module.def(
      "random_order", mapping::random_order, arg("num_ranks"), arg("root") = 0, arg("seed") = 1
  );
  module.def("node_order", node_order, arg("kind"), arg("node_of_rank"));
  module.def("fastest_edge_first", fastest_edge_first, arg("rtt"), arg("root") = 0);
  module.def(
      "channel_aware",
      channel_aware,
      arg("rtt"),
      arg("group_of_rank"),
      arg("across"),
      arg("inside"),
      arg("root") = 0
  );
  module.def(
      "channel_aware_as_published",
      channel_aware_as_published,
      arg("rtt"),
      arg("channels"),
      arg("root") = 0
  );
  module.def(
      "order_refuses",
      [](Ranks const& ranks, int num_ranks) { return mapping::refuses(ranks, num_ranks); },
      arg("ranks"),
      arg("num_ranks")
  );
  module.def("binomial_steps", binomial_steps, arg("ranks"));
  module.def(
      "tree_times",
      tree_times,
      arg("rtt"),
      arg("ranks"),
      arg("group_of_rank"),
      arg("across"),
      arg("inside"),
      arg("whole")
  );
  module.def(
      "machine_distances",
      machine_distances,
      arg("machine"),
      arg("placement") = "",
      arg("num_ranks") = 0,
      arg("bytes") = 16384
  );
}

}  // namespace espalier::python
