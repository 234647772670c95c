// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/executor_cache.hpp"

#include <algorithm>
#include <utility>

namespace espalier::plan {
std::size_t
ExecutorCache::position(ExecutorKey const& key, CountsKey const& counts) const noexcept {
  std::uint64_t const hash = hash_of(counts);
  std::size_t i = 0;
  while (i < keys_.size() &&
         !(keys_[i].key == key && keys_[i].hash == hash && entries_[i]->counts.equals(counts))) {
    ++i;
  }
  return i;
}

exec::MpiExecutor* ExecutorCache::find(ExecutorKey const& key, CountsKey const& counts) noexcept {
  std::size_t const i = position(key, counts);
  if (i == keys_.size()) {
    return nullptr;
  }
  keys_[i].last_use = ++clock_;
  return &entries_[i]->executor;
}

std::optional<exec::MpiExecutor>
ExecutorCache::take(ExecutorKey const& key, CountsKey const& counts) noexcept {
  std::size_t const i = position(key, counts);
  if (i == keys_.size()) {
    return std::nullopt;
  }
  std::optional<exec::MpiExecutor> executor(std::move(entries_[i]->executor));
  erase(i);
  return executor;
}

exec::MpiExecutor&
ExecutorCache::insert(ExecutorKey const& key, CountsKey const& counts, exec::MpiExecutor executor) {
  StoredCounts stored(counts);
  std::size_t const bytes =
      sizeof(Entry) + sizeof(Key) + stored.memory_bytes() + executor.memory_bytes();
  auto entry = std::make_unique<Entry>(
      Entry{.counts = std::move(stored), .executor = std::move(executor), .memory_bytes = bytes}
  );
  while (!keys_.empty() && (keys_.size() >= max_entries || entry_bytes_ + bytes > max_bytes)) {
    erase(least_recent());
  }
  keys_.reserve(keys_.size() + 1);
  entries_.push_back(std::move(entry));
  keys_.push_back({.key = key, .hash = hash_of(counts), .last_use = ++clock_});
  entry_bytes_ += bytes;
  return entries_.back()->executor;
}

void ExecutorCache::clear() noexcept {
  keys_.clear();
  entries_.clear();
  entry_bytes_ = 0;
}

std::size_t ExecutorCache::memory_bytes() const noexcept {
  return sizeof(*this) + entry_bytes_ + keys_.capacity() * sizeof(Key) +
         entries_.capacity() * sizeof(entries_[0]);
}

void ExecutorCache::erase(std::size_t index) noexcept {
  entry_bytes_ -= entries_[index]->memory_bytes;
  entries_[index] = std::move(entries_.back());
  entries_.pop_back();
  keys_[index] = keys_.back();
  keys_.pop_back();
}

std::size_t ExecutorCache::least_recent() const noexcept {
  auto const found = std::ranges::min_element(keys_, {}, &Key::last_use);
  return static_cast<std::size_t>(found - keys_.begin());
}

schedule::RankProgram const* ProgramCache::get(
    algorithms::Choice const& choice, profile::Call call, int num_ranks, int root, int rank
) {
  auto const found = std::ranges::find_if(entries_, [&](Entry const& entry) {
    return entry.choice == &choice && entry.call == call && entry.root == root;
  });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
  } else {
    bool const is_refused = !profile::refuses(call, choice, num_ranks, root).empty();
    entries_.push_front({
        .choice = &choice,
        .call = call,
        .root = root,
        .is_refused = is_refused,
        .program = is_refused ? schedule::RankProgram() : choice.generate(num_ranks, root, rank),
    });
    while (entries_.size() > 1 && (entries_.size() > max_entries || memory_bytes() > max_bytes)) {
      entries_.pop_back();
    }
  }
  Entry const& entry = entries_.front();
  return entry.is_refused ? nullptr : &entry.program;
}

std::size_t ProgramCache::memory_bytes() const noexcept {
  std::size_t total = sizeof(*this);
  for (Entry const& entry : entries_) {
    total += sizeof(Entry) + entry.program.memory_bytes();
  }
  return total;
}

}  // namespace espalier::plan
