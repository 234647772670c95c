// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/native.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/native_calls.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

using schedule::Slot;

/// Blocks of a member, in place.
struct Parts {
  std::vector<Slot> results;
  std::vector<Slot> sources;
};

Parts parts_of(Collective collective, Request const& request, int rank) {
  Slot const own = schedule::blocks(rank);
  Slot const all = schedule::blocks(0, schedule::has_parts(collective) ? request.num_ranks : 1);
  bool const is_root = rank == request.root;
  auto const at_root = [&](Slot const& slot) {
    return is_root ? std::vector{slot} : std::vector<Slot>{};
  };
  switch (collective) {
  case Collective::bcast:
    return {.results = is_root ? std::vector<Slot>{} : std::vector{all}, .sources = at_root(all)};
  case Collective::scatter:
    return {.results = is_root ? std::vector<Slot>{} : std::vector{own}, .sources = at_root(all)};
  case Collective::gather:
    return {.results = at_root(all), .sources = {own}};
  case Collective::reduce:
    return {.results = at_root(all), .sources = {all}};
  case Collective::allgather:
    return {.results = {all}, .sources = {own}};
  case Collective::reduce_scatter:
    return {.results = {own}, .sources = {all}};
  case Collective::alltoall: {
    Slot input = all;
    input.buffer = schedule::Buffer::input;
    return {.results = {all}, .sources = {input}};
  }
  default:
    return {.results = {all}, .sources = {all}};
  }
}

template <Collective collective> schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  schedule::Frame frame = collective == Collective::alltoall
                              ? schedule::alltoall_frame(p, rank)
                              : output_frame(p, schedule::has_parts(collective) ? p : 1);
  schedule::Builder builder(std::move(frame), rank);
  Parts const parts = parts_of(collective, request, rank);
  if (p > 1) {
    std::vector<int> members(static_cast<std::size_t>(p));
    std::iota(members.begin(), members.end(), 0);
    builder.native({collective, request.root, std::move(members)}, parts.results, parts.sources);
  } else if (collective == Collective::alltoall) {
    builder.copy(parts.results, parts.sources);
  }
  return std::move(builder).finish();
}

/// What it sends, and how it combines, nobody knows.
Facts facts(Request const& request) {
  return {
      .rounds = request.num_ranks == 1 ? 0 : schedule::rounds_of_native_call,
      .volume = {},
      .reductions = {},
  };
}

// Not in a function: there, Clang 14 crashes on an Algorithm whose braces leave members out.
Algorithm const any_phase{
    .name = "native",
    .summary = "the collective of the MPI library",
    .source = "mpi41",
    .equal_blocks_only = true,
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::rank; },
};

template <Collective collective> Algorithm phase_of() {
  Algorithm phase = any_phase;
  phase.collective = collective;
  phase.generate = generate<collective>;
  return phase;
}

}  // namespace

Algorithm const* native_phase(Collective collective) noexcept {
  static std::array const phases{
      phase_of<Collective::allgather>(),
      phase_of<Collective::allreduce>(),
      phase_of<Collective::alltoall>(),
      phase_of<Collective::bcast>(),
      phase_of<Collective::gather>(),
      phase_of<Collective::reduce>(),
      phase_of<Collective::reduce_scatter>(),
      phase_of<Collective::scatter>(),
  };
  auto const found = std::ranges::find(phases, collective, &Algorithm::collective);
  return found == phases.end() ? nullptr : &*found;
}

namespace {

constexpr int most_segment_bytes = 1 << 30;

/// A native call has no promise for the prover there.
template <> schedule::RankProgram generate<Collective::barrier>(Request const& /*request*/, int) {
  throw Error(ErrorCode::unsupported, "only the MPI library knows what its barrier does");
}

}  // namespace

Algorithm const& native_barrier() noexcept {
  static Algorithm const barrier = phase_of<Collective::barrier>();
  return barrier;
}

