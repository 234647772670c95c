// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/native_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "espalier/base/format.hpp"
#include "espalier/schedule/native_calls.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Kind;
using schedule::NativeCall;
using schedule::Operation;
using schedule::RankProgram;
using schedule::Slot;

/// One call and its blocks, as one member sees them.
class CallCheck {
public:
  CallCheck(RankProgram const& program, int index)
      : program_(program), index_(index),
        operation_(program.operations[static_cast<std::size_t>(index)]) {}

  std::optional<Violation> run() {
    if (operation_.tag < 0 || operation_.tag >= std::ssize(program_.native_calls)) {
      return fail("names no native call");
    }
    NativeCall const& call = program_.native_call(operation_);
    std::set<int> const members(call.members.begin(), call.members.end());
    auto const size = static_cast<int>(call.members.size());
    if (members.empty() || std::ssize(members) != size || *members.begin() < 0 ||
        *members.rbegin() >= program_.frame.num_ranks || !members.contains(program_.rank)) {
      return fail("must be made by this rank and others, each of them once");
    }
    if (call.root < 0 || call.root >= size) {
      return fail(formatted("the root must be one of {} members, got {}", size, call.root));
    }
    if (!waits_for_all()) {
      return fail("must wait for everything before it");
    }
    schedule::NativeParts const parts = schedule::parts_of(call);
    if (!can_be_dealt(program_.slots(operation_), parts.results) ||
        !can_be_dealt(program_.sources(operation_), parts.sources)) {
      return fail(formatted("must have as many blocks for each of {} members", size));
    }
    return std::nullopt;
  }

private:
  [[nodiscard]] bool waits_for_all() const {
    for (int i = 0; i < index_; ++i) {
      if (!operation_.waits_by_position(program_.operations[static_cast<std::size_t>(i)], i)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool can_be_dealt(std::span<Slot const> slots, int num_parts) const {
    auto const is_inside = [&](Slot const& slot) {
      int const size = program_.frame.num_blocks(slot.buffer);
      return slot.first >= 0 && slot.first < size && slot.num_blocks > 0 &&
             slot.num_blocks <= size && slot.stride >= 0 && slot.stride < size;
    };
    return std::ranges::all_of(slots, is_inside) && schedule::num_blocks(slots) % num_parts == 0;
  }

  [[nodiscard]] Violation fail(std::string const& text) const {
    return {
        .rule = ProverRule::bounds,
        .rank = program_.rank,
        .operation = index_,
        .text = formatted("a native call: {}", text),
    };
  }

  RankProgram const& program_;
  int index_;
  Operation const& operation_;
};

using CallKey = std::tuple<schedule::Collective, int, std::vector<int>>;

/// Calls by rank: how often each makes it.
using CallCounts = std::map<CallKey, std::map<int, int>>;

std::optional<Violation> check_members(CallCounts const& counts) {
  for (auto const& [call, by_rank] : counts) {
    auto const& [collective, root, members] = call;
    int const expected = by_rank.begin()->second;
    for (int const member : members) {
      auto const found = by_rank.find(member);
      int const times = found == by_rank.end() ? 0 : found->second;
      if (times != expected) {
        return Violation{
            .rule = ProverRule::unmatched,
            .rank = member,
            .operation = -1,
            .text = formatted(
                "must make the native {} among {} {} times as rank {} does, got {}",
                schedule::to_string(collective),
                schedule::runs_to_text(members),
                expected,
                by_rank.begin()->first,
                times
            ),
        };
      }
    }
  }
  return std::nullopt;
}

}  // namespace

bool have_native_calls(std::span<RankProgram const> programs) noexcept {
  return std::ranges::any_of(programs, &RankProgram::has_native_calls);
}

std::optional<Violation> check_native_calls(std::span<RankProgram const> programs) {
  CallCounts counts;
  for (RankProgram const& program : programs) {
    for (int i = 0; i < std::ssize(program.operations); ++i) {
      Operation const& operation = program.operations[static_cast<std::size_t>(i)];
      if (operation.kind != Kind::native) {
        continue;
      }
      if (auto violation = CallCheck(program, i).run()) {
        return violation;
      }
      NativeCall const& call = program.native_call(operation);
      ++counts[{call.collective, call.root, call.members}][program.rank];
    }
  }
  return check_members(counts);
}

std::vector<RankProgram> without_native_calls(std::span<RankProgram const> programs) {
  std::vector<RankProgram> result;
  result.reserve(programs.size());
  for (RankProgram const& program : programs) {
    result.push_back(schedule::without_native_calls(program));
  }
  return result;
}

}  // namespace espalier::verify
