// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "python/core.hpp"
#include "python/rank_cores.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/mapping/graph_algorithm.hpp"
#include "espalier/mapping/search/portfolio.hpp"
#include "espalier/mapping/splitting/scotch.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

using mapping::Mapping;
using mapping::Places;
using mapping::Score;
using Ints = std::vector<int>;
using Names = std::vector<std::string>;

Places places_on(std::string_view text, std::string_view placement, int num_ranks) {
  machine::MachineFile const file = machine::read_file(text);
  return mapping::places_of(file.machine, cores_of_ranks(file, placement, num_ranks));
}

Places places_from(nb::sequence const& levels) {
  std::vector<Places::LevelGroups> result;
  for (nb::handle const level : levels) {
    result.push_back(
        {.name = nb::cast<std::string>(level["name"]),
         .group_of_rank = nb::cast<Ints>(level["group_of_rank"]),
         .cost = nb::cast<double>(level["cost"])}
    );
  }
  return Places(std::move(result));
}

/// What a caller says about where ranks run.
struct Site {
  std::string_view machine;
  std::string_view placement;
  nb::sequence const& levels;

  [[nodiscard]] Places places(int num_ranks) const {
    if (machine.empty() == (nb::len(levels) == 0)) {
      throw Error(
          ErrorCode::argument,
          machine.empty() ? "expected a machine or places, got neither"
                          : "expected a machine or places, got both"
      );
    }
    return machine.empty() ? places_from(levels) : places_on(machine, placement, num_ranks);
  }
};

nb::list list_of(Places const& places) {
  nb::list levels;
  for (int level = 0; level < places.num_levels(); ++level) {
    nb::dict entry;
    entry["name"] = places.groups(level).name;
    entry["cost"] = places.groups(level).cost;
    entry["group_of_rank"] = nb::cast(places.groups(level).group_of_rank);
    levels.append(entry);
  }
  return levels;
}

nb::dict dict_of(Score const& score, Places const& places) {
  nb::list cuts;
  for (int level = 0; level < places.num_levels(); ++level) {
    mapping::Cut const& cut = score.cuts[static_cast<std::size_t>(level)];
    auto const num_groups = static_cast<int>(places.sizes(level).size());
    nb::dict entry;
    entry["level"] = places.groups(level).name;
    entry["groups"] = num_groups;
    entry["cost"] = places.groups(level).cost;
    entry["total"] = cut.total;
    entry["worst"] = cut.worst;
    entry["mean"] = cut.total / num_groups;
    cuts.append(entry);
  }
  nb::dict result;
  result["cuts"] = cuts;
  result["total"] = score.total;
  result["worst"] = score.worst;
  result["objective"] = score.objective;
  return result;
}

nb::dict dict_of(Mapping const& mapping, Places const& places) {
  nb::list trials;
  for (mapping::Trial const& trial : mapping.trials) {
    nb::dict entry;
    entry["algorithm"] = trial.algorithm;
    entry["refusal"] = trial.refusal;
    entry["score"] = trial.score ? nb::object(dict_of(*trial.score, places)) : nb::none();
    trials.append(entry);
  }
  nb::dict result;
  result["rank_at"] = nb::cast(mapping.rank_at);
  result["algorithm"] = mapping.algorithm;
  result["is_identity"] = mapping.is_identity();
  result["before"] = dict_of(mapping.before, places);
  result["after"] = dict_of(mapping.after, places);
  result["trials"] = trials;
  result["one_line"] = mapping::one_line(mapping, places);
  result["places"] = list_of(places);
  return result;
}

mapping::MappingOptions
options_of(Names algorithms, bool searches, std::optional<std::int64_t> max_trials) {
  mapping::MappingOptions options{
      .algorithms = std::move(algorithms), .searches = searches, .max_trials = max_trials
  };
  if (mapping::has_scotch()) {
    options.mappers.push_back(mapping::scotch_mapper());
  }
  return options;
}

nb::list mapping_algorithms() {
  nb::list result;
  auto const add =
      [&](std::string_view name, std::string_view summary, std::string_view source, bool needs_grid
      ) {
        nb::dict entry;
        entry["name"] = name;
        entry["summary"] = summary;
        entry["source"] = source;
        entry["needs_grid"] = needs_grid;
        result.append(entry);
      };
  add("identity", "leaves every rank where it is", "", false);
  for (mapping::WalkAlgorithm const* walk : mapping::walk_algorithms()) {
    add(walk->name, walk->summary, walk->source, true);
  }
  for (mapping::GraphAlgorithm const* graph : mapping::graph_algorithms()) {
    add(graph->name, graph->summary, graph->source, false);
  }
  if (mapping::has_scotch()) {
    add("scotch", "maps with libscotch, level by level", "pellegrini1996", false);
  }
  return result;
}

