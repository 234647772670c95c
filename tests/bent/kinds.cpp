// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/kinds.hpp"

#include <algorithm>
#include <cstdio>

#include <mpi.h>

#include "tests/bent/bends.hpp"

namespace bent {
namespace {

struct Kind {
  std::string name;
  void (*bend)(Step&);
  /// How often it comes among the usual kinds; 0 for those that are run if asked for.
  int weight;
  int max_steps;
  /// Messages may be left over, and context numbers of freed communicators come again.
  bool keeps_communicators;
};

std::vector<Kind> const& all_kinds() {
  static std::vector<Kind> const kinds = {
      {"right", right, 2, 6, false},
      {"own_block", own_block, 6, 4, true},
      {"same_buffer", same_buffer, 5, 4, true},
      {"overlap", overlap, 5, 4, true},
      {"null_types", null_types, 5, 5, true},
      {"empty_types", empty_types, 4, 5, true},
      {"mixed_types", mixed_types, 5, 5, false},
      {"uncommitted", uncommitted, 4, 4, true},
      {"attributes", attributes, 4, 4, false},
      {"short_send", short_send, 5, 4, true},
      {"long_send", long_send, 4, 3, true},
      {"truncation", truncation, 5, 2, true},
      {"arguments", arguments, 6, 6, true},
      {"operators", operators, 4, 4, false},
      {"handles", handles, 4, 3, false},
      {"crowd", crowd, 0, 1, false},
      {"short_lived", short_lived, 2, 1, false},
      {"copied_attributes", copied_attributes, 3, 2, false},
      {"disorder", disorder, 5, 3, false},
      {"late", late, 5, 3, false},
      {"threads", threads, 0, 1, false},
      {"fatal", fatal, 0, 1, false},
  };
  return kinds;
}

Kind const& kind_named(std::string const& name) {
  auto const& kinds = all_kinds();
  auto const found =
      std::find_if(kinds.begin(), kinds.end(), [&](Kind const& kind) { return kind.name == name; });
  if (found == kinds.end()) {
    std::fprintf(stderr, "bent: no kind '%s'\n", name.c_str());
    MPI_Abort(MPI_COMM_WORLD, 2);
    return kinds.front();
  }
  return *found;
}

void free_communicators(Communicator& comm) {
  MPI_Comm_free(&comm.handle);
  MPI_Comm_free(&comm.shadow);
}

}  // namespace

std::vector<std::string> usual_kinds() {
  std::vector<std::string> names;
  for (Kind const& kind : all_kinds()) {
    names.insert(names.end(), static_cast<std::size_t>(kind.weight), kind.name);
  }
  return names;
}

bool needs_threads(std::vector<std::string> const& kinds) {
  return std::find(kinds.begin(), kinds.end(), "threads") != kinds.end();
}

void run_program(Report& report, std::uint64_t seed, std::vector<std::string> const& kinds) {
  // A stream of its own: a seed means the same program whatever else is asked for.
  Kind const& kind = kind_named(Random{seed, 1}.pick(kinds));
  report.begin(seed, kind.name);
  Random common{seed, 2};
  std::vector<Communicator> comms(static_cast<std::size_t>(1 + common.below(2)));
  for (Communicator& comm : comms) {
    comm = make_communicator(common);
  }
  int const num_steps = 1 + common.below(kind.max_steps);
  for (int i = 0; i < num_steps; ++i) {
    Communicator const comm = common.pick(comms);
    auto const number = static_cast<std::uint64_t>(i);
    auto const rank = static_cast<std::uint64_t>(comm.rank);
    Step step{
        .report = report,
        .kind = kind.name,
        .comm = comm,
        .common = Random{seed, 3, number},
        .own = Random{seed, 4, number, rank},
    };
    kind.bend(step);
  }
  if (!kind.keeps_communicators) {
    std::for_each(comms.begin(), comms.end(), free_communicators);
  }
}

}  // namespace bent
