// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/one_sided/benchmark_programs.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/error.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::cost {

using schedule::blocks;
using schedule::Builder;
using schedule::RankProgram;

std::vector<RankProgram> answered_message() {
  Builder asking(algorithms::output_frame(2, 1), 0);
  asking.send(1, blocks(0)).next_round().recv_signal(1);
  Builder answering(algorithms::output_frame(2, 1), 1);
  answering.recv(0, blocks(0)).next_round().send_signal(0);
  return {std::move(asking).finish(), std::move(answering).finish()};
}

std::vector<RankProgram> plain_get() {
  Builder getting(algorithms::output_frame(2, 1), 0);
  getting.get(1, blocks(0), blocks(0));
  return {std::move(getting).finish(), Builder(algorithms::output_frame(2, 1), 1).finish()};
}

std::vector<RankProgram> flood(int num_peers, int num_messages) {
  if (num_peers < 1 || num_messages < 1) {
    throw Error(
        ErrorCode::argument,
        "expected at least 1 peer and 1 message, got " + std::to_string(num_peers) + " and " +
            std::to_string(num_messages)
    );
  }
  std::vector<Builder> builders;
  for (int rank = 0; rank <= num_peers; ++rank) {
    builders.emplace_back(algorithms::output_frame(num_peers + 1, num_messages), rank);
  }
  for (int message = 0; message < num_messages; ++message) {
    int const peer = 1 + message % num_peers;
    builders.front().send(peer, blocks(message));
    builders[static_cast<std::size_t>(peer)].recv(0, blocks(message));
  }
  std::vector<RankProgram> programs;
  programs.reserve(builders.size());
  for (Builder& builder : builders) {
    programs.push_back(std::move(builder).finish());
  }
  return programs;
}

}  // namespace espalier::cost