struct GridText {
  mapping::CartesianGrid grid;
  mapping::Stencil stencil;
};

GridText grid_of(Ints extents, std::vector<bool> periodic, std::string_view stencil) {
  mapping::CartesianGrid grid(std::move(extents), std::move(periodic));
  int const num_dimensions = grid.num_dimensions();
  return {std::move(grid), mapping::Stencil::parse(stencil, num_dimensions)};
}

nb::dict map_grid(
    Ints extents,
    std::vector<bool> periodic,
    std::string_view stencil,
    std::string_view machine,
    std::string_view placement,
    nb::sequence const& levels,
    Names algorithms,
    bool searches,
    std::optional<std::int64_t> max_trials
) {
  GridText const text = grid_of(std::move(extents), std::move(periodic), stencil);
  Places const places = Site{machine, placement, levels}.places(text.grid.num_positions());
  return dict_of(
      mapping::map_grid(
          {text.grid, text.stencil, places}, options_of(std::move(algorithms), searches, max_trials)
      ),
      places
  );
}

nb::dict map_graph(
    int num_ranks,
    std::vector<std::tuple<int, int, double>> const& edges,
    std::string_view machine,
    std::string_view placement,
    nb::sequence const& levels,
    Names algorithms,
    bool searches,
    std::optional<std::int64_t> max_trials
) {
  std::vector<mapping::Edge> list;
  list.reserve(edges.size());
  for (auto const& [from, to, weight] : edges) {
    list.push_back({.from = from, .to = to, .weight = weight});
  }
  mapping::Graph const graph = mapping::make_graph(num_ranks, list);
  Places const places = Site{machine, placement, levels}.places(num_ranks);
  return dict_of(
      mapping::map_graph(graph, places, options_of(std::move(algorithms), searches, max_trials)),
      places
  );
}

nb::dict score_grid(
    Ints extents,
    std::vector<bool> periodic,
    std::string_view stencil,
    Ints const& rank_at,
    std::string_view machine,
    std::string_view placement,
    nb::sequence const& levels
) {
  GridText const text = grid_of(std::move(extents), std::move(periodic), stencil);
  Places const places = Site{machine, placement, levels}.places(text.grid.num_positions());
  mapping::Graph const graph = mapping::make_graph(text.grid, text.stencil);
  return dict_of(mapping::score(graph, places, rank_at), places);
}

}  // namespace

void bind_mapping_grid(nb::module_& module) {
  using nb::arg;
  module.def("mapping_algorithms", mapping_algorithms);
  module.def("scotch_version", mapping::scotch_version);
  module.def(
      "stencil_text",
      [](std::string_view stencil, int num_dimensions) {
        return mapping::Stencil::parse(stencil, num_dimensions).to_text();
      },
      arg("stencil"),
      arg("num_dimensions")
  );
  module.def(
      "places",
      [](std::string_view machine, std::string_view placement, int num_ranks) {
        return list_of(places_on(machine, placement, num_ranks));
      },
      arg("machine"),
      arg("placement") = "",
      arg("num_ranks") = 0
  );
  module.def(
      "map_grid",
      map_grid,
      arg("extents"),
      arg("periodic") = nb::tuple(),
      arg("stencil") = "nearest",
      nb::kw_only(),
      arg("machine") = "",
      arg("placement") = "",
      arg("places") = nb::tuple(),
      arg("algorithms") = nb::tuple(),
      arg("searches") = true,
      arg("max_trials") = nb::none()
  );
  module.def(
      "map_graph",
      map_graph,
      arg("num_ranks"),
      arg("edges"),
      nb::kw_only(),
      arg("machine") = "",
      arg("placement") = "",
      arg("places") = nb::tuple(),
      arg("algorithms") = nb::tuple(),
      arg("searches") = true,
      arg("max_trials") = nb::none()
  );
  module.def(
      "score_grid",
      score_grid,
      arg("extents"),
      arg("periodic") = nb::tuple(),
      arg("stencil") = "nearest",
      nb::kw_only(),
      arg("rank_at"),
      arg("machine") = "",
      arg("placement") = "",
      arg("places") = nb::tuple()
  );
}

}  // namespace espalier::python