namespace {

template <Collective collective> Algorithm of_library() {
  Algorithm algorithm = phase_of<collective>();
  algorithm.summary = "an algorithm of the MPI library, by the name that it has there";
  algorithm.equal_blocks_only = false;
  algorithm.order = [](Request const&) { return OperandOrder::any; };
  algorithm.parameters = {
      {.name = "algorithm",
       .type = Parameter::Type::algorithm,
       .description = "what the MPI library calls it; espalier list --native prints the names"},
      {.name = "segment",
       .maximum = most_segment_bytes,
       .description = "bytes of a segment, where the MPI library cuts vectors into segments"},
      {.name = "fanout", .description = "children of a rank, where the MPI library has trees"},
  };
  return algorithm;
}

auto const& algorithms_of_library() {
  static std::array const algorithms{
      of_library<Collective::allgather>(),
      of_library<Collective::allreduce>(),
      of_library<Collective::alltoall>(),
      of_library<Collective::barrier>(),
      of_library<Collective::bcast>(),
      of_library<Collective::exscan>(),
      of_library<Collective::gather>(),
      of_library<Collective::reduce>(),
      of_library<Collective::reduce_scatter>(),
      of_library<Collective::scan>(),
      of_library<Collective::scatter>(),
  };
  return algorithms;
}

}  // namespace

Algorithm const& algorithm_of_library(Collective collective) {
  return *std::ranges::find(algorithms_of_library(), collective, &Algorithm::collective);
}

bool is_algorithm_of_library(Algorithm const& algorithm) noexcept {
  return algorithm.name == native_name && &algorithm == &algorithm_of_library(algorithm.collective);
}

// Pieces of a vector have sizes that ranks know only of their own, unless all have all of them; and
// an allgather would write the message of a bcast to its root again.
bool takes_native(Algorithm const& algorithm, Parameter const& phase) {
  if (!phase.takes_native || native_phase(algorithm.collective) == nullptr) {
    return false;
  }
  Collective const collective =
      phase.collective.empty() ? algorithm.collective : parse_collective(phase.collective);
  bool const cuts_vector = !schedule::has_parts(algorithm.collective) &&
                           (collective == Collective::gather || collective == Collective::scatter);
  bool const writes_message =
      algorithm.collective == Collective::bcast && collective == Collective::allgather;
  return native_phase(collective) != nullptr && !cuts_vector && !writes_message;
}

namespace {

/// Of each collective an algorithm that works on the vector as a whole.
Choice stand_in(Collective collective) {
  switch (collective) {
  case Collective::allgather:
    return Choice::parse("allgather/ring");
  case Collective::allreduce:
    return Choice::parse("allreduce/recursive_doubling");
  case Collective::alltoall:
    return Choice::parse("alltoall/linear");
  case Collective::bcast:
    return Choice::parse("bcast/binomial");
  case Collective::gather:
    return Choice::parse("gather/flat");
  case Collective::reduce:
    return Choice::parse("reduce/binomial");
  case Collective::reduce_scatter:
    return Choice::parse("reduce_scatter/pairwise");
  default:
    return Choice::parse("scatter/flat");
  }
}

}  // namespace

schedule::RankProgram with_stand_ins(schedule::RankProgram program) {
  if (!program.has_native_calls()) {
    return program;
  }
  return schedule::without_native_calls(program, [](schedule::NativeCall const& call, int place) {
    auto const size = static_cast<int>(call.members.size());
    return stand_in(call.collective).generate(size, call.root, place);
  });
}

void require_model(Choice const& choice) {
  if (is_of_library(choice)) {
    throw Error(
        ErrorCode::unsupported,
        choice.text() + ": only the MPI library knows what it sends, so there is no model of it"
    );
  }
}

schedule::RankProgram generate_for_model(Choice const& choice, int num_ranks, int root, int rank) {
  require_model(choice);
  return with_stand_ins(choice.generate(num_ranks, root, rank));
}

}  // namespace espalier::algorithms
