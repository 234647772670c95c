// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/threads/shadow.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::onesided {
namespace {

char const* name_of(AccessKind kind) {
  switch (kind) {
  case AccessKind::put:
    return "put";
  case AccessKind::get:
    return "get";
  case AccessKind::raise:
    return "raise";
  }
  return "";
}

std::string text_of(int rank, Span const& span) {
  std::uint64_t const begin = span.remote.offset;
  return formatted(
      "a {} of rank {} at bytes {} .. {} of the segment of rank {}",
      name_of(span.kind),
      rank,
      begin,
      begin + span.num_bytes - 1,
      span.remote.rank
  );
}

/// Makes a stretch begin at a place, if one goes across it.
template <typename Stretches> void cut(Stretches& stretches, std::uint64_t place) {
  auto next = stretches.upper_bound(place);
  if (next == stretches.begin()) {
    return;
  }
  auto const found = std::prev(next);
  if (found->first < place && place < found->second.end) {
    stretches.emplace(place, found->second);
    found->second.end = place;
  }
}

/// Makes stretches cover begin .. end without gaps, cut at both ends.
template <typename Stretches>
void cover(Stretches& stretches, std::uint64_t begin, std::uint64_t end) {
  cut(stretches, begin);
  cut(stretches, end);
  for (std::uint64_t place = begin; place < end;) {
    auto const next = stretches.lower_bound(place);
    std::uint64_t const gap_end = next == stretches.end() ? end : std::min(next->first, end);
    if (place < gap_end) {
      stretches[place].end = gap_end;
      place = gap_end;
    } else {
      place = next->second.end;
    }
  }
}

}  // namespace

Shadow::Shadow(std::size_t num_ranks)
    : clocks_(num_ranks, Clock(num_ranks, 0)), segments_(num_ranks), open_(num_ranks),
      free_(num_ranks), barriers_{Clock(num_ranks, 0), Clock(num_ranks, 0)},
      num_notified_(num_ranks, 0) {
  for (std::size_t rank = 0; rank < num_ranks; ++rank) {
    clocks_[rank][rank] = 1;  // What nobody was told of yet is at a time that nobody knows.
  }
}

bool Shadow::is_ordered(Access const& earlier, int rank) const {
  Clock const& known = clocks_[static_cast<std::size_t>(rank)];
  return earlier.is_over && known[static_cast<std::size_t>(earlier.known_by)] >= earlier.time;
}

Shadow::Shared Shadow::check(int rank, Span const& span) {
  if (span.num_bytes == 0) {
    return nullptr;
  }
  auto access = std::make_shared<Access>(Access{.rank = rank, .span = span});
  Stretches& stretches = stretches_of(*access);
  cover(stretches, access->begin(), access->end());
  auto const last = stretches.lower_bound(access->end());
  for (auto it = stretches.lower_bound(access->begin()); it != last; ++it) {
    for (Shared const& earlier : it->second.accesses) {
      bool const is_harmless = earlier->span.kind == span.kind && span.kind != AccessKind::put;
      if (!is_harmless && !is_ordered(*earlier, rank)) {
        throw Error(
            ErrorCode::argument,
            formatted(
                "expected accesses that overlap to be ordered, got {} after {} with nothing "
                "between them",
                text_of(rank, span),
                text_of(earlier->rank, earlier->span)
            )
        );
      }
    }
  }
  return access;
}

/// What is ordered before a put need not be kept, nor a get before a get: whatever conflicts with
/// the earlier one, and is not ordered behind it, is not ordered behind the later one, either, and
/// conflicts with that.
void Shadow::keep(Shared const& access) {
  if (access == nullptr) {
    return;
  }
  AccessKind const kind = access->span.kind;
  Stretches& stretches = stretches_of(*access);
  auto const last = stretches.lower_bound(access->end());
  for (auto it = stretches.lower_bound(access->begin()); it != last; ++it) {
    std::erase_if(it->second.accesses, [&](Shared const& earlier) {
      return is_ordered(*earlier, access->rank) &&
             (kind == AccessKind::put || earlier->span.kind == kind);
    });
    it->second.accesses.push_back(access);
  }
}

void Shadow::close(Access& access, int rank) {
  access.is_over = true;
  access.known_by = rank;
  access.time = clock(rank)[static_cast<std::size_t>(rank)];
}

