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
  auto description = description_of(entry_);
  description.algorithm = {};
  set(description.algorithm, algorithm);
  enter(entry_, description, Stage::starting);
}

Call::Call(Record& record, Members const& members, What const& what) noexcept
    : entry_(take_entry(record)) {
  if (entry_ == nullptr) {
    return;
  }
  enter(*entry_, describe(what, members), what.algorithm.empty() ? Stage::native : Stage::starting);
  beacon_.emplace(*entry_, members);
  outer_ = detail::current;
  detail::current = &*beacon_;
}

Call::~Call() {
  if (entry_ != nullptr) {
    detail::current = outer_;
    leave(*entry_);
  }
}

void Call::hand_over() noexcept {
  if (beacon_) {
    beacon_->wait_at(Wait{.stage = Stage::native});
  }
}

}  // namespace espalier::watch
