// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/threads/byte_runs.hpp"

#include <algorithm>
#include <cstring>

namespace espalier::exec {
namespace {

template <typename Runs, typename Byte>
Runs runs_of(Byte* base, std::span<Piece const> pieces, std::int64_t extent_bytes) {
  Runs runs;
  for_each_run(pieces, [&](std::int64_t offset_bytes, std::int64_t num_elements) {
    runs.emplace_back(base + offset_bytes, static_cast<std::size_t>(num_elements * extent_bytes));
  });
  return runs;
}

}  // namespace

SourceRuns
source_runs(std::byte const* base, std::span<Piece const> pieces, std::int64_t extent_bytes) {
  return runs_of<SourceRuns>(base, pieces, extent_bytes);
}

DestinationRuns
destination_runs(std::byte* base, std::span<Piece const> pieces, std::int64_t extent_bytes) {
  return runs_of<DestinationRuns>(base, pieces, extent_bytes);
}

void RunWriter::write(std::byte const* from, std::size_t num_bytes) {
  while (num_bytes > 0) {
    auto& [to, room] = runs_[next_];
    std::size_t const now = std::min(num_bytes, room);
    std::memcpy(to, from, now);
    from += now;
    num_bytes -= now;
    to += now;
    room -= now;
    next_ += room == 0 ? 1 : 0;
  }
}

void copy_runs(SourceRuns const& sources, DestinationRuns destinations) {
  RunWriter writer(std::move(destinations));
  for (auto const& [data, size] : sources) {
    writer.write(data, size);
  }
}

void combine_runs(
    SourceRuns const& sources,
    DestinationRuns const& destinations,
    Combine const& combine,
    std::int64_t extent_bytes
) {
  std::size_t next = 0;
  std::size_t done = 0;
  for (auto [source, size] : sources) {
    while (size > 0) {
      auto const& [destination, room] = destinations[next];
      std::size_t const now = std::min(size, room - done);
      combine(source, destination + done, static_cast<std::int64_t>(now) / extent_bytes);
      source += now;
      size -= now;
      done += now;
      if (done == room) {
        ++next;
        done = 0;
      }
    }
  }
}

}  // namespace espalier::exec
