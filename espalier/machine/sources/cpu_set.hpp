// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::machine {

/// Processors by the number the operating system gives them, ascending.
class CpuSet {
public:
  CpuSet() = default;
  /// In any order, repeated ones count once.
  explicit CpuSet(std::vector<int> cpus);

  /// Lists as the kernel writes them: `0-3,8`; empty or only white space: no processor.
  /// @throws Error format for another text.
  static CpuSet parse(std::string_view text);

  /// The processors this thread may run on; empty if the system does not say.
  static CpuSet allowed_here();

  [[nodiscard]] std::vector<int> const& cpus() const noexcept { return cpus_; }

  [[nodiscard]] bool empty() const noexcept { return cpus_.empty(); }

  [[nodiscard]] int size() const noexcept { return static_cast<int>(cpus_.size()); }

  [[nodiscard]] bool contains(int cpu) const;

  /// The inverse of parse().
  [[nodiscard]] std::string text() const;

  friend bool operator==(CpuSet const&, CpuSet const&) = default;

private:
  std::vector<int> cpus_;
};

}  // namespace espalier::machine
