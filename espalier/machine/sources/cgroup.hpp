// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

#include "espalier/machine/sources/cpu_set.hpp"

namespace espalier::machine {

/// What the control group of this process lets it have, and what surrounds it.
struct Confinement {
  CpuSet cpus;                ///< processors it may use; empty: not limited, or not known
  double cpu_quota = 0;       ///< processors' worth of time it is granted; 0: no limit known
  bool is_container = false;  ///< Docker, Podman, Singularity or Apptainer

  friend bool operator==(Confinement const&, Confinement const&) = default;
};

/// From control groups of version 1 or 2, a group and those around it.
/// @param root stands for `/`.
/// @throws Error format for a list of processors that is none.
[[nodiscard]] Confinement read_confinement(std::filesystem::path const& root = "/");

/// Confinement::cpu_quota alone. What cannot be read limits nobody that we know of.
/// @param root stands for `/`.
[[nodiscard]] double read_cpu_quota(std::filesystem::path const& root = "/");

}  // namespace espalier::machine
