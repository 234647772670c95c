// SPDX-License-Identifier: Apache-2.0

#include "tests/property/part_shapes.hpp"

#include <cstddef>
#include <utility>

namespace espalier::exec {

Shape packed(std::string name, std::vector<int> counts, int gap) {
  Shape shape{.name = std::move(name), .counts = std::move(counts), .displacements = {}};
  int end = 0;
  for (int const count : shape.counts) {
    shape.displacements.push_back(end);
    end += count + gap;
  }
  return shape;
}

Shape reversed(Shape shape) {
  int end = 0;
  for (std::size_t i = shape.counts.size(); i-- > 0;) {
    shape.displacements[i] = end;
    end += shape.counts[i] + 1;
  }
  shape.name += "_reversed";
  return shape;
}

std::vector<Shape> shapes(int p) {
  std::vector<int> uneven;
  std::vector<int> one_only;
  for (int i = 0; i < p; ++i) {
    uneven.push_back(i * 5 % 4);
    one_only.push_back(i == p / 2 ? 9 : 0);
  }
  auto const size = static_cast<std::size_t>(p);
  return {
      packed("empty", std::vector<int>(size, 0), 0),
      packed("one", std::vector<int>(size, 1), 0),
      packed("odd_gapped", std::vector<int>(size, 7), 3),
      packed("uneven", uneven, 0),
      packed("uneven_gapped", uneven, 2),
      reversed(packed("uneven", uneven, 0)),
      reversed(packed("equal", std::vector<int>(size, 3), 0)),
      packed("one_only", one_only, 1),
  };
}

Parts parts(
    std::vector<int> counts,
    std::vector<int> const& displacements,
    int rank,
    int num_blocks,
    std::int64_t extent_bytes
) {
  int const num_pieces = num_blocks / static_cast<int>(counts.size());
  int const first = rank * num_pieces;
  return {
      .all = Layout::varying(counts, displacements, extent_bytes).divided(num_pieces),
      .own = Layout::uniform(1, counts[static_cast<std::size_t>(rank)], extent_bytes)
                 .divided(num_pieces)
                 .within(num_blocks, first),
      .own_run = {.begin = first, .size = num_pieces},
  };
}

}  // namespace espalier::exec
