// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/array/movement.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace espalier::onesided {
namespace {

using schedule::Collective;
using Blocks = std::vector<int>;

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

/// Joins it to the last run if it goes on where that ends.
void add(std::vector<ByteRun>& runs, ByteRun const& next) {
  if (next.num_bytes == 0) {
    return;
  }
  if (!runs.empty()) {
    ByteRun& last = runs.back();
    if (last.here + last.num_bytes == next.here && last.there + last.num_bytes == next.there) {
      last.num_bytes += next.num_bytes;
      return;
    }
  }
  runs.push_back(next);
}

std::int64_t longest(std::vector<Blocks> const& lists) noexcept {
  std::size_t most = 0;
  for (Blocks const& list : lists) {
    most = std::max(most, list.size());
  }
  return static_cast<std::int64_t>(most);
}

}  // namespace

std::optional<std::uint64_t> BlockBuffer::direct() const noexcept {
  if (num_bytes == 0) {
    return 0;
  }
  bool const is_one = runs.size() == 1 && runs[0].there == 0 && runs[0].num_bytes == num_bytes;
  return is_one ? std::optional(runs[0].here) : std::nullopt;
}

bool MemberWork::packs() const noexcept {
  return !input.direct() || !copied_before.empty();
}

bool MemberWork::unpacks() const noexcept {
  return !output.direct() || !copied_after.empty();
}

Movement::Movement(ArrayCall call) : call_(std::move(call)) {
  check(call_);
  find_members();
  choose_collective();
  look_at_members();
}

void Movement::find_members() {
  for (auto const* const blocks : {&call_.from, &call_.to}) {
    for (OwnedBlock const& block : *blocks) {
      members_.push_back(block.rank);
    }
  }
  std::ranges::sort(members_);
  members_.erase(std::unique(members_.begin(), members_.end()), members_.end());
  sources_.resize(members_.size());
  targets_.resize(members_.size());
  for (std::size_t i = 0; i < call_.from.size(); ++i) {
    sources_[at(member_of(call_.from[i].rank))].push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < call_.to.size(); ++i) {
    targets_[at(member_of(call_.to[i].rank))].push_back(static_cast<int>(i));
  }
  most_sources_ = longest(sources_);
  most_targets_ = longest(targets_);
}

void Movement::choose_collective() {
  switch (call_.collective) {
  case ArrayCollective::bcast:
    root_ = member_of(call_.from[0].rank);
    choose_bcast();
    return;
  case ArrayCollective::scatter:
    collective_ = Collective::scatter;
    root_ = member_of(call_.from[0].rank);
    num_pieces_ = most_targets_;
    return;
  case ArrayCollective::exchange:
    collective_ = Collective::alltoall;
    num_pieces_ = most_sources_ * most_targets_;
    return;
  case ArrayCollective::gather:
  case ArrayCollective::reduce:
    root_ = member_of(call_.to[0].rank);
    // There is nothing that a member without a block could give to an operator of a program.
    bool const combines = call_.collective == ArrayCollective::reduce &&
                          !sources_[at(root_)].empty() &&
                          (!call_.needs_rank_order || is_in_rank_order());
    collective_ = combines ? Collective::reduce : Collective::gather;
    num_pieces_ = combines ? 1 : most_sources_;
    return;
  }
}

/// The buffer of a bcast is at one offset on all members if the root has a target there, too, and
/// fills it first.
void Movement::choose_bcast() {
  Blocks const& own = targets_[at(root_)];
  if (own.empty()) {
    return;
  }
  std::uint64_t const offset = call_.to[at(own[0])].offset;
  is_root_copying_ =
      offset != call_.from[0].offset && std::ranges::all_of(targets_, [&](Blocks const& blocks) {
        return call_.to[at(blocks[0])].offset == offset;
      });
}

void Movement::look_at_members() {
  for (int member = 0; member < static_cast<int>(members_.size()); ++member) {
    MemberWork const one = work(member);
    auto const input = one.input.direct();
    auto const output = one.output.direct();
    is_direct_ = is_direct_ && input && output;
    places_.push_back({.input = input.value_or(0), .output = output.value_or(0)});
    packs_ = packs_ || one.packs();
    unpacks_ = unpacks_ || one.unpacks();
  }
}

int Movement::member_of(int rank) const noexcept {
  return static_cast<int>(std::ranges::lower_bound(members_, rank) - members_.begin());
}

bool Movement::is_in_rank_order() const noexcept {
  int next = 0;
  for (Blocks const& blocks : sources_) {
    for (int const block : blocks) {
      if (block != next++) {
        return false;
      }
    }
  }
  return true;
}

std::uint64_t Movement::part_bytes() const noexcept {
  return static_cast<std::uint64_t>(num_pieces_) * call_.piece_bytes;
}

MemberWork Movement::work(int member) const {
  switch (call_.collective) {
  case ArrayCollective::bcast:
    return bcast(member);
  case ArrayCollective::scatter:
    return scatter(member);
  case ArrayCollective::gather:
    return gather(member);
  case ArrayCollective::exchange:
    return exchange(member);
  case ArrayCollective::reduce:
    return reduce(member);
  }
  return {};
}

