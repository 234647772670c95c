// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <memory>
#include <string>

#include "espalier/measure/job.hpp"
#include "espalier/measure/workload.hpp"
#include "espalier/plan/session.hpp"

namespace espalier::measure {

/// One way to make a call: the native one, or a choice in a session of its own, so that candidates
/// do not push each other out of caches that a program with one choice has for itself.
class Contender {
public:
  /// The native call.
  Contender() = default;
  /// @param choice `allgather/bruck`
  Contender(tune::Call call, std::string const& choice, Job const& job);
  Contender(Contender const&) = delete;
  Contender& operator=(Contender const&) = delete;
  Contender(Contender&&) noexcept = default;
  Contender& operator=(Contender&&) noexcept = default;
  ~Contender() = default;

  [[nodiscard]] int run(Workload& workload, int root) const {
    return session_ ? workload.run_ours(*session_, root) : workload.run_native(root);
  }

  /// Collective; before MPI_Finalize.
  void finish() noexcept;

private:
  std::unique_ptr<plan::Session> session_;
};

/// Contenders by name, kept from point to point.
class Contenders {
public:
  explicit Contenders(Job const& job) : job_(&job) {}

  /// Why a choice cannot be measured here, the same on all ranks; empty if it can.
  [[nodiscard]] std::string refuses(tune::Call call, std::string const& choice) const;
  /// `native` or a choice that is not refused.
  [[nodiscard]] Contender const& get(tune::Call call, std::string const& choice);
  /// Collective; before MPI_Finalize.
  void finish() noexcept;

private:
  Job const* job_;
  std::map<std::string, Contender> contenders_;
};

}  // namespace espalier::measure
