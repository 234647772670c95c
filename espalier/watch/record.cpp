// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/record.hpp"

#include <bit>

namespace espalier::watch {
namespace {

using Words = std::array<std::uint64_t, sizeof(Record) / sizeof(std::uint64_t)>;

/// How often a slot is looked at that differs between two looks.
constexpr int num_looks = 16;

bool is_settled(Slot const& first, Slot const& second) noexcept {
  return first == second && first.version % 2 == 0;
}

Activity activity_of(Slot const& slot) noexcept {
  return {
      .version = slot.version,
      .description = description_of(slot),
      .place = Place::from_word(slot.place),
      .since = static_cast<Time>(slot.since),
      .world_peer = static_cast<int>(slot.world_peer) - 1,
      .num_rounds = static_cast<int>(slot.num_rounds),
  };
}

void take_in(Findings& findings, std::size_t index, Slot const& slot) {
  if (slot.is_taken != 0 && slot.end == 0 && slot.version > 0) {
    findings.calls[index] = activity_of(slot);
  } else if (auto const end = static_cast<Time>(slot.end); end > 0) {
    if (!findings.last || findings.last->end < end) {
      auto const description = description_of(slot);
      findings.last = {.function = description.function.data(), .end = end};
    }
  }
}

}  // namespace

Slot* take_slot(Record& record) noexcept {
  for (Slot& slot : record.slots) {
    std::uint64_t expected = 0;
    if (load(slot.is_taken) == 0 &&
        std::atomic_ref(slot.is_taken)
            .compare_exchange_strong(expected, 1, std::memory_order_acquire)) {
      return &slot;
    }
  }
  return nullptr;
}

void enter(Slot& slot, Description const& description, Stage stage) noexcept {
  auto const words = std::bit_cast<decltype(Slot::description)>(description);
  std::uint64_t const version = load(slot.version);
  store(slot.version, version + 1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    store(slot.description[i], words[i]);
  }
  store(slot.place, Place{.stage = stage}.to_word());
  store(slot.since, static_cast<std::uint64_t>(description.begin));
  store(slot.world_peer, 0);
  store(slot.num_rounds, 0);
  store(slot.end, 0);
  store(slot.version, version + 2);
}

Description description_of(Slot const& slot) noexcept {
  return std::bit_cast<Description>(slot.description);
}

void leave(Slot& slot) noexcept {
  store(slot.end, static_cast<std::uint64_t>(now()));
  store(slot.is_taken, 0);
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
  std::array<bool, Record::num_slots> is_known{};
  std::size_t num_known = 0;
  for (int look = 0; look < num_looks && num_known < is_known.size(); ++look) {
    if (!copy(after)) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < is_known.size(); ++i) {
      if (!is_known[i] && is_settled(before.slots[i], after.slots[i])) {
        is_known[i] = true;
        ++num_known;
        take_in(findings, i, after.slots[i]);
      }
    }
    before = after;
  }
  findings.is_moving = num_known < is_known.size();
  findings.finished_since = static_cast<Time>(after.finished_since);
  return findings;
}

}  // namespace espalier::watch
