// SPDX-License-Identifier: Apache-2.0

#include "tests/property/one_sided_use.hpp"

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

#include "espalier/exec/memory/binding.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::RankProgram;
using schedule::Sync;

using Element = std::int64_t;

/// What a rank contributes to an element of a block.
Element contribution(int rank, int label, int element) {
  return 1 + rank * 1009 + label * 31 + element * 7;
}

void add(std::byte const* source, std::byte* destination, std::int64_t num_elements) {
  auto const* from = reinterpret_cast<Element const*>(source);
  auto* to = reinterpret_cast<Element*>(destination);
  std::transform(from, from + num_elements, to, to, std::plus<>());
}

}  // namespace

UserBuffers::UserBuffers(
    std::vector<RankProgram> const& programs,
    verify::Contract const& contract,
    UseOptions const& options
)
    : programs_(programs), contract_(contract), options_(options) {
  for (RankProgram const& program : programs) {
    inputs_.push_back(blocks(program, Buffer::input));
    outputs_.push_back(blocks(program, Buffer::output));
  }
}

UserBuffers::Blocks UserBuffers::blocks(RankProgram const& program, Buffer buffer) const {
  std::vector<Extent> extents;
  std::int64_t end = 0;
  for (int block = 0; block < program.frame.num_blocks(buffer); ++block) {
    int const count = num_elements(program.frame.like(buffer, block));
    extents.push_back({.offset_bytes = end * std::int64_t{sizeof(Element)}, .num_elements = count});
    end += count;
  }
  return {
      .layout = Layout::of(std::move(extents), sizeof(Element)),
      .elements = std::vector<Element>(static_cast<std::size_t>(end), poison),
  };
}

int UserBuffers::num_elements(int label) const noexcept {
  int const most = contract_.num_ranks;
  return options_.sizes == BlockSizes::equal ? most : label * 7 % (most + 1);
}

void UserBuffers::fill(int rank, int begin, int end) {
  for_each_element(rank, begin, end, [&](Buffer buffer, int block, int element, Element& at) {
    bool const is_held = contract_.holds_at_start(frame(rank), rank, buffer, block);
    int const label = frame(rank).like(buffer, block);
    at = is_held ? contribution(contract_.reduces() ? rank : 0, label, element) : poison;
  });
}

int UserBuffers::num_wrong(int rank, int begin, int end) {
  int wrong = 0;
  schedule::BlockRun const promised = contract_.promised(frame(rank), rank);
  for_each_element(rank, begin, end, [&](Buffer buffer, int block, int element, Element& at) {
    if (buffer == Buffer::output && promised.contains(block)) {
      wrong += at != expected(frame(rank).like(buffer, block), element) ? 1 : 0;
    } else if (buffer == Buffer::output && is_kept(rank, block)) {
      wrong += at != poison ? 1 : 0;
    }
  });
  return wrong;
}

/// Of those that are not promised.
bool UserBuffers::is_kept(int rank, int output_block) const {
  return options_.keeps_other_output || !contract_.exists(frame(rank), rank, output_block);
}

void UserBuffers::overwrite(int rank, int begin, int end) {
  for_each_element(rank, begin, end, [](Buffer, int, int, Element& at) { at = poison; });
}

std::vector<ThreadRank> UserBuffers::bound() {
  std::vector<Places> places;
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    BindOptions const options{.input = &inputs_[i].layout};
    places.emplace_back(programs_[i].frame, programs_[i].rank, outputs_[i].layout, options);
  }
  auto const places_of = [&](int rank) -> Places const& {
    return places[static_cast<std::size_t>(rank)];
  };
  std::vector<ThreadRank> ranks;
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    ranks.push_back({
        .program = bind_one_sided(programs_[i], places_of),
        .input = reinterpret_cast<std::byte const*>(inputs_[i].elements.data()),
        .output = reinterpret_cast<std::byte*>(outputs_[i].elements.data()),
    });
  }
  return ranks;
}

schedule::Frame const& UserBuffers::frame(int rank) const {
  return programs_[static_cast<std::size_t>(rank)].frame;
}

UserBuffers::Element UserBuffers::expected(int label, int element) const {
  if (!contract_.reduces()) {
    return contribution(0, label, element);
  }
  Element sum = 0;
  for (int rank = 0; rank < contract_.num_ranks; ++rank) {
    sum += contribution(rank, label, element);
  }
  return sum;
}

template <typename Visitor>
void UserBuffers::for_each_element(int rank, int begin, int end, Visitor const& visit) {
  auto const index = static_cast<std::size_t>(rank);
  for (Buffer const buffer : {Buffer::input, Buffer::output}) {
    std::vector<Element>& all = (buffer == Buffer::input ? inputs_ : outputs_)[index].elements;
    std::size_t first = 0;
    for (int block = 0; block < frame(rank).num_blocks(buffer); ++block) {
      int const count = num_elements(frame(rank).like(buffer, block));
      for (int element = begin; element < std::min(end, count); ++element) {
        visit(buffer, block, element, all[first + static_cast<std::size_t>(element)]);
      }
      first += static_cast<std::size_t>(count);
    }
  }
}

int Use::run(Delivery delivery, ThreadCrew& crew) {
  for (int rank = 0; contract_.synchronization.in == Sync::nosync && rank < p(); ++rank) {
    buffers_.fill(rank, 0, p());
  }
  run_one_sided(
      buffers_.bound(),
      {.delivery = delivery,
       .combine = add,
       .enter = [this](int rank) { enter(rank); },
       .leave = [this](int rank) { leave(rank); },
       .crew = &crew}
  );
  for (int rank = 0; contract_.synchronization.out == Sync::nosync && rank < p(); ++rank) {
    num_wrong_ += buffers_.num_wrong(rank, 0, p());
  }
  return num_wrong_;
}

/// Ranks come at different times. With IN_ALLSYNC each fills one element of all blocks of all
/// ranks.
void Use::enter(int rank) {
  for (int i = 0; i < rank * 5 % 7; ++i) {
    std::this_thread::yield();
  }
  if (contract_.synchronization.in == Sync::mysync) {
    buffers_.fill(rank, 0, p());
  }
  for (int other = 0; contract_.synchronization.in == Sync::allsync && other < p(); ++other) {
    buffers_.fill(other, rank, rank + 1);
  }
}

/// What is said to be finished is looked at, and then used again.
void Use::leave(int rank) {
  if (contract_.synchronization.out == Sync::mysync) {
    num_wrong_ += buffers_.num_wrong(rank, 0, p());
    buffers_.overwrite(rank, 0, p());
  }
  for (int other = 0; contract_.synchronization.out == Sync::allsync && other < p(); ++other) {
    num_wrong_ += buffers_.num_wrong(other, rank, rank + 1);
    buffers_.overwrite(other, rank, rank + 1);
  }
}

}  // namespace espalier::exec
