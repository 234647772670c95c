// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/meeting.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::learn {
namespace {

/// All ranks of some nodes, and what each has heard of, directly or not.
class Ranks {
public:
  explicit Ranks(std::vector<int> const& node_of_rank) : heard_(node_of_rank.size()) {
    for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
      meetings_.emplace_back(static_cast<int>(rank), node_of_rank);
      heard_[rank].insert(static_cast<int>(rank));
    }
  }

  void meet() {
    for (std::size_t rank = 0; rank < meetings_.size(); ++rank) {
      if (!meetings_[rank].parent) {
        go_up(static_cast<int>(rank));
      }
    }
    tell_other_nodes();
    for (std::size_t rank = 0; rank < meetings_.size(); ++rank) {
      if (!meetings_[rank].parent) {
        go_down(static_cast<int>(rank));
      }
    }
  }

  [[nodiscard]] bool has_everybody_heard_of_all() const {
    return std::ranges::all_of(heard_, [&](std::set<int> const& heard) {
      return heard.size() == heard_.size();
    });
  }

  [[nodiscard]] int num_messages_between_nodes() const {
    std::size_t number = 0;
    for (Meeting const& meeting : meetings_) {
      number += meeting.distances.size();
    }
    return static_cast<int>(number);
  }

private:
  [[nodiscard]] Meeting const& of(int rank) const {
    return meetings_[static_cast<std::size_t>(rank)];
  }

  void tell(int from, int to) {
    std::set<int> const& known = heard_[static_cast<std::size_t>(from)];
    heard_[static_cast<std::size_t>(to)].insert(known.begin(), known.end());
  }

  void go_up(int rank) {
    for (int const child : of(rank).children) {
      ASSERT_EQ(of(child).parent, rank);
      go_up(child);
      tell(child, rank);
    }
  }

  void go_down(int rank) {
    for (int const child : of(rank).children) {
      tell(rank, child);
      go_down(child);
    }
  }

  void tell_other_nodes() {
    std::size_t num_rounds = 0;
    for (Meeting const& meeting : meetings_) {
      num_rounds = std::max(num_rounds, meeting.distances.size());
    }
    for (std::size_t round = 0; round < num_rounds; ++round) {
      std::vector<std::set<int>> const before = heard_;
      for (std::size_t rank = 0; rank < meetings_.size(); ++rank) {
        if (meetings_[rank].parent) {
          continue;
        }
        ASSERT_EQ(meetings_[rank].distances.size(), num_rounds);
        int const to = meetings_[rank].distances[round].to;
        ASSERT_EQ(of(to).distances[round].from, static_cast<int>(rank)) << "a message is awaited";
        heard_[static_cast<std::size_t>(to)].insert(before[rank].begin(), before[rank].end());
      }
    }
  }

  std::vector<Meeting> meetings_;
  std::vector<std::set<int>> heard_;
};

TEST(Meeting, LetsEverybodyHearOfAllBeforeItLeaves) {
  std::mt19937 random(7);
  for (int num_ranks = 1; num_ranks <= 33; ++num_ranks) {
    for (int num_nodes = 1; num_nodes <= num_ranks; ++num_nodes) {
      std::vector<int> node_of_rank;
      for (int rank = 0; rank < num_ranks; ++rank) {
        node_of_rank.push_back(static_cast<int>(random() % static_cast<unsigned>(num_nodes)) * 3);
      }
      Ranks ranks(node_of_rank);
      ranks.meet();
      EXPECT_TRUE(ranks.has_everybody_heard_of_all()) << num_ranks << " on " << num_nodes;
    }
  }
}

TEST(Meeting, SendsFewMessagesBetweenNodes) {
  std::vector<int> node_of_rank;
  for (int rank = 0; rank < 32; ++rank) {
    node_of_rank.push_back(rank / 4);
  }
  EXPECT_EQ(Ranks(node_of_rank).num_messages_between_nodes(), 24);
}

TEST(Meeting, HasTheTreesOfThePicture) {
  std::vector<int> const node_of_rank{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  Meeting const first(0, node_of_rank);
  EXPECT_EQ(first.children, (std::vector<int>{1, 2}));
  ASSERT_EQ(first.distances.size(), 2);
  EXPECT_EQ(first.distances[0].to, 4);
  EXPECT_EQ(first.distances[1].to, 8);
  EXPECT_EQ(Meeting(7, node_of_rank).parent, 6);
  EXPECT_EQ(Meeting(6, node_of_rank).children, (std::vector<int>{7}));
}

}  // namespace
}  // namespace espalier::learn
