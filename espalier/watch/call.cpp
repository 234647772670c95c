// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/call.hpp"

#include <algorithm>
#include <array>

namespace espalier::watch {
namespace {

template <std::size_t Size>
void set(std::array<char, Size>& text, std::string_view value) noexcept {
  std::copy_n(value.data(), std::min(value.size(), Size - 1), text.data());
}

}  // namespace

namespace detail {
constinit thread_local Beacon* current = nullptr;
}  // namespace detail

Description describe(What const& what, Members const& members) noexcept {
  Description description{
      .begin = now(),
      .bytes = what.bytes,
      .num_ranks = members.num_ranks,
      .rank = members.rank,
      .has_world_ranks = members.has_world_ranks ? 1 : 0,
  };
  set(description.function, what.function);
  set(description.algorithm, what.algorithm);
  set(description.communicator, members.name);
  return description;
}

void Beacon::set_algorithm(std::string_view algorithm) noexcept {
  auto description = description_of(slot_);
  description.algorithm = {};
  set(description.algorithm, algorithm);
  enter(slot_, description, Stage::starting);
}

Call::Call(Record& record, Members const& members, What const& what) noexcept
    : slot_(take_slot(record)) {
  if (slot_ == nullptr) {
    return;
  }
  enter(*slot_, describe(what, members), what.algorithm.empty() ? Stage::native : Stage::starting);
  beacon_.emplace(*slot_, members);
  outer_ = detail::current;
  detail::current = &*beacon_;
}

Call::~Call() {
  if (slot_ != nullptr) {
    detail::current = outer_;
    leave(*slot_);
  }
}

void Call::hand_over() noexcept {
  if (beacon_) {
    beacon_->wait_at(Place{.stage = Stage::native});
  }
}

}  // namespace espalier::watch
