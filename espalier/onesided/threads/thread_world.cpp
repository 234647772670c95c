// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/threads/thread_world.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/onesided/threads/checked_conduit.hpp"
#include "espalier/onesided/threads/thread_conduit.hpp"

namespace espalier::onesided {
namespace {

constexpr std::align_val_t alignment{line_bytes};

}  // namespace

void ThreadWorld::Freed::operator()(std::byte* memory) const noexcept {
  ::operator delete(memory, alignment);
}

ThreadWorld::Memory ThreadWorld::allocate(std::size_t num_bytes) {
  Memory memory(static_cast<std::byte*>(::operator new(num_bytes, alignment)));
  std::memset(memory.get(), 0, num_bytes);
  return memory;
}

ThreadWorld::ThreadWorld(ThreadOptions options)
    : options_(std::move(options)),
      shape_(PostShape::of(static_cast<int>(options_.segment_bytes.size()))),
      arrivals_(allocate(sizeof(Arrivals))), departures_(allocate(sizeof(Departures))),
      is_attached_(options_.segment_bytes.size()) {
  for (std::uint64_t const num_bytes : options_.segment_bytes) {
    areas_.push_back(allocate(shape_.area_bytes()));
    segments_.push_back(allocate(num_bytes));
  }
  if (options_.is_checked) {
    shadow_.emplace(options_.segment_bytes.size());
  }
}

SharedView ThreadWorld::view() {
  SharedView view;
  view.shape = shape_;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    view.areas.push_back(areas_[i].get());
    view.segments.push_back(segments_[i].get());
  }
  view.arrivals = reinterpret_cast<Arrivals*>(arrivals_.get());
  view.departures = reinterpret_cast<Departures*>(departures_.get());
  return view;
}

std::unique_ptr<Conduit> ThreadWorld::attach(int rank, std::vector<Handler> handlers) {
  auto const num_ranks = static_cast<int>(segments_.size());
  if (rank < 0 || rank >= num_ranks) {
    throw Error(
        ErrorCode::argument, formatted("expected a rank in 0 .. {}, got {}", num_ranks - 1, rank)
    );
  }
  require_handlers(handlers.size(), options_.num_handlers);
  std::lock_guard const lock(mutex_);
  if (is_attached_[static_cast<std::size_t>(rank)]) {
    throw Error(
        ErrorCode::argument, formatted("expected rank {} to attach once, got it again", rank)
    );
  }
  is_attached_[static_cast<std::size_t>(rank)] = true;
  if (shadow_) {
    return std::make_unique<CheckedConduit>(*this, *shadow_, rank, std::move(handlers));
  }
  return std::make_unique<ThreadConduit>(*this, rank, std::move(handlers));
}

ThreadConduit::ThreadConduit(ThreadWorld& world, int rank, std::vector<Handler> handlers)
    : MemoryConduit(
          {
              .rank = rank,
              .segment_bytes = world.options_.segment_bytes,
              .segment = world.segments_[static_cast<std::size_t>(rank)].get(),
              .max_medium_bytes = world.shape_.medium_bytes,
              .shares_processors = true,
              .handlers = std::move(handlers),
          },
          world.view()
      ),
      world_(world) {}

void ThreadConduit::look_around() {
  if (world_.is_stopped_.load(std::memory_order_acquire)) {
    throw Error(ErrorCode::unsupported, "expected all ranks to come, but one was stopped");
  }
}

}  // namespace espalier::onesided
