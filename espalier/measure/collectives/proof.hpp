// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "espalier/measure/collectives/contender.hpp"
#include "espalier/measure/collectives/workload.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/pace.hpp"

namespace espalier::measure {

/// A contender that takes part in a point.
struct Entrant {
  std::string name;
  Contender const* contender;
};

/// What contender `choice` is, and why it is not timed.
struct Complaint {
  std::string choice;
  std::string reason;
  std::string text;
};

/// Proves entrants on contributions whose result is known, and leaves out those for which the time
/// of their point does not suffice, if its plan allows that.
///
///     root 0    native  A  B  C  D  E | the time is half over: F and G are left out
///               what each took         | the slowest are left out: C and E
///     root 5    native  A  B  D
class Proof {
public:
  /// Its time begins. Refers to job and workload.
  Proof(Job const& job, Workload& workload, Pace const& pace);

  /// Collective. Who is left out is no longer among the entrants.
  /// @param num_kept  the first ones are never left out
  /// @return what is wrong with one of them, the same on all ranks.
  /// @throws Error mpi
  std::optional<Complaint> run(std::vector<Entrant>& entrants, std::size_t num_kept);

  /// Of those that were left out, the same on all ranks.
  [[nodiscard]] std::vector<Complaint> const& left_out() const noexcept { return left_out_; }

  /// What entrants chose that decide themselves: `native` or a choice.
  [[nodiscard]] std::map<std::string, std::string> const& decided() const noexcept {
    return decided_;
  }

  /// The time of the point that is left, of which a proof takes half at most. Local.
  [[nodiscard]] double seconds_left() const;

private:
  std::optional<Complaint> run_from(int root, std::vector<Entrant>& entrants, bool is_first);
  [[nodiscard]] bool is_over() const;
  void leave_out_rest(std::vector<Entrant>& entrants, std::size_t first);
  void leave_out_slow(std::vector<Entrant>& entrants, std::size_t num_kept);
  std::string try_once(Entrant const& entrant, int root, std::vector<std::byte> const& expected);

  Job const* job_;
  Workload* workload_;
  Pace pace_;
  Clock::time_point start_;
  std::vector<double> seconds_;  ///< of each call so far, on this rank
  std::vector<Complaint> left_out_;
  std::map<std::string, std::string> decided_;
};

}  // namespace espalier::measure
