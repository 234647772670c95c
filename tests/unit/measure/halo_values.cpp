// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/halo_values.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::measure {
namespace {

/// All processes of a grid, and exchanges as they should be.
class Processes {
public:
  Processes(mapping::CartesianGrid grid, HaloGeometry geometry, std::uint32_t stamp)
      : grid_(std::move(grid)), geometry_(std::move(geometry)), stamp_(stamp) {
    for (int position = 0; position < grid_.num_positions(); ++position) {
      sent_.emplace_back(geometry_.reach());
      received_.emplace_back(geometry_.reach());
      fill_halos(geometry_, position, stamp_, sent_.back(), received_.back());
    }
  }

  void exchange() {
    for (std::size_t d = 0; d < geometry_.messages.size(); ++d) {
      std::vector<int> step(geometry_.messages.size(), 0);
      step[d] = 1;
      for (int position = 0; position < grid_.num_positions(); ++position) {
        int const above = grid_.shifted(position, step);
        if (above >= 0) {
          move(d, position, 1, above);
          move(d, above, 0, position);
        }
      }
    }
  }

  [[nodiscard]] std::string problem(int position) const {
    return halo_problem(grid_, geometry_, position, stamp_, received(position));
  }

  std::vector<float>& received(int position) {
    return received_[static_cast<std::size_t>(position)];
  }

  [[nodiscard]] std::vector<float> const& received(int position) const {
    return received_[static_cast<std::size_t>(position)];
  }

private:
  void move(std::size_t d, int from, std::size_t side, int to) {
    HaloMessage const& message = geometry_.messages[d];
    for (int b = 0; b < message.num_blocks; ++b) {
      for (int i = 0; i < message.block; ++i) {
        auto const place = static_cast<std::size_t>(b * message.stride + i);
        received(to)[geometry_.offset(d, 1 - side) + place] =
            sent_[static_cast<std::size_t>(from)][geometry_.offset(d, side) + place];
      }
    }
  }

  mapping::CartesianGrid grid_;
  HaloGeometry geometry_;
  std::uint32_t stamp_;
  std::vector<std::vector<float>> sent_;
  std::vector<std::vector<float>> received_;
};

HaloGeometry geometry() {
  return {
      .total = {6, 4},
      .local = {2, 4},
      .messages =
          {{.num_blocks = 1, .block = 4, .stride = 4}, {.num_blocks = 2, .block = 1, .stride = 3}}
  };
}

TEST(HaloValues, AcceptRightExchanges) {
  for (bool const is_periodic : {false, true}) {
    for (std::vector<int> const& extents : {std::vector<int>{3, 1}, {2, 2}, {1, 1}, {3, 4}}) {
      Processes processes(mapping::CartesianGrid(extents, {is_periodic, true}), geometry(), 7);
      processes.exchange();
      for (int position = 0; position < extents[0] * extents[1]; ++position) {
        EXPECT_EQ(processes.problem(position), "");
      }
    }
  }
}

TEST(HaloValues, SeeThatNothingCame) {
  Processes const processes(mapping::CartesianGrid({3, 2}, {true, true}), geometry(), 7);
  EXPECT_NE(processes.problem(0).find("position 0: expected"), std::string::npos);
}

TEST(HaloValues, SeeHalosOfBothSidesMixedUp) {
  // Both neighbours are the same process, which sent two different messages.
  Processes processes(mapping::CartesianGrid({2, 1}, {true, false}), geometry(), 7);
  processes.exchange();
  std::vector<float>& received = processes.received(0);
  std::swap_ranges(received.begin(), received.begin() + 4, received.begin() + 4);
  EXPECT_NE(processes.problem(0).find("dimension 0"), std::string::npos);
}

TEST(HaloValues, SeeWhatCameIntoGapsAndOverTheEdge) {
  Processes processes(mapping::CartesianGrid({3, 2}, {false, true}), geometry(), 7);
  processes.exchange();
  ASSERT_EQ(processes.problem(0), "");
  processes.received(0)[0] = 5;  // from below in dimension 0, where nobody is
  EXPECT_NE(processes.problem(0), "");
  processes.received(2)[geometry().offset(1, 0) + 1] = 5;
  EXPECT_NE(
      processes.problem(2).find("float 1 of the halo from below in dimension 1"), std::string::npos
  );
}

TEST(HaloValues, DifferBetweenStamps) {
  Processes processes(mapping::CartesianGrid({2, 2}, {true, true}), geometry(), 7);
  processes.exchange();
  mapping::CartesianGrid const grid({2, 2}, {true, true});
  EXPECT_EQ(halo_problem(grid, geometry(), 1, 7, processes.received(1)), "");
  EXPECT_NE(halo_problem(grid, geometry(), 1, 8, processes.received(1)), "");
}

}  // namespace
}  // namespace espalier::measure
