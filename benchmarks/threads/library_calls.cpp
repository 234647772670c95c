// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/threads/library_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/one_sided.hpp"
#include "espalier/schedule/private_memory.hpp"

namespace espalier::benchmarks::threads {
namespace {

using schedule::Buffer;
using schedule::RankProgram;

constexpr std::uint64_t page_bytes = 4096;

void add(std::byte const* source, std::byte* destination, std::int64_t count) {
  auto const* const from = reinterpret_cast<double const*>(source);
  auto* const to = reinterpret_cast<double*>(destination);
  std::transform(from, from + count, to, to, std::plus<>());
}

exec::Layout layout_of(RankProgram const& program, Buffer buffer, std::size_t num_elements) {
  int const num_blocks = program.frame.num_blocks(buffer);
  auto const each = num_blocks == 0 ? 0 : static_cast<std::int64_t>(num_elements);
  return exec::Layout::uniform(num_blocks, each, sizeof(double));
}

/// The programs of messages of all threads, with the memory that a call gives them.
std::vector<RankProgram> messages_of(algorithms::Choice const& choice, int num_threads) {
  std::vector<RankProgram> programs;
  programs.reserve(static_cast<std::size_t>(num_threads));
  for (int rank = 0; rank < num_threads; ++rank) {
    programs.push_back(schedule::as_called(
        choice.generate_whole(num_threads, 0, rank), choice.collective(), 0, false
    ));
  }
  return programs;
}

}  // namespace

LibraryCall::LibraryCall(
    std::string const& choice, schedule::Sync sync, int num_threads, std::size_t num_elements
) {
  auto const p = static_cast<std::size_t>(num_threads);
  std::uint64_t const user_bytes =
      (p * num_elements * sizeof(double) / page_bytes + 1) * page_bytes;
  onesided::Region const scratch{.offset = 64, .num_bytes = 64 * page_bytes + 4 * user_bytes};
  std::uint64_t const users_at = scratch.num_bytes + page_bytes;
  places_.assign(p, {.input = users_at, .output = users_at + user_bytes});
  world_ = std::make_unique<onesided::ThreadWorld>(onesided::ThreadOptions{
      .segment_bytes = std::vector<std::uint64_t>(p, users_at + 2 * user_bytes)
  });

  auto const parsed = algorithms::Choice::parse(choice);
  std::vector<RankProgram> const messages = messages_of(parsed, num_threads);
  auto const message_of = [&](int rank) { return messages[static_cast<std::size_t>(rank)]; };
  schedule::OneSidedForm const form{
      .mode = {.in = sync, .out = sync},
      .addresses = schedule::AddressMode::single,
      .mechanism = schedule::Mechanism::signaling_put,
      .segments = parsed.one_sided_segments(num_threads),
  };
  schedule::Survey const survey = schedule::survey(num_threads, message_of);
  std::vector<exec::Layout> outputs;
  std::vector<exec::Layout> inputs;
  for (int rank = 0; rank < num_threads; ++rank) {
    RankProgram const program = schedule::one_sided(rank, form, survey, message_of);
    outputs.push_back(layout_of(program, Buffer::output, num_elements));
    inputs.push_back(layout_of(program, Buffer::input, num_elements));
  }
  auto const blocks_of = [&](int rank) {
    auto const index = static_cast<std::size_t>(rank);
    return onesided::UserBlocks(outputs[index], nullptr, &inputs[index]);
  };
  std::vector<int> ranks(p);
  std::iota(ranks.begin(), ranks.end(), 0);
  members_.resize(p);
  for (int rank = 0; rank < num_threads; ++rank) {
    Member& member = members_[static_cast<std::size_t>(rank)];
    member.conduit = world_->attach(rank, {});
    member.team = std::make_unique<onesided::Team>(*member.conduit, ranks, scratch);
    member.planned = std::make_shared<onesided::PlannedCollective const>(
        num_threads, rank, message_of, form, blocks_of, add
    );
    auto const* const begin = reinterpret_cast<std::byte*>(input(rank));
    member.buffers = {.input = begin, .output = reinterpret_cast<std::byte*>(output(rank))};
  }
}

void LibraryCall::run(int thread) {
  Member const& member = members_[static_cast<std::size_t>(thread)];
  onesided::Ticket ticket = member.team->start(member.planned, member.buffers, places_);
  member.team->wait(ticket);
}

double* LibraryCall::input(int thread) {
  return reinterpret_cast<double*>(at(thread, places_.front().input));
}

double* LibraryCall::output(int thread) {
  return reinterpret_cast<double*>(at(thread, places_.front().output));
}

std::byte* LibraryCall::at(int thread, std::uint64_t offset) {
  return members_[static_cast<std::size_t>(thread)].conduit->segment().data() + offset;
}

}  // namespace espalier::benchmarks::threads
