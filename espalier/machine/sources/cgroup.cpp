// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/cgroup.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/machine/text/file_text.hpp"

namespace espalier::machine {
namespace {

namespace fs = std::filesystem;

/// The group of this process in one hierarchy: `cpu`, `cpuset`, or empty for version 2.
std::optional<std::string> group_in(std::string const& groups, std::string_view controller) {
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    std::size_t const first = line.find(':');
    std::size_t const second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      continue;
    }
    std::string const controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers == ",,"
            ? controller.empty()
            : controllers.find("," + std::string(controller) + ",") != std::string::npos) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

/// Folders of a group and of those around it, innermost first.
std::vector<fs::path> folders(fs::path const& hierarchy, std::optional<std::string> const& group) {
  std::vector<fs::path> found;
  fs::path inner = fs::path(group.value_or("/")).relative_path();
  while (!inner.empty()) {
    found.push_back(hierarchy / inner);
    inner = inner.parent_path();
  }
  found.push_back(hierarchy);
  return found;
}

/// Folders of this process for a controller. Version 1, which has a hierarchy for `cpu`, has others
/// for each controller; version 2 has one for all.
std::vector<fs::path>
folders_of(std::string const& groups, std::string_view controller, fs::path const& root) {
  fs::path const control = root / "sys/fs/cgroup";
  return group_in(groups, "cpu") ? folders(control / controller, group_in(groups, controller))
                                 : folders(control, group_in(groups, ""));
}

/// Quota and period of version 2, as in `200000 100000` or `max 100000`; 0: no limit.
double quota_of(std::string const& text) {
  std::istringstream numbers(text);
  double quota = 0;
  double period = 0;
  return numbers >> quota >> period && quota > 0 && period > 0 ? quota / period : 0;
}

double quota_in(fs::path const& folder) {
  if (auto const text = file_text(folder / "cpu.max")) {
    return quota_of(*text);
  }
  auto const quota = file_text(folder / "cpu.cfs_quota_us");
  auto const period = file_text(folder / "cpu.cfs_period_us");
  return quota && period ? quota_of(*quota + " " + *period) : 0;
}

double smallest_quota(std::vector<fs::path> const& folders) {
  double smallest = 0;
  for (fs::path const& folder : folders) {
    double const quota = quota_in(folder);
    if (quota > 0 && (smallest == 0 || quota < smallest)) {
      smallest = quota;
    }
  }
  return smallest;
}

CpuSet cpus_in(std::vector<fs::path> const& folders) {
  for (fs::path const& folder : folders) {
    for (char const* const name : {"cpuset.cpus.effective", "cpuset.effective_cpus"}) {
      if (auto const text = file_text(folder / name)) {
        return CpuSet::parse(*text);
      }
    }
  }
  return {};
}

bool is_container(fs::path const& root) {
  constexpr std::array marks{".dockerenv", "run/.containerenv", ".singularity.d"};
  return std::ranges::any_of(marks, [&](char const* mark) {
    std::error_code ignored;
    return fs::exists(root / mark, ignored);
  });
}

}  // namespace

Confinement read_confinement(fs::path const& root) {
  std::string const groups = file_text(root / "proc/self/cgroup").value_or("");
  return {
      .cpus = cpus_in(folders_of(groups, "cpuset", root)),
      .cpu_quota = smallest_quota(folders_of(groups, "cpu", root)),
      .is_container = is_container(root),
  };
}

double read_cpu_quota(fs::path const& root) {
  std::string const groups = file_text(root / "proc/self/cgroup").value_or("");
  return smallest_quota(folders_of(groups, "cpu", root));
}

}  // namespace espalier::machine
