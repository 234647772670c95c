// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "espalier/exec/node/mpi_node.hpp"
#include "espalier/measure/collectives/measurement_plan.hpp"
#include "espalier/measure/collectives/workload.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/plan/session.hpp"

namespace espalier::measure {

/// One way to make a call: the native one, or a choice in a session of its own, so that candidates
/// do not push each other out of caches that a program with one choice has for itself; or what a
/// session with a profile does.
class Contender {
public:
  /// The native call.
  Contender() = default;
  /// For calls on `world.comm`. Collective over it. @throws Error mpi.
  Contender(plan::Settings settings, plan::Session::World world);
  Contender(Contender const&) = delete;
  Contender& operator=(Contender const&) = delete;
  Contender(Contender&&) noexcept = default;
  Contender& operator=(Contender&&) noexcept = default;
  ~Contender() = default;

  [[nodiscard]] Ran run(Workload& workload, int root) const {
    return session_ ? workload.run_ours(*session_, root) : Ran{.code = workload.run_native(root)};
  }

  /// As plan::Session::refuses(); empty for the native call.
  [[nodiscard]] std::string refuses(profile::CallForm call, std::string const& choice) const;

  /// Collective; before MPI_Finalize.
  void finish() noexcept;

private:
  std::unique_ptr<plan::Session> session_;
};

/// Contenders by name, kept from point to point.
class Contenders {
public:
  /// What makes the MPI library move nonblocking calls on, see plan::Session::World.
  using FollowProgress = decltype(plan::Session::World::follow_progress);

  /// Collective. The job has to outlive this.
  /// @param profiles file by name, for choices `profile/<name>`.
  /// @param follow  null if no nonblocking calls are measured, or the library cannot; then they are
  ///     native. On all ranks or on none.
  explicit Contenders(
      Job const& job, std::map<std::string, std::string> profiles = {}, FollowProgress follow = {}
  );

  /// Why a choice cannot be measured here, the same on all ranks; empty if it can. Collective over
  /// the job, as only the MPI library knows which of its algorithms it has.
  [[nodiscard]] std::string refuses(profile::CallForm call, std::string const& choice);
  /// `native` or a choice that is not refused. Collective over the job for a profile: rank 0 reads
  /// the file.
  /// @throws Error io, format, with the name of the file.
  [[nodiscard]] Contender const& get(profile::CallForm call, std::string const& choice);
  /// Collective; before MPI_Finalize.
  void finish() noexcept;

private:
  [[nodiscard]] Contender make(profile::CallForm call, std::string const& choice);
  [[nodiscard]] Contender of_profile(std::string const& path);
  /// What a session with these settings is told of the job.
  [[nodiscard]] plan::Session::World
  world(plan::Settings const& settings, std::vector<int> node_of_rank);
  /// What all contenders share that may use it, made for the first of them; null for others.
  [[nodiscard]] std::shared_ptr<exec::node::Node> memory_for(plan::Settings const& settings);

  Job const* job_;
  std::map<std::string, std::string> profiles_;
  FollowProgress follow_;
  std::vector<int> node_of_rank_;  ///< empty if no profile is measured
  std::shared_ptr<exec::node::Node> node_;
  std::map<std::string, Contender> contenders_;
};

}  // namespace espalier::measure
