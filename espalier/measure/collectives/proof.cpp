// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/proof.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "espalier/measure/common/affordable.hpp"
#include "espalier/measure/common/own_collectives.hpp"
#include "espalier/measure/common/start_barrier.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

/// Tried even if the time is over, and then so many at a time.
constexpr std::size_t least_tried = 8;
/// What the timer makes of each entrant at least: an untimed call, and three that are timed.
constexpr int least_calls = 4;
constexpr double share_of_proof = 0.5;

std::uint32_t stamp_of(int root) noexcept {
  return static_cast<std::uint32_t>(root) + 1;
}

Complaint slow(Entrant const& entrant, std::string text) {
  return {.choice = entrant.name, .reason = "slow", .text = std::move(text)};
}

/// `0.27 s`.
std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g s", seconds);
  return text.data();
}

}  // namespace

Proof::Proof(Job const& job, Workload& workload, Pace const& pace)
    : job_(&job), workload_(&workload), pace_(pace), start_(Clock::now()) {}

double Proof::seconds_left() const {
  return pace_.seconds - std::min(seconds_since(start_), share_of_proof * pace_.seconds);
}

std::optional<Complaint> Proof::run(std::vector<Entrant>& entrants, std::size_t num_kept) {
  bool is_first = true;
  for (int const root : workload_->roots()) {
    if (auto complaint = run_from(root, entrants, is_first)) {
      return complaint;
    }
    if (is_first && pace_.leaves_out_slow) {
      leave_out_slow(entrants, num_kept);
    }
    is_first = false;
  }
  return std::nullopt;
}

/// Each once; from the first root as far as there is time.
std::optional<Complaint> Proof::run_from(int root, std::vector<Entrant>& entrants, bool is_first) {
  std::vector<std::byte> const expected = workload_->expected(root, stamp_of(root));
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    bool const may_end = is_first && pace_.leaves_out_slow && i > 0 && i % least_tried == 0;
    if (may_end && is_over()) {
      leave_out_rest(entrants, i);
      break;
    }
    std::string text = first_complaint(*job_, try_once(entrants[i], root, expected));
    if (!text.empty()) {
      return Complaint{.choice = entrants[i].name, .reason = "wrong", .text = std::move(text)};
    }
  }
  return std::nullopt;
}

/// Whether the proof took its share of the time, the same on all ranks.
bool Proof::is_over() const {
  return !is_time_left(*job_, share_of_proof * pace_.seconds - seconds_since(start_));
}

void Proof::leave_out_rest(std::vector<Entrant>& entrants, std::size_t first) {
  auto const rest = entrants.begin() + static_cast<std::ptrdiff_t>(first);
  for (auto entrant = rest; entrant != entrants.end(); ++entrant) {
    left_out_.push_back(slow(*entrant, "the time was over before its first call"));
  }
  entrants.erase(rest, entrants.end());
}

void Proof::leave_out_slow(std::vector<Entrant>& entrants, std::size_t num_kept) {
  std::vector<double> slowest_rank = seconds_;
  auto const count = static_cast<int>(slowest_rank.size());
  combine_for_all(slowest_rank.data(), count, MPI_DOUBLE, MPI_MAX, job_->comm);
  double seconds = seconds_left();
  broadcast(&seconds, sizeof seconds, 0, job_->comm);
  Affordable const affordable{
      .seconds = seconds, .calls_of_each = least_calls, .num_kept = num_kept
  };
  double const fastest = *std::ranges::min_element(slowest_rank);
  std::vector<Entrant> kept;
  std::vector<std::size_t> const positions = affordable.of(slowest_rank);
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    if (std::ranges::binary_search(positions, i)) {
      kept.push_back(std::move(entrants[i]));
    } else {
      left_out_.push_back(slow(
          entrants[i],
          "its first call took " + seconds_text(slowest_rank[i]) + ", the fastest " +
              seconds_text(fastest)
      ));
    }
  }
  entrants = std::move(kept);
}

/// What differs from the expected result, empty if nothing.
std::string
Proof::try_once(Entrant const& entrant, int root, std::vector<std::byte> const& expected) {
  workload_->fill(root, stamp_of(root));
  // A rank that is early must not meet messages of the call before.
  mpi::require_success(start_barrier(job_->comm), "barrier");
  auto const begin = Clock::now();
  Ran const ran = entrant.contender->run(*workload_, root);
  seconds_.push_back(seconds_since(begin));
  if (entrant.name.starts_with(profile_prefix)) {
    bool const is_ours = ran.decision != nullptr && ran.decision->choice;
    decided_[entrant.name] = is_ours ? ran.decision->choice->text() : "native";
  }
  if (ran.code != MPI_SUCCESS) {
    return "expected the call to succeed, got MPI error code " + std::to_string(ran.code);
  }
  if (!workload_->has_result(root)) {
    return {};
  }
  std::string const difference = Workload::difference(expected, workload_->guarded_result());
  return difference.empty() ? "" : difference + " (root " + std::to_string(root) + ")";
}

}  // namespace espalier::measure
