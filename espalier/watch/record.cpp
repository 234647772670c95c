// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/record.hpp"

#include <bit>

namespace espalier::watch {
namespace {

using Words = std::array<std::uint64_t, sizeof(Record) / sizeof(std::uint64_t)>;

/// How often an entry is looked at that differs between two looks.
constexpr int num_looks = 16;

bool is_settled(CallEntry const& first, CallEntry const& second) noexcept {
  return first == second && first.version % 2 == 0;
}

Activity activity_of(CallEntry const& entry) noexcept {
  return {
      .version = entry.version,
      .description = description_of(entry),
      .wait = Wait::from_word(entry.wait),
      .since = static_cast<Time>(entry.since),
      .world_peer = static_cast<int>(entry.world_peer) - 1,
      .num_rounds = static_cast<int>(entry.num_rounds),
  };
}

void take_in(Findings& findings, std::size_t index, CallEntry const& entry) {
  if (entry.is_taken != 0 && entry.end == 0 && entry.version > 0) {
    findings.calls[index] = activity_of(entry);
  } else if (auto const end = static_cast<Time>(entry.end); end > 0) {
    if (!findings.last || findings.last->end < end) {
      auto const description = description_of(entry);
      findings.last = {.function = description.function.data(), .end = end};
    }
  }
}

}  // namespace

CallEntry* take_entry(Record& record) noexcept {
  for (CallEntry& entry : record.entries) {
    std::uint64_t expected = 0;
    if (load(entry.is_taken) == 0 &&
        std::atomic_ref(entry.is_taken)
            .compare_exchange_strong(expected, 1, std::memory_order_acquire)) {
      return &entry;
    }
  }
  return nullptr;
}

void enter(CallEntry& entry, Description const& description, Stage stage) noexcept {
  auto const words = std::bit_cast<decltype(CallEntry::description)>(description);
  std::uint64_t const version = load(entry.version);
  store(entry.version, version + 1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    store(entry.description[i], words[i]);
  }
  store(entry.wait, Wait{.stage = stage}.to_word());
  store(entry.since, static_cast<std::uint64_t>(description.begin));
  store(entry.world_peer, 0);
  store(entry.num_rounds, 0);
  store(entry.end, 0);
  store(entry.version, version + 2);
}

Description description_of(CallEntry const& entry) noexcept {
  return std::bit_cast<Description>(entry.description);
}

void leave(CallEntry& entry) noexcept {
  store(entry.end, static_cast<std::uint64_t>(now()));
  store(entry.is_taken, 0);
}

void copy_words(Record& from, Record& to) noexcept {
  static_assert(sizeof(Words) == sizeof(Record));
  auto* const source = reinterpret_cast<std::uint64_t*>(&from);
  Words words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = load(source[i]);
  }
  to = std::bit_cast<Record>(words);
}

bool Findings::is_in_call() const noexcept {
  for (auto const& call : calls) {
    if (call) {
      return true;
    }
  }
  return false;
}

std::optional<Findings> look_at(Copy const& copy) {
  Record before;
  Record after;
  if (!copy(before) || before.magic != Record::expected_magic) {
    return std::nullopt;
  }
  Findings findings;
  std::array<bool, Record::num_entries> is_known{};
  std::size_t num_known = 0;
  for (int look = 0; look < num_looks && num_known < is_known.size(); ++look) {
    if (!copy(after)) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < is_known.size(); ++i) {
      if (!is_known[i] && is_settled(before.entries[i], after.entries[i])) {
        is_known[i] = true;
        ++num_known;
        take_in(findings, i, after.entries[i]);
      }
    }
    before = after;
  }
  findings.is_moving = num_known < is_known.size();
  findings.finished_since = static_cast<Time>(after.finished_since);
  return findings;
}

}  // namespace espalier::watch
