// SPDX-License-Identifier: Apache-2.0

/// @file
/// The memory of blocks as runs of bytes, and moving and combining what stands there.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "espalier/exec/memory/binding.hpp"

namespace espalier::exec {

using SourceRuns = std::vector<std::pair<std::byte const*, std::size_t>>;
using DestinationRuns = std::vector<std::pair<std::byte*, std::size_t>>;

/// destination = source (op) destination on num_elements elements.
using Combine =
    std::function<void(std::byte const* source, std::byte* destination, std::int64_t num_elements)>;

/// The runs of pieces, whose offsets count from `base`.
[[nodiscard]] SourceRuns
source_runs(std::byte const* base, std::span<Piece const> pieces, std::int64_t extent_bytes);
[[nodiscard]] DestinationRuns
destination_runs(std::byte* base, std::span<Piece const> pieces, std::int64_t extent_bytes);

/// Copies between two lists of runs that hold equally many bytes.
class RunWriter {
public:
  explicit RunWriter(DestinationRuns runs) : runs_(std::move(runs)) {}

  void write(std::byte const* from, std::size_t num_bytes);

private:
  DestinationRuns runs_;
  std::size_t next_ = 0;
};

void copy_runs(SourceRuns const& sources, DestinationRuns destinations);

/// Combines run by run; the lists hold equally many bytes.
void combine_runs(
    SourceRuns const& sources,
    DestinationRuns const& destinations,
    Combine const& combine,
    std::int64_t extent_bytes
);

}  // namespace espalier::exec
