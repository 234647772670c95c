// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/occupancy.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <system_error>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/cgroup.hpp"
#include "espalier/machine/sources/cpu_set.hpp"
#include "espalier/machine/text/file_text.hpp"

namespace espalier::machine {
namespace {

/// 0 if the system does not say.
int count_online(std::filesystem::path const& root) {
  std::ifstream file(root / "sys/devices/system/cpu/online");
  std::string list;
  file >> list;
  try {
    return CpuSet::parse(list).size();
  } catch (Error const&) {
    return 0;
  }
}

/// The ranks of one kernel.
struct Kernel {
  int num_ranks = 0;
  int num_online = 0;
  std::map<std::uint64_t, int> sizes;      ///< of different sets
  std::map<std::uint64_t, double> quotas;  ///< of control groups; 0: no limit known

  [[nodiscard]] Occupancy occupancy() const {
    int num_processors = 0;
    for (auto const& [set, size] : sizes) {
      num_processors += size;
    }
    if (num_online > 0) {
      num_processors = std::min(num_processors, num_online);
    }
    return {.num_ranks = num_ranks, .num_processors = std::min(num_processors, num_granted())};
  }

private:
  /// Rounded up.
  [[nodiscard]] int num_granted() const {
    double granted = 0;
    for (auto const& [group, quota] : quotas) {
      if (quota <= 0) {
        return std::numeric_limits<int>::max();
      }
      granted += quota;
    }
    return static_cast<int>(std::ceil(std::min(granted, 1e9)));
  }
};

bool is_fuller(Occupancy const& one, Occupancy const& other) {
  return std::int64_t{one.num_ranks} * other.num_processors >
         std::int64_t{other.num_ranks} * one.num_processors;
}

}  // namespace

std::string kernel_id(std::filesystem::path const& root) {
  std::ifstream file(root / "proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

namespace {

/// In another container a group may have the same name.
std::string name_of_group(std::filesystem::path const& root) {
  std::error_code ignored;
  return std::filesystem::read_symlink(root / "proc/self/ns/cgroup", ignored).string() +
         file_text(root / "proc/self/cgroup").value_or("");
}

}  // namespace

ProcessorsOfRank processors_of_rank(std::filesystem::path const& root) {
  CpuSet const allowed = CpuSet::allowed_here();
  int const num_online = count_online(root);
  constexpr std::hash<std::string> number;
  return {
      .kernel = number(kernel_id(root)),
      .set = number(allowed.text()),
      .num = allowed.empty() ? num_online : allowed.size(),
      .num_online = num_online,
      .group = number(name_of_group(root)),
      .quota = read_cpu_quota(root),
  };
}

Occupancy fullest(std::span<ProcessorsOfRank const> ranks) {
  std::map<std::uint64_t, Kernel> kernels;
  for (ProcessorsOfRank const& rank : ranks) {
    if (rank.num <= 0) {
      return {};
    }
    Kernel& kernel = kernels[rank.kernel];
    ++kernel.num_ranks;
    kernel.num_online = std::max(kernel.num_online, rank.num_online);
    kernel.sizes[rank.set] = rank.num;
    kernel.quotas[rank.group] = rank.quota;
  }
  Occupancy result;
  for (auto const& [id, kernel] : kernels) {
    Occupancy const occupancy = kernel.occupancy();
    if (result.num_processors == 0 || is_fuller(occupancy, result)) {
      result = occupancy;
    }
  }
  return result;
}

}  // namespace espalier::machine
