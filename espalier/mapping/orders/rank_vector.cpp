// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/rank_vector.hpp"

#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::mapping {
namespace {

/// 0 .. bound - 1, each equally likely; distributions of the standard library differ.
std::size_t below(std::size_t bound, std::mt19937_64& generator) {
  std::uint64_t const most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t const limit = most - most % bound;
  std::uint64_t drawn = generator();
  while (drawn >= limit) {
    drawn = generator();
  }
  return static_cast<std::size_t>(drawn % bound);
}

}  // namespace

std::string refuses(std::span<int const> ranks, int num_ranks) {
  auto const count = static_cast<std::size_t>(num_ranks);
  if (ranks.size() != count) {
    return "expected an order of " + std::to_string(num_ranks) + " ranks, got " +
           std::to_string(ranks.size());
  }
  std::vector<bool> is_there(count);
  for (std::size_t position = 0; position < count; ++position) {
    int const rank = ranks[position];
    bool const is_new = rank >= 0 && rank < num_ranks && !is_there[static_cast<std::size_t>(rank)];
    if (!is_new) {
      return "expected each of ranks 0 .. " + std::to_string(num_ranks - 1) +
             " once in an order, got " + std::to_string(rank) + " at position " +
             std::to_string(position);
    }
    is_there[static_cast<std::size_t>(rank)] = true;
  }
  return {};
}

std::vector<int> positions(std::span<int const> ranks) {
  std::string const complaint = ranks.empty() ? "expected an order of at least one rank, got none"
                                              : refuses(ranks, static_cast<int>(ranks.size()));
  if (!complaint.empty()) {
    throw Error(ErrorCode::argument, complaint);
  }
  std::vector<int> result(ranks.size());
  for (std::size_t position = 0; position < ranks.size(); ++position) {
    result[static_cast<std::size_t>(ranks[position])] = static_cast<int>(position);
  }
  return result;
}

void check_root(int num_ranks, int root) {
  if (root < 0 || root >= num_ranks) {
    throw Error(
        ErrorCode::argument,
        "expected a root among " + std::to_string(num_ranks) + " ranks, got " + std::to_string(root)
    );
  }
}

RankVector standard_order(int num_ranks, int root) {
  check_root(num_ranks, root);
  RankVector ranks(static_cast<std::size_t>(num_ranks));
  for (int position = 0; position < num_ranks; ++position) {
    ranks[static_cast<std::size_t>(position)] =
        static_cast<int>((std::int64_t{root} + position) % num_ranks);
  }
  return ranks;
}

RankVector random_order(int num_ranks, int root, std::uint64_t seed) {
  check_root(num_ranks, root);
  RankVector ranks(static_cast<std::size_t>(num_ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::swap(ranks.front(), ranks[static_cast<std::size_t>(root)]);
  std::mt19937_64 generator(seed);
  for (std::size_t position = 1; position < ranks.size(); ++position) {
    std::swap(ranks[position], ranks[position + below(ranks.size() - position, generator)]);
  }
  return ranks;
}

}  // namespace espalier::mapping
