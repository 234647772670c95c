// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/flows.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace espalier::cost {

Flows::Flows(std::span<double const> bandwidths)
    : lines_(bandwidths.size()), shares_(bandwidths.begin(), bandwidths.end()),
      next_ends_(bandwidths.size()) {
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    lines_[line].bandwidth = bandwidths[line];
  }
}

void Flows::begin(Id id, std::span<std::size_t const> lines, double bytes, double now) {
  now_ = std::max(now_, now);
  std::uint32_t const number = take_flow();
  Flow& flow = flows_[number];
  flow.id = id;
  flow.narrowest = none;
  flow.ends_at = bytes;
  for (std::size_t const passed : lines) {
    auto const line = static_cast<std::uint32_t>(passed);
    auto& users = lines_[line].users;
    auto const stop = static_cast<std::uint32_t>(flow.stops.size());
    flow.stops.push_back({.line = line, .place = static_cast<std::uint32_t>(users.size())});
    users.push_back({.flow = number, .stop = stop});
    change(line);
  }
}

std::uint32_t Flows::take_flow() {
  if (free_flows_.empty()) {
    flows_.emplace_back();
    return static_cast<std::uint32_t>(flows_.size() - 1);
  }
  std::uint32_t const number = free_flows_.back();
  free_flows_.pop_back();
  return number;
}

void Flows::change(std::uint32_t line) {
  if (!lines_[line].is_changed) {
    lines_[line].is_changed = true;
    changed_.push_back(line);
  }
}

double Flows::next_end() {
  update();
  return next_ends_.time();
}

void Flows::end_until(double time, std::vector<Id>& ended) {
  auto const first = std::ssize(ended);
  while (next_ends_.time() <= time) {
    now_ = std::max(now_, next_ends_.time());
    auto const line = static_cast<std::uint32_t>(next_ends_.which());
    std::uint32_t const flow = lines_[line].ends.front().flow;
    ended.push_back(flows_[flow].id);
    remove(flow);
    find_next_end(line);
  }
  std::sort(ended.begin() + first, ended.end());
}

void Flows::remove(std::uint32_t flow) {
  Flow& removed = flows_[flow];
  ++removed.version;
  for (Stop const& stop : removed.stops) {
    leave(stop);
  }
  removed.stops.clear();
  free_flows_.push_back(flow);
}

/// The last user of the line takes the place.
void Flows::leave(Stop const& stop) {
  auto& users = lines_[stop.line].users;
  User const moved = users.back();
  users[stop.place] = moved;
  flows_[moved.flow].stops[moved.stop].place = stop.place;
  users.pop_back();
  change(stop.line);
}

void Flows::update() {
  for (std::uint32_t const line : changed_) {
    share_anew(line);
  }
  for (std::uint32_t const line : changed_) {
    look_at_users(line);
  }
  for (std::uint32_t const line : changed_) {
    find_next_end(line);
  }
  changed_.clear();
}

void Flows::share_anew(std::uint32_t line) {
  Line& changed = lines_[line];
  changed.counted = counted_now(line);
  changed.since = now_;
  changed.is_changed = false;
  auto const num_users = static_cast<double>(std::max<std::size_t>(1, changed.users.size()));
  double const share = changed.bandwidth / num_users;
  changed.has_risen = share > shares_[line];
  shares_[line] = share;
}

/// Some of them may be held up by another line now.
void Flows::look_at_users(std::uint32_t line) {
  double const share = shares_[line];
  for (User const& user : lines_[line].users) {
    Flow const& flow = flows_[user.flow];
    if (flow.narrowest == none) {
      hold_up(user.flow, narrowest_of(flow), flow.ends_at);
    } else if (flow.narrowest != line) {
      if (share < shares_[flow.narrowest]) {
        move(user.flow, line);
      }
    } else if (lines_[line].has_risen) {
      std::uint32_t const narrowest = narrowest_of(flow);
      if (shares_[narrowest] < share) {
        move(user.flow, narrowest);
      }
    }
  }
  num_updates_ += std::ssize(lines_[line].users);
}

void Flows::hold_up(std::uint32_t flow, std::uint32_t narrowest, double bytes_left) {
  Flow& held = flows_[flow];
  Line& line = lines_[narrowest];
  held.narrowest = narrowest;
  held.ends_at = counted_now(narrowest) + bytes_left;
  line.ends.push_back({.ends_at = held.ends_at, .flow = flow, .version = ++held.version});
  std::ranges::push_heap(line.ends, std::greater<>());
  if (line.ends.front().flow == flow) {
    find_next_end(narrowest);
  }
}

void Flows::move(std::uint32_t flow, std::uint32_t narrowest) {
  std::uint32_t const before = flows_[flow].narrowest;
  bool const was_first = lines_[before].ends.front().flow == flow;
  hold_up(flow, narrowest, std::max(0.0, flows_[flow].ends_at - counted_now(before)));
  if (was_first) {
    find_next_end(before);
  }
}

void Flows::find_next_end(std::uint32_t line) {
  Line& asked = lines_[line];
  forget_old_ends(asked);
  double time = std::numeric_limits<double>::infinity();
  if (!asked.ends.empty()) {
    double const bytes = std::max(0.0, asked.ends.front().ends_at - asked.counted);
    time = asked.since + bytes / shares_[line];
  }
  next_ends_.set(line, time);
}

void Flows::forget_old_ends(Line& line) {
  auto const is_old = [this](End const& end) { return end.version != flows_[end.flow].version; };
  while (!line.ends.empty() && is_old(line.ends.front())) {
    std::ranges::pop_heap(line.ends, std::greater<>());
    line.ends.pop_back();
  }
  if (line.ends.size() > 2 * line.users.size() + 64) {
    std::erase_if(line.ends, is_old);
    std::ranges::make_heap(line.ends, std::greater<>());
  }
}

std::uint32_t Flows::narrowest_of(Flow const& flow) const {
  auto const share_of = [this](Stop const& stop) { return shares_[stop.line]; };
  return std::ranges::min_element(flow.stops, {}, share_of)->line;
}

double Flows::counted_now(std::uint32_t line) const {
  return lines_[line].counted + shares_[line] * (now_ - lines_[line].since);
}

}  // namespace espalier::cost
