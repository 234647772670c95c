// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/binomial_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::mapping {
namespace {

/// Messages of one step by what they share: out of a group, into one, inside one.
class Load {
public:
  Load(std::vector<TreeMessage> const& messages, std::span<int const> group_of_rank)
      : group_of_rank_(group_of_rank) {
    for (TreeMessage const& message : messages) {
      if (crosses(message)) {
        ++out_[group(message.from)];
        ++in_[group(message.to)];
      } else {
        ++inside_[group(message.from)];
      }
    }
  }

  /// By how much sharing channels slows a message down, at least 1.
  [[nodiscard]] double slowdown(TreeMessage const& message, Channels const& channels) const {
    double const share =
        crosses(message)
            ? std::max(out_.at(group(message.from)), in_.at(group(message.to))) / channels.across
            : inside_.at(group(message.from)) / channels.inside;
    return std::max(1.0, share);
  }

private:
  [[nodiscard]] int group(int rank) const { return group_of_rank_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] bool crosses(TreeMessage const& message) const {
    return group(message.from) != group(message.to);
  }

  std::span<int const> group_of_rank_;
  std::map<int, int> out_;
  std::map<int, int> in_;
  std::map<int, int> inside_;
};

void check(RttMatrix const& matrix, std::size_t num_groups, Channels const& channels) {
  if (num_groups != static_cast<std::size_t>(matrix.num_ranks())) {
    throw Error(
        ErrorCode::argument,
        "expected the group of each of " + std::to_string(matrix.num_ranks()) + " ranks, got " +
            std::to_string(num_groups)
    );
  }
  if (!(channels.across >= 1 && channels.inside >= 1)) {
    throw Error(
        ErrorCode::argument,
        "expected at least 1 channel, got " +
            std::to_string(std::min(channels.across, channels.inside))
    );
  }
}

struct TimedMessage {
  int from;
  int to;
  double time;
};

/// The messages of each step with how long they take beside the others of the step.
std::vector<std::vector<TimedMessage>> timed_steps(
    RttMatrix const& matrix,
    std::span<int const> ranks,
    std::span<int const> group_of_rank,
    Channels const& channels,
    Payload payload
) {
  check(matrix, group_of_rank.size(), channels);
  if (std::string const complaint = refuses(ranks, matrix.num_ranks()); !complaint.empty()) {
    throw Error(ErrorCode::argument, complaint);
  }
  std::vector<std::vector<TimedMessage>> steps;
  for (std::vector<TreeMessage> const& messages : binomial_steps(ranks)) {
    Load const load(messages, group_of_rank);
    std::vector<TimedMessage>& timed = steps.emplace_back();
    for (TreeMessage const& message : messages) {
      int const blocks = payload == Payload::subtree ? message.blocks : 1;
      double const alone = blocks * matrix(message.from, message.to) / 2;
      timed.push_back({message.from, message.to, alone * load.slowdown(message, channels)});
    }
  }
  return steps;
}

}  // namespace

std::vector<std::vector<TreeMessage>> binomial_steps(std::span<int const> ranks) {
  static_cast<void>(positions(ranks));
  auto const p = static_cast<int>(ranks.size());
  std::vector<std::vector<TreeMessage>> steps(static_cast<std::size_t>(ceil_log2(p)));
  for (int position = 0; position < p; ++position) {
    for (pattern::TreeEdge const& edge : pattern::k_nomial_node(2, p, position).children) {
      steps[static_cast<std::size_t>(edge.round)].push_back({
          .from = ranks[static_cast<std::size_t>(position)],
          .to = ranks[static_cast<std::size_t>(edge.child)],
          .blocks = edge.size,
      });
    }
  }
  return steps;
}

std::vector<double> step_times(
    RttMatrix const& matrix,
    std::span<int const> ranks,
    std::span<int const> group_of_rank,
    Channels const& channels,
    Payload payload
) {
  std::vector<double> times;
  for (auto const& messages : timed_steps(matrix, ranks, group_of_rank, channels, payload)) {
    times.push_back(std::ranges::max(messages, {}, &TimedMessage::time).time);
  }
  return times;
}

double completion_time(
    RttMatrix const& matrix,
    std::span<int const> ranks,
    std::span<int const> group_of_rank,
    Channels const& channels,
    Payload payload
) {
  std::vector<double> free_at(ranks.size());
  for (auto const& messages : timed_steps(matrix, ranks, group_of_rank, channels, payload)) {
    for (TimedMessage const& message : messages) {
      double& sender = free_at[static_cast<std::size_t>(message.from)];
      sender += message.time;
      free_at[static_cast<std::size_t>(message.to)] = sender;
    }
  }
  return std::ranges::max(free_at);
}

}  // namespace espalier::mapping
