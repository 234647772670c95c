// SPDX-License-Identifier: Apache-2.0

/// @file
/// Arguments of MPI_Dist_graph_create_adjacent and MPI_Dist_graph_create as MPI has them,
/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY too. They may be wrong.

#pragma once

#include <vector>

#include <mpi.h>

#include "espalier/mapping/graph.hpp"

namespace espalier::plan {

struct AdjacentGraph {
  int indegree = 0;
  int const* sources = nullptr;
  int const* source_weights = nullptr;
  int outdegree = 0;
  int const* destinations = nullptr;
  int const* destination_weights = nullptr;
  MPI_Info info = MPI_INFO_NULL;
};

struct EdgeGraph {
  int num_sources = 0;
  int const* sources = nullptr;
  int const* degrees = nullptr;
  int const* destinations = nullptr;
  int const* weights = nullptr;
  MPI_Info info = MPI_INFO_NULL;
};

enum class Weighting {
  none,   ///< MPI_UNWEIGHTED
  given,  ///< one for each edge; of no edge, whatever is not MPI_UNWEIGHTED
  wrong,  ///< the arguments are not what MPI asks for
};

[[nodiscard]] Weighting weighting(AdjacentGraph const& graph, int num_ranks);
[[nodiscard]] Weighting weighting(EdgeGraph const& graph, int num_ranks);

/// The edges a rank declares, of an adjacent graph those that leave it; of weight 1 without
/// weights. Arguments must not be wrong.
[[nodiscard]] std::vector<mapping::Edge> edges(AdjacentGraph const& graph, int rank);
[[nodiscard]] std::vector<mapping::Edge> edges(EdgeGraph const& graph, int rank);

}  // namespace espalier::plan
