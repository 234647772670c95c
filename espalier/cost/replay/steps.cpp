// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/steps.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "espalier/base/error.hpp"
#include "espalier/schedule/preconditions.hpp"

namespace espalier::cost {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

[[noreturn]] void refuse(std::string const& expected, std::string const& found) {
  throw Error(ErrorCode::argument, "expected " + expected + ", got " + found);
}

}  // namespace

void Steps::add(RankProgram const& program) {
  int const rank = num_ranks();
  if (program.rank != rank) {
    refuse(
        "the program of rank " + std::to_string(rank), "that of " + std::to_string(program.rank)
    );
  }
  if (program.has_native_calls()) {
    refuse("a program of messages", "one with native calls: use a stand-in");
  }
  schedule::require_messages(program, "the replay");
  std::int64_t const end = std::int64_t{size()} + std::ssize(program.operations);
  if (end > std::numeric_limits<std::int32_t>::max()) {
    throw Error(
        ErrorCode::unsupported,
        "expected at most 2147483647 operations of all ranks, got more: replay fewer ranks"
    );
  }
  std::int32_t const begin = size();
  for (Operation const& operation : program.operations) {
    double const bytes = sizes_.of(program, program.slots(operation));
    bool const moves = operation.kind == Kind::send || operation.kind == Kind::recv;
    bool const is_sent = moves && (bytes > 0 || operation.slots.size() == 0);
    auto const step = static_cast<std::int32_t>(steps_.size());
    steps_.push_back({
        .bytes = bytes,
        .rank = rank,
        .after = begin + operation.after,
        .after_sends = begin + operation.after_sends,
        .kind = operation.kind,
    });
    if (is_sent) {
      add_end(operation, rank);
    }
    for (int const awaited : program.waits(operation)) {
      waits_.push_back({.awaited = begin + awaited, .waiting = step});
    }
  }
  begins_.push_back(static_cast<std::int32_t>(steps_.size()));
}

void Steps::add_end(Operation const& operation, int rank) {
  bool const sends = operation.kind == Kind::send;
  (sends ? sends_ : receives_)
      .push_back({
          .receiver = sends ? operation.peer : rank,
          .sender = sends ? rank : operation.peer,
          .tag = operation.tag,
          .step = static_cast<std::int32_t>(steps_.size()) - 1,
      });
}

Steps Steps::resized(double factor) const {
  Steps result = *this;
  for (Step& step : result.steps_) {
    step.bytes *= factor;
  }
  return result;
}

std::size_t Steps::memory_bytes() const noexcept {
  return steps_.capacity() * sizeof(Step) + begins_.capacity() * sizeof(std::int32_t) +
         waits_.capacity() * sizeof(Wait) +
         (sends_.capacity() + receives_.capacity()) * sizeof(End);
}

std::vector<Steps::End> Steps::sends_by_receiver() const {
  std::vector<std::int32_t> places(static_cast<std::size_t>(num_ranks()) + 1);
  for (End const& send : sends_) {
    if (send.receiver < 0 || send.receiver >= num_ranks()) {
      refuse(
          "a peer below " + std::to_string(num_ranks()),
          std::to_string(send.receiver) + " on rank " + std::to_string(send.sender)
      );
    }
    ++places[static_cast<std::size_t>(send.receiver) + 1];
  }
  for (std::size_t rank = 1; rank < places.size(); ++rank) {
    places[rank] += places[rank - 1];
  }
  std::vector<End> sorted(sends_.size());
  for (End const& send : sends_) {
    sorted[static_cast<std::size_t>(places[static_cast<std::size_t>(send.receiver)]++)] = send;
  }
  return sorted;
}

void Steps::match() {
  std::vector<End> sends = sends_by_receiver();
  if (sends.size() != receives_.size()) {
    refuse(
        "as many receives as sends",
        std::to_string(receives_.size()) + " and " + std::to_string(sends.size())
    );
  }
  std::size_t begin = 0;
  while (begin < sends.size()) {
    std::int32_t const receiver = receives_[begin].receiver;
    std::size_t end = begin;
    while (end < sends.size() && receives_[end].receiver == receiver) {
      ++end;
    }
    match(
        std::span(sends).subspan(begin, end - begin),
        std::span(receives_).subspan(begin, end - begin)
    );
    begin = end;
  }
  sends_ = {};
  receives_ = {};
  steps_.shrink_to_fit();
}

/// Ends of messages to one receiver.
void Steps::match(std::span<End> sends, std::span<End> receives) {
  auto const before = [](End const& a, End const& b) {
    return std::tie(a.sender, a.tag, a.step) < std::tie(b.sender, b.tag, b.step);
  };
  for (std::span<End> const ends : {sends, receives}) {
    if (!std::ranges::is_sorted(ends, before)) {
      std::ranges::sort(ends, before);
    }
  }
  for (std::size_t i = 0; i < sends.size(); ++i) {
    End const& send = sends[i];
    End const& receive = receives[i];
    Step& from = (*this)[send.step];
    Step& to = (*this)[receive.step];
    if (std::tie(send.receiver, send.sender, send.tag) !=
        std::tie(receive.receiver, receive.sender, receive.tag)) {
      refuse(
          "a message to rank " + std::to_string(receive.receiver) + " from rank " +
              std::to_string(receive.sender) + " with tag " + std::to_string(receive.tag),
          "one from rank " + std::to_string(send.sender) + " to rank " +
              std::to_string(send.receiver) + " with tag " + std::to_string(send.tag)
      );
    }
    if (from.bytes != to.bytes) {
      refuse(
          std::to_string(from.bytes) + " bytes received by rank " + std::to_string(to.rank) +
              " from rank " + std::to_string(from.rank),
          std::to_string(to.bytes)
      );
    }
    from.partner = receive.step;
    to.partner = send.step;
  }
}

}  // namespace espalier::cost
