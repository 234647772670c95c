// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/flows.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace espalier::cost {

Flows::Flows(std::vector<double> bandwidths) {
  for (double const bandwidth : bandwidths) {
    lines_.push_back({.bandwidth = bandwidth, .users = {}});
  }
}

void Flows::begin(Id id, std::span<std::size_t const> lines, double bytes, double now) {
  now_ = now;
  ++num_under_way_;
  if (static_cast<std::size_t>(id) >= flows_.size()) {
    flows_.resize(static_cast<std::size_t>(id) + 1);
  }
  Flow& begun = flow(id);
  begun.bytes_left = bytes;
  begun.rate = 0;
  begun.since = now;
  begun.stops.clear();
  for (std::size_t const line : lines) {
    auto& users = lines_[line].users;
    auto const number = static_cast<std::uint32_t>(begun.stops.size());
    begun.stops.push_back({
        .line = static_cast<std::uint32_t>(line),
        .place = static_cast<std::uint32_t>(users.size()),
    });
    users.emplace_back(id, number);
    change(static_cast<std::uint32_t>(line));
  }
}

void Flows::change(std::uint32_t line) {
  if (!lines_[line].is_changed) {
    lines_[line].is_changed = true;
    changed_.push_back(line);
  }
}

double Flows::next_end() {
  update();
  while (!ends_.empty() && ends_.front().version != flow(ends_.front().id).version) {
    std::ranges::pop_heap(ends_, std::greater<>());
    ends_.pop_back();
  }
  return ends_.empty() ? std::numeric_limits<double>::infinity() : ends_.front().time;
}

Flows::Id Flows::end_next() {
  now_ = next_end();
  Id const id = ends_.front().id;
  --num_under_way_;
  Flow& ended = flow(id);
  ++ended.version;
  for (Stop const& stop : ended.stops) {
    leave(stop);
  }
  ended.stops.clear();
  return id;
}

/// The last user of the line takes the place.
void Flows::leave(Stop const& stop) {
  auto& users = lines_[stop.line].users;
  auto const [moved, number] = users.back();
  users[stop.place] = users.back();
  flow(moved).stops[number].place = stop.place;
  users.pop_back();
  change(stop.line);
}

void Flows::update() {
  for (std::uint32_t const line : changed_) {
    Line& changed = lines_[line];
    changed.is_changed = false;
    changed.share = changed.bandwidth / static_cast<double>(changed.users.size());
  }
  for (std::uint32_t const line : changed_) {
    for (auto const& [id, number] : lines_[line].users) {
      update(id, line);
    }
  }
  changed_.clear();
  if (ends_.size() > 2 * num_under_way_ + 4096) {
    forget_old_ends();
  }
}

void Flows::update(Id id, std::uint32_t changed) {
  Flow const& updated = flow(id);
  ++num_updates_;
  if (updated.rate == 0 || updated.narrowest == changed) {
    set_rate(id, narrowest_of(updated));
  } else if (lines_[changed].share < updated.rate) {
    set_rate(id, changed);
  }
}

void Flows::set_rate(Id id, std::uint32_t narrowest) {
  Flow& updated = flow(id);
  double const rate = lines_[narrowest].share;
  updated.narrowest = narrowest;
  if (rate == updated.rate) {
    return;
  }
  updated.bytes_left = std::max(0.0, updated.bytes_left - updated.rate * (now_ - updated.since));
  updated.since = now_;
  updated.rate = rate;
  ends_.push_back({.time = now_ + updated.bytes_left / rate, .id = id, .version = ++updated.version}
  );
  std::ranges::push_heap(ends_, std::greater<>());
}

std::uint32_t Flows::narrowest_of(Flow const& flow) const {
  auto const share_of = [this](Stop const& stop) { return lines_[stop.line].share; };
  return std::ranges::min_element(flow.stops, {}, share_of)->line;
}

void Flows::forget_old_ends() {
  std::erase_if(ends_, [this](End const& end) { return end.version != flow(end.id).version; });
  std::ranges::make_heap(ends_, std::greater<>());
}

}  // namespace espalier::cost