/// What the rank does from now on is not told.
void Shadow::tell(int rank, Clock& to) {
  Clock& own = clock(rank);
  to.resize(own.size(), 0);
  std::ranges::transform(own, to, to.begin(), [](auto a, auto b) { return std::max(a, b); });
  ++own[static_cast<std::size_t>(rank)];
}

void Shadow::learn(int rank, Clock const& from) {
  Clock& own = clock(rank);
  std::ranges::transform(own, from, own.begin(), [](auto a, auto b) { return std::max(a, b); });
}

void Shadow::learn(int rank, News& news) {
  learn(rank, news.clock);
  for (Shared const& access : news.accesses) {
    close(*access, rank);
  }
  news.accesses.clear();
}

Shadow::Ticket Shadow::begin(int rank, Span const& remote, std::optional<Span> const& local) {
  std::lock_guard const lock(mutex_);
  Operation operation{.remote = check(rank, remote), .local = nullptr};
  if (local) {
    operation.local = check(rank, *local);
  }
  keep(operation.remote);
  keep(operation.local);
  auto const own = static_cast<std::size_t>(rank);
  if (free_[own].empty()) {
    free_[own].push_back(static_cast<Ticket>(open_[own].size()));
    open_[own].emplace_back();
  }
  Ticket const ticket = free_[own].back();
  free_[own].pop_back();
  open_[own][ticket] = std::move(operation);
  return ticket;
}

void Shadow::end_local(int rank, Ticket ticket) {
  std::lock_guard const lock(mutex_);
  Operation& operation = open_[static_cast<std::size_t>(rank)][ticket];
  if (operation.local != nullptr) {
    close(*std::exchange(operation.local, nullptr), rank);
  }
}

void Shadow::end(int rank, Ticket ticket) {
  end_local(rank, ticket);
  std::lock_guard const lock(mutex_);
  auto const own = static_cast<std::size_t>(rank);
  close(*std::exchange(open_[own][ticket].remote, nullptr), rank);
  free_[own].push_back(ticket);
}

void Shadow::raise(int rank, Remote counter) {
  raise_after(rank, {}, counter);
}

void Shadow::raise_after(int rank, Span const& written, Remote counter) {
  std::lock_guard const lock(mutex_);
  Shared const data = check(rank, written);
  Shared const raised = check(rank, {AccessKind::raise, counter, counter_bytes});
  keep(data);
  keep(raised);
  close(*raised, rank);
  News& news = counters_[{counter.rank, counter.offset}];
  if (data != nullptr) {
    news.accesses.push_back(data);
  }
  tell(rank, news.clock);
}

void Shadow::look(int rank, std::uint64_t offset) {
  std::lock_guard const lock(mutex_);
  Remote const counter{.rank = rank, .offset = offset};
  auto const found = counters_.find({rank, offset});
  if (found != counters_.end()) {
    learn(rank, found->second);
  }
  Shared const access = check(rank, {AccessKind::raise, counter, counter_bytes});
  keep(access);
  close(*access, rank);
}

void Shadow::send(int rank, int to, bool is_reply, Span const& written) {
  std::lock_guard const lock(mutex_);
  Shared const data = check(rank, written);
  keep(data);
  News& news = messages_[{rank, to, is_reply}].emplace_back();
  if (data != nullptr) {
    news.accesses.push_back(data);
  }
  tell(rank, news.clock);
}

void Shadow::deliver(int rank, int source, bool is_reply) {
  std::lock_guard const lock(mutex_);
  auto& news = messages_[{source, rank, is_reply}];
  learn(rank, news.front());
  news.pop_front();
}

/// Barriers in turn: a rank may notify the next one while another one has yet to pass this one.
void Shadow::notify(int rank) {
  std::lock_guard const lock(mutex_);
  std::uint64_t const number = num_notified_[static_cast<std::size_t>(rank)]++;
  tell(rank, barriers_[number % 2]);
}

void Shadow::pass(int rank) {
  std::lock_guard const lock(mutex_);
  learn(rank, barriers_[(num_notified_[static_cast<std::size_t>(rank)] - 1) % 2]);
}

}  // namespace espalier::onesided
