// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/catalog.hpp"

#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/base/names.hpp"

namespace espalier::neighborhood {
namespace {

std::string names() {
  return list_names(catalog(), [](Algorithm const* algorithm) { return full_name(*algorithm); });
}

std::string refuses_sizes(Request const& request) {
  Isomorphic const* const all = request.neighborhood.isomorphic();
  bool const has_offsets = all != nullptr && all->has_common_order();
  if (request.sizes == BlockSizes::by_offset && !has_offsets) {
    return "expected neighbours at the same offsets in a grid on all ranks for sizes by offset, "
           "got a graph";
  }
  return {};
}

std::string refuses_nodes(Request const& request) {
  auto const expected = static_cast<std::size_t>(request.neighborhood.num_ranks());
  if (!request.node_of_rank.empty() && request.node_of_rank.size() != expected) {
    return formatted(
        "expected the node of each of {} ranks, got {}", expected, request.node_of_rank.size()
    );
  }
  return {};
}

}  // namespace

std::string full_name(Algorithm const& algorithm) {
  return formatted("{}/{}", to_string(algorithm.collective), algorithm.name);
}

Algorithm const& find(std::string_view full_name) {
  for (Algorithm const* algorithm : catalog()) {
    if (neighborhood::full_name(*algorithm) == full_name) {
      return *algorithm;
    }
  }
  throw Error(ErrorCode::argument, formatted("expected one of {}, got '{}'", names(), full_name));
}

Algorithm const& find(Collective collective, std::string_view name) {
  std::vector<std::string_view> known;
  for (Algorithm const* const algorithm : catalog()) {
    if (algorithm->collective != collective) {
      continue;
    }
    if (algorithm->name == name) {
      return *algorithm;
    }
    known.push_back(algorithm->name);
  }
  throw Error(
      ErrorCode::argument,
      formatted(
          "expected an algorithm of {} ({}), got '{}'",
          to_string(collective),
          list_names(known, [](std::string_view one) { return one; }),
          name
      )
  );
}

std::string refuses(Algorithm const& algorithm, Request const& request) {
  if (algorithm.collective != request.collective) {
    return formatted("serves {}, got {}", full_name(algorithm), to_string(request.collective));
  }
  for (auto const reason : {refuses_sizes, refuses_nodes, algorithm.refuses}) {
    if (std::string text = reason(request); !text.empty()) {
      return text;
    }
  }
  return {};
}

schedule::RankProgram generate(Algorithm const& algorithm, Request const& request, int rank) {
  if (std::string const reason = refuses(algorithm, request); !reason.empty()) {
    throw Error(ErrorCode::unsupported, full_name(algorithm) + ": " + reason);
  }
  return algorithm.generate(request, rank);
}

}  // namespace espalier::neighborhood
