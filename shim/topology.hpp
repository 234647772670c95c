// SPDX-License-Identifier: Apache-2.0

/// @file
/// Functions that make communicators with a topology: where the program permits another order of
/// ranks, they get the best one that is found.

#pragma once

#include <atomic>

#include "shim/handle.hpp"

namespace espalier::plan {
class Session;
}  // namespace espalier::plan

namespace espalier::shim {

/// The session topologies are made in; null where they are handed over as they are.
extern constinit std::atomic<plan::Session*> topology_session;

// Handlers of the functions of the same names in espalier/calls/functions.json.
int cart_create(
    Handle comm_old, int ndims, int const* dims, int const* periods, int reorder, void* comm_cart
);
int dims_create(int nnodes, int ndims, int* dims);
int dist_graph_create(
    Handle comm_old,
    int n,
    int const* sources,
    int const* degrees,
    int const* destinations,
    int const* weights,
    Handle info,
    int reorder,
    void* comm_dist_graph
);
int dist_graph_create_adjacent(
    Handle comm_old,
    int indegree,
    int const* sources,
    int const* sourceweights,
    int outdegree,
    int const* destinations,
    int const* destweights,
    Handle info,
    int reorder,
    void* comm_dist_graph
);

}  // namespace espalier::shim
