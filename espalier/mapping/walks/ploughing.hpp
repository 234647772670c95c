// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace espalier::mapping {

/// Goes through a box as an ox ploughs: the last dimension there and back, and so on. Each cell
/// differs from the one before by 1 in one dimension.
class Ploughing {
public:
  explicit Ploughing(std::vector<int> extents)
      : extents_(std::move(extents)), coordinates_(extents_.size()), steps_(extents_.size(), 1) {}

  [[nodiscard]] std::vector<int> const& coordinates() const noexcept { return coordinates_; }

  /// To the next cell; false after the last.
  bool advance() {
    // The last dimension that can go on does; those behind it turn back.
    for (std::size_t i = extents_.size(); i-- > 0;) {
      int const next = coordinates_[i] + steps_[i];
      if (next >= 0 && next < extents_[i]) {
        coordinates_[i] = next;
        return true;
      }
      steps_[i] = -steps_[i];
    }
    return false;
  }

private:
  std::vector<int> extents_;
  std::vector<int> coordinates_;
  std::vector<int> steps_;
};

}  // namespace espalier::mapping
