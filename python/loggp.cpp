// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/loggp.hpp"

#include <array>
#include <string>
#include <string_view>

#include "python/core.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string_view.h>

#include "espalier/base/error.hpp"
#include "espalier/pattern/tree.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

/// Latency, overhead, gap, time per byte.
using Parameters = std::array<double, 4>;

cost::LogGP machine_of(Parameters const& given) {
  return {.latency = given[0], .overhead = given[1], .gap = given[2], .per_byte = given[3]};
}

void check_call(cost::NodeCall const& call, int k) {
  if (call.num_nodes < 1 || call.threads < 1 || k < 2) {
    throw Error(
        ErrorCode::argument,
        "expected at least 1 node, 1 thread and radix 2, got " + std::to_string(call.num_nodes) +
            ", " + std::to_string(call.threads) + " and " + std::to_string(k)
    );
  }
}

/// One of the closed forms with a radix, by the name of its collective.
double loggp_time(
    std::string_view name,
    Parameters const& parameters,
    std::array<int, 2> nodes,
    double bytes,
    int k,
    bool is_refined
) {
  cost::LogGP const machine = machine_of(parameters);
  cost::NodeCall const call{.num_nodes = nodes[0], .threads = nodes[1], .bytes = bytes};
  check_call(call, k);
  cost::Levels const levels = is_refined ? cost::Levels::real : cost::Levels::rounded_up;
  if (name == "bcast" || name == "reduce") {
    return cost::k_ary_broadcast(machine, call, k, levels);
  }
  if (name == "scatter" || name == "gather") {
    return cost::k_ary_scatter(machine, call, k, levels);
  }
  if (name == "alltoall") {
    cost::Counts const counts = is_refined ? cost::Counts::exact : cost::Counts::published;
    return cost::exchange(machine, call, k, counts);
  }
  if (name == "allgather") {
    return k >= call.num_nodes ? cost::gather_to_all_flat(machine, call)
                               : cost::gather_to_all_dissemination(machine, call);
  }
  throw Error(
      ErrorCode::argument,
      "expected bcast, reduce, scatter, gather, alltoall or allgather, got '" + std::string(name) +
          "'"
  );
}

/// Any root-0 tree of a class, by the evaluator; what travels is the message or a block a rank.
double tree_time(
    std::string_view shape,
    Parameters const& parameters,
    int num_nodes,
    double bytes,
    int k,
    bool has_parts
) {
  check_call({.num_nodes = num_nodes}, k);
  bool const is_k_nomial = shape == "k_nomial";
  if (!is_k_nomial && shape != "k_ary") {
    throw Error(
        ErrorCode::argument, "expected k_ary or k_nomial, got '" + std::string(shape) + "'"
    );
  }
  auto const node = [=](int x) {
    return is_k_nomial ? pattern::k_nomial_node(k, num_nodes, x)
                       : pattern::contiguous_k_ary_node(k, num_nodes, x);
  };
  auto const bytes_to = [&](int child) { return has_parts ? bytes * node(child).size : bytes; };
  return cost::tree_time(machine_of(parameters), node, bytes_to);
}

}  // namespace

void bind_loggp(nb::module_& module) {
  module.def(
      "loggp_time",
      loggp_time,
      nb::arg("collective"),
      nb::arg("machine"),
      nb::arg("nodes"),
      nb::arg("num_bytes"),
      nb::arg("k"),
      nb::arg("is_refined") = false
  );
  module.def(
      "loggp_tree_time",
      tree_time,
      nb::arg("shape"),
      nb::arg("machine"),
      nb::arg("num_nodes"),
      nb::arg("num_bytes"),
      nb::arg("k"),
      nb::arg("has_parts") = false
  );
}

}  // namespace espalier::python
