// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/neighborhood.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "python/core.hpp"
#include "python/descriptions.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "espalier/base/error.hpp"
#include "espalier/cost/forms/count.hpp"
#include "espalier/cost/forms/traffic.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/tree/placement.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/schedule/text.hpp"
#include "espalier/verify/drawing.hpp"
#include "espalier/verify/neighborhood_drawing.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

using neighborhood::Algorithm;
using neighborhood::Neighborhood;

/// Extents, which dimensions are rings, the stencil, and nodes of ranks if they are known.
using Grid = std::tuple<std::vector<int>, std::vector<bool>, std::string, std::vector<int>>;

/// An algorithm with the same stencil around every process of a grid.
class NeighborSchedule {
public:
  NeighborSchedule(std::string_view text, Grid const& grid)
      : algorithm_(&neighborhood::find(text)), neighborhood_(neighborhood_of(grid)),
        node_of_rank_(std::get<3>(grid)) {}

  [[nodiscard]] Algorithm const& algorithm() const noexcept { return *algorithm_; }

  /// Refers to this.
  [[nodiscard]] neighborhood::Request request() const noexcept {
    return {
        .collective = algorithm_->collective,
        .neighborhood = neighborhood_,
        .node_of_rank = node_of_rank_,
    };
  }

  [[nodiscard]] schedule::RankProgram program(int rank) const {
    return neighborhood::generate(*algorithm_, request(), rank);
  }

  [[nodiscard]] std::vector<schedule::RankProgram> programs() const {
    return verify::generate_all(*algorithm_, request());
  }

private:
  static Neighborhood neighborhood_of(Grid const& grid) {
    auto const& [extents, is_periodic, stencil, node_of_rank] = grid;
    mapping::CartesianGrid cartesian(extents, is_periodic);
    auto const parsed = mapping::Stencil::parse(stencil, cartesian.num_dimensions());
    bool const has_nodes =
        node_of_rank.empty() ||
        node_of_rank.size() == static_cast<std::size_t>(cartesian.num_positions());
    if (!has_nodes) {
      throw Error(ErrorCode::argument, "expected the node of each rank of the grid, got others");
    }
    return Neighborhood::of_stencil(std::move(cartesian), parsed);
  }

  Algorithm const* algorithm_;
  Neighborhood neighborhood_;
  std::vector<int> node_of_rank_;
};

/// As python/catalog.cpp describes those of other collectives.
nb::dict describe(Algorithm const& algorithm) {
  nb::dict result;
  result["collective"] = neighborhood::to_string(algorithm.collective);
  result["name"] = algorithm.name;
  result["summary"] = algorithm.summary;
  result["source"] = algorithm.source;
  result["valid"] = algorithm.valid;
  result["parameters"] = nb::list();
  result["segmentable"] = false;
  result["rooted"] = false;
  result["neighbours_only"] = false;
  result["equal_blocks_only"] = false;
  result["orders"] = nb::list();
  result["forwards"] = algorithm.forwards;
  return result;
}

nb::list neighbor_catalog() {
  nb::list result;
  for (Algorithm const* algorithm : neighborhood::catalog()) {
    result.append(describe(*algorithm));
  }
  return result;
}

std::size_t num_neighbors(std::string_view stencil, int num_dimensions) {
  return mapping::Stencil::parse(stencil, num_dimensions).neighbors().size();
}

std::string neighbor_refuses(std::string_view text, Grid const& grid) {
  NeighborSchedule const schedule(text, grid);
  return neighborhood::refuses(schedule.algorithm(), schedule.request());
}

nb::dict neighbor_facts(std::string_view text, Grid const& grid) {
  NeighborSchedule const schedule(text, grid);
  // Facts mean something only for what can be generated; program() says why if it cannot.
  int const num_blocks = schedule.program(0).frame.num_output_blocks;
  return facts_of(schedule.algorithm().facts(schedule.request()), num_blocks);
}

nb::dict neighbor_count(std::string_view text, Grid const& grid) {
  return work_of(cost::count(NeighborSchedule(text, grid).programs()));
}

nb::list neighbor_sent(std::string_view text, Grid const& grid) {
  NeighborSchedule const schedule(text, grid);
  return messages_of(verify::sent_messages(schedule.algorithm(), schedule.request()));
}

nb::dict neighbor_traffic(
    std::string_view text,
    Grid const& grid,
    std::string_view machine_text,
    std::string_view placement
) {
  auto const programs = NeighborSchedule(text, grid).programs();
  auto const machine = machine::read(machine_text);
  auto const core_of = machine::place(machine, placement, static_cast<int>(programs.size()));
  std::vector<cost::Crossings> rounds;
  for (schedule::RankProgram const& program : programs) {
    cost::add_traffic(rounds, program, machine, core_of);
  }
  return traffic_of(rounds, machine);
}

std::string neighbor_program_text(std::string_view text, Grid const& grid, int rank) {
  return schedule::to_text(NeighborSchedule(text, grid).program(rank));
}

std::string draw_neighbor_sent(std::string_view text, Grid const& grid) {
  NeighborSchedule const schedule(text, grid);
  return verify::draw_sent(schedule.algorithm(), schedule.request());
}

std::string draw_neighbor_messages(std::string_view text, Grid const& grid) {
  return verify::draw_messages(NeighborSchedule(text, grid).programs());
}

}  // namespace

void bind_neighborhood(nb::module_& module) {
  module.def("neighbor_catalog", neighbor_catalog);
  module.def("num_neighbors", num_neighbors, nb::arg("stencil"), nb::arg("num_dimensions"));
  module.def("neighbor_refuses", neighbor_refuses, nb::arg("text"), nb::arg("grid"));
  module.def("neighbor_facts", neighbor_facts, nb::arg("text"), nb::arg("grid"));
  module.def("neighbor_count", neighbor_count, nb::arg("text"), nb::arg("grid"));
  module.def("neighbor_sent", neighbor_sent, nb::arg("text"), nb::arg("grid"));
  module.def(
      "neighbor_traffic",
      neighbor_traffic,
      nb::arg("text"),
      nb::arg("grid"),
      nb::arg("machine"),
      nb::arg("placement")
  );
  module.def(
      "neighbor_program_text",
      neighbor_program_text,
      nb::arg("text"),
      nb::arg("grid"),
      nb::arg("rank")
  );
  module.def("draw_neighbor_sent", draw_neighbor_sent, nb::arg("text"), nb::arg("grid"));
  module.def("draw_neighbor_messages", draw_neighbor_messages, nb::arg("text"), nb::arg("grid"));
}

}  // namespace espalier::python
