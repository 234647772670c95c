// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/team/scratch_space.hpp"

#include <cstring>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/onesided/lines.hpp"

namespace espalier::onesided {
namespace {

/// Of a half, one part in so many is for counters: messages of few bytes have a counter each.
constexpr std::uint64_t share_of_counters = 8;

}  // namespace

ScratchSpace::ScratchSpace(Conduit& conduit, std::span<int const> members, int rank, Region region)
    : conduit_(conduit), members_(members), rank_(rank), region_(region) {
  while (std::size_t{1} << num_steps_ < members.size()) {
    ++num_steps_;
  }
  std::uint64_t const drain = drain_bytes();
  std::uint64_t const least = drain + 4 * line_bytes;
  if (region.offset % line_bytes != 0 || region.num_bytes < least) {
    throw Error(
        ErrorCode::argument,
        "expected scratch space of at least " + std::to_string(least) + " bytes at a multiple of " +
            std::to_string(line_bytes) + ", got " + std::to_string(region.num_bytes) +
            " bytes at " + std::to_string(region.offset)
    );
  }
  std::uint64_t const half = (region.num_bytes - drain) / 2 / line_bytes * line_bytes;
  room_.counters = whole_lines(half / share_of_counters);
  room_.scratch = half - room_.counters;
}

ScratchSpace::ScratchBytes ScratchSpace::bytes_of(ScratchNeed need) noexcept {
  return {
      .counters = whole_lines(need.num_counters * counter_bytes),
      .scratch = whole_lines(need.scratch_bytes),
  };
}

std::string ScratchSpace::refusal(ScratchNeed need) const {
  ScratchBytes const wanted = bytes_of(need);
  if (wanted.counters <= room_.counters && wanted.scratch <= room_.scratch) {
    return {};
  }
  return "the collective needs " + std::to_string(wanted.counters) + " bytes for counters and " +
         std::to_string(wanted.scratch) + " bytes of scratch memory, and one may have " +
         std::to_string(room_.counters) + " and " + std::to_string(room_.scratch) +
         "; give the team a larger region";
}

Lease ScratchSpace::lease(ScratchNeed need) {
  if (std::string const reason = refusal(need); !reason.empty()) {
    throw Error(ErrorCode::argument, reason);
  }
  ScratchBytes const wanted = bytes_of(need);
  bool const is_full = used_.counters + wanted.counters > room_.counters ||
                       used_.scratch + wanted.scratch > room_.scratch;
  if (is_full) {
    ++generation_;
    used_ = {};
    num_leases_.push_back(0);
  }
  std::uint64_t const half =
      region_.offset + drain_bytes() + generation_ % 2 * (room_.counters + room_.scratch);
  Lease const lease{
      .places =
          {.scratch = half + room_.counters + used_.scratch, .counters = half + used_.counters},
      .num_counters = need.num_counters,
      .generation = generation_,
  };
  used_.counters += wanted.counters;
  used_.scratch += wanted.scratch;
  ++num_leases_.back();
  return lease;
}

bool ScratchSpace::is_free(Lease const& lease) const noexcept {
  return lease.generation <= num_drained_ + 1;
}

/// All that raise the counters of this rank have done so: each was awaited at all of its raises.
void ScratchSpace::give_back(Lease const& lease) {
  std::memset(
      conduit_.segment().data() + lease.places.counters, 0, lease.num_counters * counter_bytes
  );
  --num_leases_[lease.generation - num_drained_];
}

void ScratchSpace::progress() {
  while (num_drained_ < generation_ && num_leases_.front() == 0 && advance_drain()) {
    ++num_drained_;
    num_leases_.pop_front();
    step_ = 0;
  }
}

/// The last generation drains when one after it begins, as any other does. Its signals are the last
/// ones that come to this rank, and it awaits all of them.
void ScratchSpace::close() {
  is_closing_ = true;
  ++generation_;
  num_leases_.push_back(0);
}

/// True when all ranks have said that the oldest generation is over for them. One rank raises the
/// counter of a step, once for each generation.
bool ScratchSpace::advance_drain() {
  for (; step_ < num_steps_; ++step_) {
    if (!has_signalled_) {
      int const to = wrap(rank_ + (std::int64_t{1} << step_), static_cast<int>(members_.size()));
      has_signalled_ = conduit_.begin_signal({
          .rank = members_[static_cast<std::size_t>(to)],
          .offset = counter_of_step(step_),
      });
    }
    if (!has_signalled_) {
      return false;
    }
    if (conduit_.counter(counter_of_step(step_)) <= num_drained_) {
      return false;
    }
    has_signalled_ = false;
  }
  return true;
}

std::uint64_t ScratchSpace::drain_bytes() const noexcept {
  return whole_lines(num_steps_ * counter_bytes);
}

std::uint64_t ScratchSpace::counter_of_step(std::size_t step) const noexcept {
  return region_.offset + step * counter_bytes;
}

}  // namespace espalier::onesided
