// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/recorder.hpp"

#include <bit>
#include <limits>
#include <utility>

namespace espalier::plan {

std::size_t size_class(std::int64_t bytes) noexcept {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)));
}

std::int64_t min_bytes_of(std::size_t size_class) noexcept {
  return size_class == 0 ? 0 : std::int64_t{1} << (size_class - 1);
}

std::int64_t max_bytes_of(std::size_t size_class) noexcept {
  return size_class >= 63 ? std::numeric_limits<std::int64_t>::max()
                          : (std::int64_t{1} << size_class) - 1;
}

void Counter::add(Counter const& other) noexcept {
  count += other.count;
  bytes += other.bytes;
  seconds += other.seconds;
}

Recorder::Recorder() {
  for (auto& classes : latest_) {
    classes.fill(-1);
  }
}

Recorder::Row& Recorder::record(
    profile::Call call,
    std::int64_t bytes,
    profile::Decision const& decision,
    double seconds,
    Manner manner,
    std::int64_t own_bytes
) {
  std::size_t const position = size_class(bytes);
  std::int32_t const latest = latest_[profile::index_of(call)][position];
  Counter const one{.count = 1, .bytes = bytes + own_bytes, .seconds = seconds};
  if (latest >= 0) {
    Row& row = rows_[static_cast<std::size_t>(latest)];
    if (row.decision == &decision && row.manner == manner) [[likely]] {
      row.counter.add(one);
      return row;
    }
  }
  Row& row = row_of(call, position, decision, manner);
  row.counter.add(one);
  return row;
}

/// Looks behind the row used last first: a program that goes round its roots comes there next.
Recorder::Row& Recorder::row_of(
    profile::Call call, std::size_t position, profile::Decision const& decision, Manner manner
) {
  std::int32_t& latest = latest_[profile::index_of(call)][position];
  auto const number = static_cast<std::uint32_t>(rows_.size());
  std::uint32_t next = number;
  if (latest >= 0) {
    auto const last = static_cast<std::uint32_t>(latest);
    std::size_t num_manners = 0;
    std::uint32_t i = last;
    do {
      i = rows_[i].next;
      if (rows_[i].decision == &decision) {
        if (rows_[i].manner == manner) {
          latest = static_cast<std::int32_t>(i);
          return rows_[i];
        }
        ++num_manners;
      }
    } while (i != last);
    if (num_manners >= most_manners && manner != Manner::others()) {
      return row_of(call, position, decision, Manner::others());
    }
    next = std::exchange(rows_[last].next, number);
  }
  latest = static_cast<std::int32_t>(number);
  rows_.push_back(
      {.call = call, .size_class = position, .decision = &decision, .manner = manner, .next = next}
  );
  return rows_.back();
}

std::size_t Recorder::memory_bytes() const noexcept {
  std::size_t total = sizeof(*this) + rows_.capacity() * sizeof(Row);
  for (Row const& row : rows_) {
    if (row.parts != nullptr) {
      total += sizeof(PartSizes) + row.parts->bytes.capacity() * sizeof(std::int64_t);
    }
    total += row.completions != nullptr ? sizeof(Completions) : 0;
  }
  return total;
}

}  // namespace espalier::plan
