// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/grid.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::schedule {

Grid::Grid(std::vector<int> sizes) : sizes_(std::move(sizes)) {
  auto const bad = std::ranges::find_if(sizes_, [](int size) { return size < 1; });
  if (sizes_.empty() || bad != sizes_.end()) {
    throw Error(
        ErrorCode::argument,
        "expected a grid with sizes of at least 1, got " +
            (sizes_.empty() ? "no dimension" : "a size of " + std::to_string(*bad))
    );
  }
}

int Grid::num_ranks() const noexcept {
  return stride(-1);
}

int Grid::stride(int dimension) const noexcept {
  int result = 1;
  for (int i = dimension + 1; i < num_dimensions(); ++i) {
    result *= size(i);
  }
  return result;
}

int Grid::coordinate(int rank, int dimension) const noexcept {
  return rank / stride(dimension) % size(dimension);
}

int Grid::rank_on_line(int rank, int dimension, int coordinate) const noexcept {
  return rank + (coordinate - this->coordinate(rank, dimension)) * stride(dimension);
}

RankProgram onto_line(RankProgram program, Grid const& grid, int rank, int dimension) {
  for (Operation& operation : program.operations) {
    if (operation.peer >= 0) {
      operation.peer = grid.rank_on_line(rank, dimension, operation.peer);
    }
  }
  for (NativeCall& call : program.native_calls) {
    for (int& member : call.members) {
      member = grid.rank_on_line(rank, dimension, member);
    }
  }
  return program;
}

}  // namespace espalier::schedule