/// The same buffer is sent and received.
MemberWork Movement::bcast(int member) const {
  MemberWork work;
  std::uint64_t const size = call_.piece_bytes;
  std::uint64_t const source = call_.from[0].offset;
  Blocks const& targets = targets_[at(member)];
  bool const is_source = member == root_ && !is_root_copying_;
  std::uint64_t const buffer = is_source ? source : call_.to[at(targets[0])].offset;
  work.output = {.num_bytes = size, .runs = {{.here = buffer, .num_bytes = size}}};
  if (member == root_ && is_root_copying_) {
    add(work.copied_before, {.here = source, .there = buffer, .num_bytes = size});
  }
  for (int const target : targets) {
    if (std::uint64_t const to = call_.to[at(target)].offset; to != buffer) {
      // Not joined: a run may not be longer than the buffer that it is copied from.
      work.copied_after.push_back({.here = buffer, .there = to, .num_bytes = size});
    }
  }
  return work;
}

/// Pieces of some blocks in a buffer that has them one behind the other.
std::vector<ByteRun> Movement::side(Blocks const& blocks, bool is_from) const {
  std::vector<ByteRun> runs;
  std::uint64_t const size = call_.piece_bytes;
  std::uint64_t there = 0;
  for (int const block : blocks) {
    OwnedBlock const& place = (is_from ? call_.from : call_.to)[at(block)];
    add(runs, {.here = place.offset, .there = there, .num_bytes = size});
    there += size;
  }
  return runs;
}

/// Pieces of the one block, in a buffer that has a part for each member with its blocks.
std::vector<ByteRun> Movement::pieces_of_all(bool is_from) const {
  std::vector<ByteRun> runs;
  std::uint64_t const size = call_.piece_bytes;
  std::uint64_t const block = is_from ? call_.from[0].offset : call_.to[0].offset;
  std::uint64_t part = 0;
  for (Blocks const& pieces : is_from ? targets_ : sources_) {
    std::uint64_t there = part;
    for (int const piece : pieces) {
      std::uint64_t const here = block + static_cast<std::uint64_t>(piece) * size;
      add(runs, {.here = here, .there = there, .num_bytes = size});
      there += size;
    }
    part += part_bytes();
  }
  return runs;
}

MemberWork Movement::scatter(int member) const {
  MemberWork work;
  work.output = {.num_bytes = part_bytes(), .runs = side(targets_[at(member)], false)};
  if (member == root_) {
    work.input = {.num_bytes = part_bytes() * members_.size(), .runs = pieces_of_all(true)};
  }
  return work;
}

MemberWork Movement::gather(int member) const {
  MemberWork work;
  work.input = {.num_bytes = part_bytes(), .runs = side(sources_[at(member)], true)};
  if (member == root_) {
    work.output = {.num_bytes = part_bytes() * members_.size(), .runs = pieces_of_all(false)};
  }
  return work;
}

/// The part of a member has a row for each source of the sender with a piece for each target of the
/// receiver.
MemberWork Movement::exchange(int member) const {
  MemberWork work;
  std::uint64_t const size = call_.piece_bytes;
  std::uint64_t const row = static_cast<std::uint64_t>(most_targets_) * size;
  work.input.num_bytes = work.output.num_bytes = part_bytes() * members_.size();
  auto const place = [&](std::size_t peer, std::size_t source, std::size_t target) {
    return peer * part_bytes() + source * row + target * size;
  };
  auto const add_piece = [&](BlockBuffer& buffer, OwnedBlock const& block, int piece, auto there) {
    std::uint64_t const here = block.offset + static_cast<std::uint64_t>(piece) * size;
    add(buffer.runs, {.here = here, .there = there, .num_bytes = size});
  };
  auto const add_part = [&](BlockBuffer& buffer, std::size_t peer, bool is_input) {
    Blocks const& sources = sources_[is_input ? at(member) : peer];
    Blocks const& targets = targets_[is_input ? peer : at(member)];
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (std::size_t j = 0; j < targets.size(); ++j) {
        if (is_input) {
          add_piece(buffer, call_.from[at(sources[i])], targets[j], place(peer, i, j));
        } else {
          add_piece(buffer, call_.to[at(targets[j])], sources[i], place(peer, i, j));
        }
      }
    }
  };
  for (std::size_t peer = 0; peer < members_.size(); ++peer) {
    add_part(work.input, peer, true);
    add_part(work.output, peer, false);
  }
  return work;
}

MemberWork Movement::reduce(int member) const {
  std::uint64_t const size = call_.piece_bytes;
  std::uint64_t const result = call_.to[0].offset;
  if (collective_ == Collective::gather) {
    MemberWork work = gather(member);
    work.output.runs.clear();
    if (member == root_) {
      work.combined_after.result = result;
      work.combined_after.operands.resize(call_.from.size());
      for (std::size_t peer = 0; peer < members_.size(); ++peer) {
        for (std::size_t i = 0; i < sources_[peer].size(); ++i) {
          work.combined_after.operands[at(sources_[peer][i])] = peer * part_bytes() + i * size;
        }
      }
    }
    return work;
  }
  MemberWork work;
  Blocks const& sources = sources_[at(member)];
  work.input.num_bytes = size;
  if (sources.size() == 1) {
    work.input.runs = side(sources, true);
  } else {
    for (int const source : sources) {
      work.combined_before.operands.push_back(call_.from[at(source)].offset);
    }
  }
  if (member == root_) {
    work.output = {.num_bytes = size, .runs = {{.here = result, .num_bytes = size}}};
  }
  return work;
}

}  // namespace espalier::onesided
