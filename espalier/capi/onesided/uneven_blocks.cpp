// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/uneven_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include <mpi.h>

#include "espalier/base/format.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

using plan::ClassError;

constexpr std::int64_t most_elements = std::numeric_limits<int>::max();

std::span<int const> checked_counts(int const* counts, int num_blocks, std::string const& name) {
  if (counts == nullptr) {
    throw ClassError(MPI_ERR_ARG, formatted("expected counts of {}, got a null pointer", name));
  }
  std::span<int const> const list(counts, static_cast<std::size_t>(num_blocks));
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < 0) {
      throw ClassError(
          MPI_ERR_COUNT,
          formatted("expected counts of {} of at least 0, got {} for member {}", name, list[i], i)
      );
    }
  }
  return list;
}

std::vector<int> packed(std::span<int const> counts, std::string const& name) {
  std::vector<int> result;
  std::int64_t end = 0;
  for (int const count : counts) {
    result.push_back(static_cast<int>(std::min(end, most_elements)));
    end += count;
  }
  if (end > most_elements) {
    throw ClassError(
        MPI_ERR_ARG,
        formatted("expected at most {} elements in {}, got {}", most_elements, name, end)
    );
  }
  return result;
}

std::vector<int> checked_displacements(
    std::span<int const> counts, int const* displacements, std::string const& name
) {
  if (displacements == nullptr) {
    return packed(counts, name);
  }
  std::vector<int> result(displacements, displacements + counts.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] < 0) {
      throw ClassError(
          MPI_ERR_ARG,
          formatted(
              "expected displacements of {} of at least 0, got {} for member {}", name, result[i], i
          )
      );
    }
  }
  return result;
}

void append(std::string& text, std::span<int const> numbers) {
  for (int const number : numbers) {
    text += ' ' + std::to_string(number);
  }
}

}  // namespace

BlockRuns::BlockRuns(
    int const* counts, int const* displacements, int num_blocks, std::string const& name
) {
  std::span<int const> const list = checked_counts(counts, num_blocks, name);
  counts_.assign(list.begin(), list.end());
  displacements_ = checked_displacements(counts_, displacements, name);
}

BlockRuns::BlockRuns(std::span<int const> counts, std::span<int const> displacements)
    : counts_(counts.begin(), counts.end()),
      displacements_(displacements.begin(), displacements.end()) {}

std::int64_t BlockRuns::num_elements() const noexcept {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

std::int64_t BlockRuns::num_covered() const noexcept {
  std::int64_t result = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 0) {
      result = std::max(result, std::int64_t{displacements_[i]} + counts_[i]);
    }
  }
  return result;
}

exec::Layout BlockRuns::layout(std::int64_t extent_bytes) const {
  return exec::Layout::varying(counts_, displacements_, extent_bytes);
}

void BlockRuns::check_disjoint(std::string const& name) const {
  std::vector<std::size_t> order(counts_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t block) { return counts_[block] == 0; });
  std::ranges::sort(order, {}, [&](std::size_t block) { return displacements_[block]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t const before = order[i - 1];
    std::size_t const block = order[i];
    if (std::int64_t{displacements_[before]} + counts_[before] > displacements_[block]) {
      throw ClassError(
          MPI_ERR_ARG,
          formatted(
              "expected blocks of {} that do not overlap, got {} elements from {} on for member "
              "{}, and {} from {} on for member {}",
              name,
              counts_[before],
              displacements_[before],
              before,
              counts_[block],
              displacements_[block],
              block
          )
      );
    }
  }
}

std::int64_t UnevenBlocks::mean_count() const noexcept {
  std::vector<BlockRuns> const& all = parts.empty() ? inputs : parts;
  std::int64_t num_elements = 0;
  std::int64_t num_blocks = 0;
  for (BlockRuns const& runs : all) {
    num_elements += runs.num_elements();
    num_blocks += static_cast<std::int64_t>(runs.counts().size());
  }
  return num_blocks == 0 ? 0 : ceil_div(num_elements, num_blocks);
}

std::string UnevenBlocks::text() const {
  std::string result;
  for (auto const* const all : {&parts, &inputs, &outputs}) {
    for (BlockRuns const& runs : *all) {
      append(result, runs.counts());
      append(result, runs.displacements());
    }
  }
  return result;
}

void check_matches(UnevenBlocks const& blocks) {
  int const num_ranks = static_cast<int>(blocks.inputs.size());
  for (int from = 0; from < num_ranks; ++from) {
    for (int to = 0; to < num_ranks; ++to) {
      int const sent = blocks.inputs[static_cast<std::size_t>(from)].count(to);
      int const received = blocks.outputs[static_cast<std::size_t>(to)].count(from);
      if (sent != received) {
        throw ClassError(
            MPI_ERR_COUNT,
            formatted(
                "expected member {} to receive the {} elements that member {} sends to it, got a "
                "count of {}",
                to,
                sent,
                from,
                received
            )
        );
      }
    }
  }
}

}  // namespace espalier::capi
