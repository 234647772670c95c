// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/open_requests.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "espalier/mpi/handle_bits.hpp"

namespace espalier::plan {
namespace {

using Seconds = std::chrono::duration<double>;

class OpenRequest {
public:
  /// @param number  of the call, among all that were counted
  OpenRequest(
      std::uint64_t number, std::shared_ptr<Completions> counts, std::shared_ptr<Completions> others
  )
      : number_(number), counts_(std::move(counts)), others_(std::move(others)) {}

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  /// Counts a function that was to complete the request, and did or did not.
  /// @param waited  the share of this request
  void count(bool is_complete, Seconds elapsed, Seconds waited, Clock::time_point now) noexcept {
    in_functions_ += elapsed;
    Completed one{.waiting_seconds = waited.count()};
    if (is_complete) {
      one.count = 1;
      one.work_seconds = Seconds(now - start_ - in_functions_).count();
    } else {
      one.num_tests = 1;
    }
    if (counts_ != nullptr) {
      counts_->add(one);
    }
    if (others_ != nullptr) {
      others_->add(one);
    }
  }

private:
  std::uint64_t number_;
  std::shared_ptr<Completions> counts_;  ///< null: nobody counts
  std::shared_ptr<Completions> others_;  ///< the same
  Clock::time_point start_ = Clock::now();
  Seconds in_functions_{0};
};

struct All {
  std::mutex mutex;  ///< guards what follows
  std::unordered_map<std::uint64_t, OpenRequest> requests;
  std::uint64_t num_calls = 0;
};

/// Made on first use. Never destroyed: what runs at exit needs it.
All& all() {
  static All* const made = std::make_unique<All>().release();
  return *made;
}

}  // namespace

constinit std::atomic<std::size_t> OpenRequests::num_requests{0};

/// A handle that is there already belongs to a request that the program freed.
void OpenRequests::add(
    MPI_Request request, std::shared_ptr<Completions> counts, std::shared_ptr<Completions> others
) {
  All& open = all();
  std::lock_guard const lock(open.mutex);
  open.requests.insert_or_assign(
      mpi::bits_of(request), OpenRequest(++open.num_calls, std::move(counts), std::move(others))
  );
  num_requests.store(open.requests.size(), std::memory_order_relaxed);
}

void OpenRequests::close() noexcept {
  All& open = all();
  std::lock_guard const lock(open.mutex);
  open.requests.clear();
  num_requests.store(0, std::memory_order_relaxed);
}

Completing::Completing(std::span<MPI_Request const> requests) : requests_(requests) {
  All& open = all();
  {
    std::lock_guard const lock(open.mutex);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto const place = open.requests.find(mpi::bits_of(requests[i]));
      if (place != open.requests.end()) {
        found_.push_back({.position = i, .request = requests[i], .number = place->second.number()});
      }
    }
  }
  begin_ = Clock::now();
}

void Completing::end() {
  if (found_.empty()) {
    return;
  }
  Clock::time_point const now = Clock::now();
  Seconds const elapsed = now - begin_;
  Seconds const share = elapsed / static_cast<double>(found_.size());
  All& open = all();
  std::lock_guard const lock(open.mutex);
  for (Found const& found : found_) {
    auto const place = open.requests.find(mpi::bits_of(found.request));
    if (place == open.requests.end() || place->second.number() != found.number) {
      continue;
    }
    bool const is_complete = requests_[found.position] != found.request;
    place->second.count(is_complete, elapsed, share, now);
    if (is_complete) {
      open.requests.erase(place);
    }
  }
  OpenRequests::num_requests.store(open.requests.size(), std::memory_order_relaxed);
}

}  // namespace espalier::plan
