// SPDX-License-Identifier: Apache-2.0

/// @file
/// One replay of a schedule on nodes of 64 cores with two channels each, and how long it takes.
/// Prints a line of JSON; seconds are those of the processor.
///
/// Usage: replay_speed <choice> <num_ranks> <num_bytes>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include "espalier/cost/replay/engine.hpp"
#include "espalier/cost/replay/steps.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace espalier::benchmarks {

using algorithms::Choice;

namespace {

constexpr int cores_per_node = 64;

cost::Setting nodes(int num_ranks) {
  int const num_nodes = (num_ranks + cores_per_node - 1) / cores_per_node;
  machine::Machine machine = machine::Machine::parse(
      "node:" + std::to_string(num_nodes) + " core:" + std::to_string(cores_per_node)
  );
  machine::Link link{
      .latency = 1.5e-6,
      .overhead_send = 2e-7,
      .overhead_receive = 2e-7,
      .gap = 1e-8,
      .per_byte = 8e-11,
      .channels = 2,
  };
  machine.set_link(0, link);
  link.latency = 3e-7;
  link.channels = machine::Link::unlimited;
  machine.set_link(1, link);
  std::vector<int> cores = machine::place(machine, "block", num_ranks);
  return {.machine = std::move(machine), .core_of = std::move(cores)};
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

/// Callgrind counts from here on.
[[gnu::noinline]] cost::Steps
counted_generate(Choice const& choice, int num_ranks, double num_bytes) {
  cost::Steps steps(num_bytes);
  for (int rank = 0; rank < num_ranks; ++rank) {
    steps.add(choice.generate(num_ranks, 0, rank));
  }
  return steps;
}

/// Callgrind counts from here on.
[[gnu::noinline]] cost::Replay counted_replay(cost::Steps steps, cost::Setting const& setting) {
  steps.match();
  cost::Engine engine(std::move(steps), setting);
  engine.run();
  return engine.result();
}

namespace {

void run(std::string const& text, int num_ranks, double num_bytes) {
  cost::Setting const setting = nodes(num_ranks);
  double const begin = processor_seconds();
  cost::Steps steps = counted_generate(Choice::parse(text), num_ranks, num_bytes);
  double const generated = processor_seconds();
  cost::Replay const replayed = counted_replay(std::move(steps), setting);
  double const end = processor_seconds();
  std::int64_t messages = 0;
  for (cost::LevelUse const& use : replayed.levels) {
    messages += use.messages;
  }
  std::printf(
      "{\"choice\": \"%s\", \"num_ranks\": %d, \"messages\": %lld, \"generate_s\": %.4f, "
      "\"replay_s\": %.4f, \"peak_mib\": %.1f, \"simulated_us\": %.3f}\n",
      text.c_str(),
      num_ranks,
      static_cast<long long>(messages),
      generated - begin,
      end - generated,
      static_cast<double>(peak_kilobytes()) / 1024,
      replayed.seconds() * 1e6
  );
}

}  // namespace
}  // namespace espalier::benchmarks

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: replay_speed <choice> <num_ranks> <num_bytes>\n");
    return 2;
  }
  espalier::benchmarks::run(argv[1], std::atoi(argv[2]), std::atof(argv[3]));
  return 0;
}
