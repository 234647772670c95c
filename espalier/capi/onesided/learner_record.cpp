// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/learner_record.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "espalier/onesided/handle.hpp"
#include "espalier/onesided/remote.hpp"

namespace espalier::capi {

std::uint64_t LearnerRecord::count_first(bool learns) {
  ask();
  if (learns) {
    open_ = num_starts_ + 1;
    write(begins + num_begun_++ % 2, open_);
  }
  count();
  return num_starts_;
}

void LearnerRecord::count() {
  write(starts, ++num_starts_);
}

std::optional<int> LearnerRecord::other(std::uint64_t begin) {
  if (open_ == begin) {
    ask();
  }
  auto const found = std::ranges::find(outcomes_, begin, &Outcome::begin);
  if (found == outcomes_.end()) {
    return std::nullopt;
  }
  int const result = found->other;
  outcomes_.erase(found);
  return result;
}

bool LearnerRecord::is_lonely(std::uint64_t begin) const {
  return conduit_->conduit->counter(offset_of(lonely)) == begin;
}

std::uint64_t LearnerRecord::offset_of(std::uint64_t word) const noexcept {
  return offset_ + word * sizeof(std::uint64_t);
}

void LearnerRecord::write(std::uint64_t word, std::uint64_t value) {
  std::byte* const place = conduit_->conduit->segment().data() + offset_of(word);
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place)).store(value, std::memory_order_release);
}

/// Gets two words of all members, again from those of whom it does not suffice yet. What is
/// underway goes on.
void LearnerRecord::read(std::uint64_t word, std::function<bool(Words const&)> const& is_enough) {
  onesided::Conduit& conduit = *conduit_->conduit;
  auto const num_ranks = static_cast<std::size_t>(team_->num_ranks());
  words_.assign(num_ranks, {});
  std::vector<onesided::Handle> handles(num_ranks);
  std::vector<bool> is_read(num_ranks);
  auto const has_read = [&](std::size_t rank) {
    if (is_read[rank]) {
      return true;
    }
    if (!handles[rank].is_open()) {
      int const from = team_->conduit_rank(static_cast<int>(rank));
      handles[rank] = conduit.start_get(
          words_[rank].data(), {.rank = from, .offset = offset_of(word)}, sizeof(Words)
      );
    }
    is_read[rank] = conduit.test(handles[rank]) && is_enough(words_[rank]);
    return bool{is_read[rank]};
  };
  conduit_->wait([&] {
    bool is_over = true;
    for (std::size_t rank = 0; rank < num_ranks; ++rank) {
      is_over = has_read(rank) && is_over;
    }
    return is_over;
  });
}

void LearnerRecord::ask() {
  if (open_ == 0) {
    return;
  }
  std::uint64_t const begin = open_;
  read(starts, [begin](Words const& words) { return words[0] >= begin; });
  // Once more, as what is read at once may have been written in another order.
  read(begins, [](Words const&) { return true; });
  open_ = 0;
  std::optional<int> other;
  for (int rank = team_->num_ranks() - 1; rank >= 0; --rank) {
    if (std::ranges::count(words_[static_cast<std::size_t>(rank)], begin) > 0) {
      continue;
    }
    other = rank;
    conduit_->conduit->put(
        {.rank = team_->conduit_rank(rank), .offset = offset_of(lonely)}, &begin, sizeof begin
    );
  }
  if (other) {
    outcomes_.push_back({.begin = begin, .other = *other});
  }
}

}  // namespace espalier::capi
