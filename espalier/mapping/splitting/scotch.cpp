// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/splitting/scotch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>  // scotch.h needs FILE
#include <numeric>
#include <span>
#include <vector>

#include <scotch.h>

#include "espalier/base/error.hpp"
#include "espalier/mapping/splitting/fitting.hpp"
#include "espalier/mapping/splitting/splitting.hpp"
#include "espalier/mapping/splitting/two_way_graph.hpp"

namespace espalier::mapping {
namespace {

using Numbers = std::vector<SCOTCH_Num>;

void check(int status, char const* call) {
  if (status != 0) {
    throw Error(
        ErrorCode::unsupported,
        std::string("expected ") + call + " of libscotch to succeed, got status " +
            std::to_string(status)
    );
  }
}

/// An object of libscotch that ends with its scope.
template <typename Object, int (*Init)(Object*), void (*Exit)(Object*)> class Owned {
public:
  Owned() { check(Init(&object_), "an initialisation"); }

  ~Owned() { Exit(&object_); }

  Owned(Owned const&) = delete;
  Owned& operator=(Owned const&) = delete;

  [[nodiscard]] Object* get() { return &object_; }

private:
  Object object_{};
};

using OwnedGraph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using OwnedArch = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using OwnedStrategy = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using OwnedContext = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;

/// Weights as whole numbers above 0 whose sum libscotch can hold.
Numbers loads_of(Graph const& graph) {
  constexpr double most = 1e9;
  double const sum = std::accumulate(graph.weight.begin(), graph.weight.end(), 0.0);
  double const largest =
      graph.weight.empty() ? 1 : *std::max_element(graph.weight.begin(), graph.weight.end());
  bool const are_whole =
      std::ranges::all_of(graph.weight, [](double weight) { return std::round(weight) == weight; });
  double const scale = are_whole && sum < most ? 1 : std::min(1000 / largest, most / sum);
  Numbers loads;
  for (double const weight : graph.weight) {
    loads.push_back(std::max(1, static_cast<SCOTCH_Num>(std::lround(weight * scale))));
  }
  return loads;
}

/// One thread, and random numbers of its own that always begin the same way: the same mapping on
/// every machine, whatever was mapped before.
void settle(OwnedContext& context) {
  check(
      SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1),
      "SCOTCH_contextOptionSetNum"
  );
  check(
      SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMRANDOMFIXEDSEED, 1),
      "SCOTCH_contextOptionSetNum"
  );
  check(SCOTCH_contextRandomClone(context.get()), "SCOTCH_contextRandomClone");
  SCOTCH_contextRandomSeed(context.get(), 1);
  SCOTCH_contextRandomReset(context.get());
  check(SCOTCH_contextThreadSpawn(context.get(), 1, nullptr), "SCOTCH_contextThreadSpawn");
}

/// Parts of about the sizes: a complete graph of processors, each as fast as its group is large.
std::vector<int> mapped(Graph const& graph, std::span<int const> sizes) {
  Numbers const first(graph.first.begin(), graph.first.end());
  Numbers const loads = loads_of(graph);
  OwnedContext context;
  settle(context);
  OwnedGraph whole;
  check(
      SCOTCH_graphBuild(
          whole.get(),
          0,
          graph.num_vertices(),
          first.data(),
          first.data() + 1,
          nullptr,
          nullptr,
          static_cast<SCOTCH_Num>(graph.neighbor.size()),
          graph.neighbor.data(),
          loads.data()
      ),
      "SCOTCH_graphBuild"
  );
  OwnedGraph bound;
  check(
      SCOTCH_contextBindGraph(context.get(), whole.get(), bound.get()), "SCOTCH_contextBindGraph"
  );
  OwnedArch arch;
  auto const num_groups = static_cast<SCOTCH_Num>(sizes.size());
  check(SCOTCH_archCmpltw(arch.get(), num_groups, sizes.data()), "SCOTCH_archCmpltw");
  OwnedStrategy strategy;
  SCOTCH_Num const flags = SCOTCH_STRATQUALITY | SCOTCH_STRATBALANCE;
  check(
      SCOTCH_stratGraphMapBuild(strategy.get(), flags, num_groups, 0.01),
      "SCOTCH_stratGraphMapBuild"
  );
  std::vector<int> group_of_vertex(first.size() - 1);
  check(
      SCOTCH_graphMap(bound.get(), arch.get(), strategy.get(), group_of_vertex.data()),
      "SCOTCH_graphMap"
  );
  return group_of_vertex;
}

/// Both directions of each edge, with the weight of both; edges of weight 0 are none.
Graph summed(Graph const& graph) {
  TwoWayGraph const edges = two_way(graph);
  Graph result;
  result.first.push_back(0);
  for (int vertex = 0; vertex < edges.num_vertices(); ++vertex) {
    for (std::size_t edge = edges.begin(vertex); edge < edges.end(vertex); ++edge) {
      if (edges.both(edge) > 0) {
        result.neighbor.push_back(edges.neighbor[edge]);
        result.weight.push_back(edges.both(edge));
      }
    }
    result.first.push_back(static_cast<std::int64_t>(result.neighbor.size()));
  }
  return result;
}

RankVector map(Graph const& graph, Places const& places) {
  Walk const walk =
      split_levels(summed(graph), places, [](Graph const& part, std::span<int const> sizes) {
        return fitted(part, mapped(part, sizes), sizes);
      });
  return lay(walk, places);
}

}  // namespace

bool has_scotch() noexcept {
  return true;
}

std::string scotch_version() {
  int version = 0;
  int release = 0;
  int patch = 0;
  SCOTCH_version(&version, &release, &patch);
  return std::to_string(version) + "." + std::to_string(release) + "." + std::to_string(patch);
}

GraphMapper scotch_mapper() {
  return {.name = "scotch", .map = map, .most_edges_of_grid = 200'000};
}

}  // namespace espalier::mapping
